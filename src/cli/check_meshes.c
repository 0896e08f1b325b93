/* Meshes of a scene: quality of those of deformable bodies, defects of rigid surfaces. */
#include "cli/check_meshes.h"

#include <math.h>
#include <stdio.h>

#include "scene/tet_quality.h"

static const double degrees = 57.29577951308232;

static void print_quality(const icf_deformable *deformable, const icf_tet_quality *quality)
{
    printf("deformable %s: %d vertices, %d tetrahedra, %d surface triangles; volume %.6g m^3, mass %.6g kg\n",
           deformable->name, (int)quality->nvertex, (int)quality->ntet, (int)quality->nsurface_triangle,
           quality->volume, deformable->mass);
    printf("           edges %.3g to %.3g m, dihedral angles %.0f to %.0f degrees, mean ratio %.2f; worst %.2f "
           "(tetrahedron %d)\n",
           quality->edge_min, quality->edge_max, degrees * quality->dihedral_min, degrees * quality->dihedral_max,
           quality->ratio_mean, quality->ratio_min, (int)quality->worst);
}

/* Tetrahedra that are inverted where the scene puts their vertices. */
static icf_lid count_inverted(const icf_deformable *deformable)
{
    icf_tet_mesh placed = deformable->mesh;
    icf_lid n = 0;
    placed.vertex = deformable->position;
    for (icf_lid t = 0; t < placed.ntet; ++t) n += icf_tet_mesh_volume(&placed, t) <= 0.0;
    return n;
}

static void warn_quality(const icf_context *context, const icf_deformable *deformable, const icf_tet_quality *quality)
{
    const char *name = deformable->name;
    const icf_lid nturned = deformable->mesh.nreoriented, ninverted = count_inverted(deformable);
    if (nturned > 0)
        icf_warn(context, "deformable \"%s\": %d tetrahedra had negative volume and were turned", name, (int)nturned);
    if (ninverted > 0)
        icf_warn(context, "deformable \"%s\": %d tetrahedra are inverted at t = 0", name, (int)ninverted);
    if (quality->nsliver > 0)
        icf_warn(context, "deformable \"%s\": %d tetrahedra have an angle below %.0f degrees", name,
                 (int)quality->nsliver, degrees * ICF_SLIVER_ANGLE);
    if (quality->ncomponent > 1)
        icf_warn(context, "deformable \"%s\": the mesh has %d parts that share no vertex", name,
                 (int)quality->ncomponent);
    if (quality->nodd_edge > 0)
        icf_warn(context, "deformable \"%s\": the surface is not closed at %d edges: parts touch along them only", name,
                 (int)quality->nodd_edge);
}

/* Longest edge of the surface [m]. */
static double find_longest_edge(const icf_deformable *deformable)
{
    double longest = 0.0;
    for (icf_lid t = 0; t < deformable->surface.ntriangle; ++t)
        for (int k = 0; k < 3; ++k) {
            const icf_lid *v = deformable->surface.triangle[t];
            const icf_vec3 *x = deformable->mesh.vertex;
            longest = fmax(longest, icf_norm(icf_sub(x[v[k]], x[v[(k + 1) % 3]])));
        }
    return longest;
}

static void warn_spacing(const icf_context *context, const icf_deformable *deformable, double thinnest)
{
    const double spacing = find_longest_edge(deformable) / deformable->subdivision;
    if (deformable->material < 0 || thinnest >= spacing) return;
    icf_warn(
        context,
        "deformable \"%s\": contact points are up to %.3g m apart, a rigid body has a radius of %.3g m and may fall "
        "between them; a larger contact_subdivision or a finer mesh puts them closer",
        deformable->name, spacing, thinnest);
}

/* ---- rigid surfaces ---- */

static void print_surface(const icf_rigid_surface *surface)
{
    const icf_triangle_defects *defects = &surface->defects;
    const icf_vec3 size = icf_sub(defects->hi, defects->lo);
    printf("surface %s: %d vertices, %d triangles, %.3g x %.3g x %.3g m, area %.6g m^2", surface->file,
           (int)surface->mesh.nvertex, (int)surface->mesh.ntriangle, size.x, size.y, size.z, defects->area);
    if (defects->closed) printf(", volume %.6g m^3", defects->volume);
    printf("; %.3g MB on each rank\n", 1e-6 * (double)icf_rigid_surface_bytes(surface));
}

static void warn_surface(const icf_context *context, const icf_rigid_surface *surface)
{
    const icf_triangle_defects *defects = &surface->defects;
    if (surface->source == ICF_SURFACE_MESH && defects->nopen > 0) {
        const icf_vec3 p = surface->mesh.vertex[defects->open_vertex[0]];
        icf_warn(context,
                 "surface %s: %d edges belong to one triangle, the first at (%g, %g, %g) to triangle %d (counting from "
                 "0): it is a sheet, touched from both sides",
                 surface->file, (int)defects->nopen, p.x, p.y, p.z, (int)defects->open);
    }
    if (defects->nbranching > 0)
        icf_warn(context, "surface %s: %d edges belong to three or more triangles, the first to triangle %d",
                 surface->file, (int)defects->nbranching, (int)defects->branching);
}

icf_status icf_check_meshes(icf_context *context, const icf_scene *scene, double thinnest)
{
    for (int32_t i = 0; i < scene->ndeformable; ++i) {
        const icf_deformable *deformable = &scene->deformable[i];
        icf_tet_quality quality;
        const icf_status status = icf_tet_quality_build(&quality, &deformable->mesh);
        if (status != ICF_OK) return icf_fail(context, status, "out of memory for measuring a mesh");
        print_quality(deformable, &quality);
        fflush(stdout);
        warn_quality(context, deformable, &quality);
        warn_spacing(context, deformable, thinnest);
    }
    for (int32_t i = 0; i < scene->nrigid_surface; ++i) {
        print_surface(&scene->rigid_surface[i]);
        fflush(stdout);
        warn_surface(context, &scene->rigid_surface[i]);
    }
    return ICF_OK;
}
