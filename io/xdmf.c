/* Index files for ParaView. */
#include "io/xdmf.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "io/file.h"

static const char footer[] = "</Grid></Domain></Xdmf>\n";

/* One dataset: its XML type, and whether it has three columns. */
static void put_item(icf_text *text, const char *type, icf_cnt rows, int columns, const char *group, const char *name)
{
    icf_text_print(text, "<DataItem Format=\"HDF\" %s Dimensions=\"%" PRId64, type, rows);
    if (columns > 1) icf_text_print(text, " %d", columns);
    icf_text_print(text, "\">run.h5:/%s/%s</DataItem>", group, name);
}

static const char float32[] = "DataType=\"Float\" Precision=\"4\"", float64[] = "DataType=\"Float\" Precision=\"8\"";
static const char int32[] = "DataType=\"Int\"", int64[] = "DataType=\"Int\" Precision=\"8\"";

static void put_attribute(icf_text *text, const char *label, const char *center, const char *type, icf_cnt rows,
                          int columns, const char *group, const char *name)
{
    icf_text_print(text, "<Attribute Name=\"%s\" Center=\"%s\"%s>", label, center,
                   columns == 3 ? " AttributeType=\"Vector\"" : "");
    put_item(text, type, rows, columns, group, name);
    icf_text_put(text, "</Attribute>");
}

static void put_geometry(icf_text *text, const char *type, icf_cnt rows, const char *group, const char *name)
{
    icf_text_put(text, "<Geometry GeometryType=\"XYZ\">");
    put_item(text, type, rows, 3, group, name);
    icf_text_put(text, "</Geometry>");
}

static void put_points(icf_text *text, icf_cnt n, const char *group, const char *name)
{
    icf_text_print(text,
                   "<Topology TopologyType=\"Polyvertex\" NodesPerElement=\"1\" NumberOfElements=\"%" PRId64 "\">", n);
    put_item(text, int32, n, 1, group, name);
    icf_text_put(text, "</Topology>");
}

/* What all frames share: triangles of the surfaces with the body and shape of each. */
static void put_static_surfaces(icf_text *text, const icf_xdmf_layout *layout)
{
    const icf_cnt n = layout->ntriangle;
    icf_text_print(text, "<Topology TopologyType=\"Triangle\" NumberOfElements=\"%" PRId64 "\">", n);
    put_item(text, int32, n, 3, layout->group, "triangles");
    icf_text_put(text, "</Topology>");
    put_attribute(text, "body", "Cell", int64, n, 1, layout->group, "triangle_body");
    put_attribute(text, "shape", "Cell", int32, n, 1, layout->group, "triangle_shape");
}

/* What all frames share: centres with the id, shape and size of each. */
static void put_static_centres(icf_text *text, const icf_xdmf_layout *layout)
{
    const icf_cnt n = layout->nbody;
    put_points(text, n, layout->group, "index");
    put_attribute(text, "body", "Node", int64, n, 1, layout->group, "id");
    put_attribute(text, "shape", "Node", int32, n, 1, layout->group, "shape");
    put_attribute(text, "size", "Node", float64, n, 3, layout->group, "size");
}

/* What all frames share: tetrahedra with the body of each. */
static void put_static_deformables(icf_text *text, const icf_xdmf_layout *layout)
{
    char group[48];
    snprintf(group, sizeof group, "%s/deformables", layout->group);
    icf_text_print(text, "<Topology TopologyType=\"Tetrahedron\" NumberOfElements=\"%" PRId64 "\">", layout->ntet);
    put_item(text, int32, layout->ntet, 4, group, "tets");
    icf_text_put(text, "</Topology>");
    put_attribute(text, "body", "Cell", int64, layout->ntet, 1, group, "tet_body");
}

typedef void (*put_static)(icf_text *text, const icf_xdmf_layout *layout);

/* Creates one file: header with the entity, open collection of frames. */
static icf_status open_index(icf_context *context, icf_text_file *file, const char *directory, const char *name,
                             const icf_xdmf_layout *layout, put_static put)
{
    char *path = icf_path_print("%s/%s.xmf", directory, name);
    if (!path) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
    icf_status status = icf_text_file_open(context, file, path, footer);
    icf_free(path);
    ICF_TRY(status);
    ICF_TRY(icf_text_file_cut(context, file, 0));
    icf_text *text = &file->text;
    icf_text_put(text, "<?xml version=\"1.0\"?>\n");
    if (put) {
        icf_text_put(text, "<!DOCTYPE Xdmf [<!ENTITY static '");
        put(text, layout);
        icf_text_put(text, "'>]>\n");
    }
    icf_text_print(text,
                   "<Xdmf Version=\"3.0\"><Domain><Grid Name=\"%s\" GridType=\"Collection\" "
                   "CollectionType=\"Temporal\">\n",
                   name);
    return icf_text_file_flush(context, file);
}

icf_status icf_xdmf_open(icf_context *context, icf_xdmf *xdmf, const char *directory, const icf_xdmf_layout *layout)
{
    if (layout->npoint > 0) {
        ICF_TRY(open_index(context, &xdmf->surfaces, directory, "run", layout, put_static_surfaces));
        ICF_TRY(open_index(context, &xdmf->centres, directory, "run_bodies", layout, put_static_centres));
    } else {
        ICF_TRY(open_index(context, &xdmf->centres, directory, "run", layout, put_static_centres));
    }
    if (layout->nvertex > 0)
        ICF_TRY(open_index(context, &xdmf->deformables, directory, "run_deformables", layout, put_static_deformables));
    return open_index(context, &xdmf->contacts, directory, "run_contacts", layout, NULL);
}

static void put_begin(icf_text *text, const icf_xdmf_frame *frame)
{
    icf_text_print(text, "<Grid Name=\"%s\"><Time Value=\"%.12g\"/>", frame->group, frame->time);
}

static void put_surfaces(icf_text *text, const icf_xdmf_layout *layout, bool shared, const icf_xdmf_frame *frame)
{
    put_begin(text, frame);
    if (shared)
        icf_text_put(text, "&static;");
    else
        put_static_surfaces(text, layout);
    put_geometry(text, float32, layout->npoint, frame->group, "points");
    put_attribute(text, "speed", "Node", float32, layout->npoint, 1, frame->group, "speed");
    icf_text_put(text, "</Grid>\n");
}

static void put_centres(icf_text *text, const icf_xdmf_layout *layout, bool shared, const icf_xdmf_frame *frame)
{
    const icf_cnt n = layout->nbody;
    put_begin(text, frame);
    if (shared)
        icf_text_put(text, "&static;");
    else
        put_static_centres(text, layout);
    put_geometry(text, float64, n, frame->group, "position");
    put_attribute(text, "linear_velocity", "Node", float64, n, 3, frame->group, "linear_velocity");
    put_attribute(text, "angular_velocity", "Node", float64, n, 3, frame->group, "angular_velocity");
    icf_text_put(text, "</Grid>\n");
}

static void put_deformables(icf_text *text, const icf_xdmf_layout *layout, bool shared, const icf_xdmf_frame *frame)
{
    const icf_cnt n = layout->nvertex;
    char group[48];
    snprintf(group, sizeof group, "%s/deformables", frame->group);
    put_begin(text, frame);
    if (shared)
        icf_text_put(text, "&static;");
    else
        put_static_deformables(text, layout);
    put_geometry(text, float64, n, group, "vertices");
    put_attribute(text, "displacement", "Node", float32, n, 3, group, "displacement");
    put_attribute(text, "velocity", "Node", float64, n, 3, group, "velocity");
    put_attribute(text, "von_mises", "Node", float32, n, 1, group, "von_mises");
    put_attribute(text, "traction", "Node", float32, n, 3, group, "traction");
    icf_text_put(text, "</Grid>\n");
}

/* A grid of nothing: neither data nor attributes, see the header. */
static void put_nothing(icf_text *text)
{
    icf_text_put(text, "<Topology TopologyType=\"Polyvertex\" NodesPerElement=\"0\" NumberOfElements=\"0\"/>"
                       "<Geometry GeometryType=\"None\"/></Grid>\n");
}

static void put_contacts(icf_text *text, const icf_xdmf_frame *frame)
{
    const icf_cnt n = frame->ncontact;
    put_begin(text, frame);
    if (n == 0) {
        put_nothing(text);
        return;
    }
    char group[48];
    snprintf(group, sizeof group, "%s/contacts", frame->group);
    put_points(text, n, group, "index");
    put_geometry(text, float64, n, group, "point");
    put_attribute(text, "force", "Node", float64, n, 3, group, "force");
    put_attribute(text, "normal_force", "Node", float64, n, 1, group, "normal_force");
    put_attribute(text, "distance", "Node", float64, n, 1, group, "distance");
    put_attribute(text, "first_body", "Node", int64, n, 1, group, "first_body");
    put_attribute(text, "second_body", "Node", int64, n, 1, group, "second_body");
    icf_text_put(text, "</Grid>\n");
}

void icf_xdmf_put(icf_xdmf *xdmf, const icf_xdmf_layout *layout, bool shared, const icf_xdmf_frame *frame)
{
    if (layout->npoint > 0) put_surfaces(&xdmf->surfaces.text, layout, shared, frame);
    put_centres(&xdmf->centres.text, layout, shared, frame);
    if (layout->nvertex > 0) put_deformables(&xdmf->deformables.text, layout, shared, frame);
    put_contacts(&xdmf->contacts.text, frame);
}

icf_status icf_xdmf_flush(icf_context *context, icf_xdmf *xdmf)
{
    ICF_TRY(icf_text_file_flush(context, &xdmf->surfaces));
    ICF_TRY(icf_text_file_flush(context, &xdmf->centres));
    ICF_TRY(icf_text_file_flush(context, &xdmf->deformables));
    return icf_text_file_flush(context, &xdmf->contacts);
}

void icf_xdmf_drop(icf_xdmf *xdmf)
{
    xdmf->surfaces.text.used = xdmf->centres.text.used = 0;
    xdmf->deformables.text.used = xdmf->contacts.text.used = 0;
}

icf_status icf_xdmf_close(icf_context *context, icf_xdmf *xdmf)
{
    const icf_status surfaces = icf_text_file_close(context, &xdmf->surfaces);
    const icf_status centres = icf_text_file_close(context, &xdmf->centres);
    const icf_status deformables = icf_text_file_close(context, &xdmf->deformables);
    const icf_status contacts = icf_text_file_close(context, &xdmf->contacts);
    if (surfaces != ICF_OK || centres != ICF_OK) return surfaces != ICF_OK ? surfaces : centres;
    return deformables != ICF_OK ? deformables : contacts;
}
