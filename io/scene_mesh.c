/* Meshes of the deformables of a scene: generated, in files, or listed. */
#include "io/deformable_input.h"

#define INPUT(field) offsetof(icf_mesh_input, field)
#define COUNT_RANGE                        \
    {                                      \
        .min = 1.0, .max = 1e6, .unit = "" \
    }

/* Three whole numbers; value: icf_cnt[3]. */
static icf_status read_divisions(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                 void *value)
{
    const icf_mark mark = first->mark;
    const int nerror = reader->errors.n;
    double x[3] = {1, 1, 1};
    ICF_TRY(icf_read_numbers(reader, key, first, 3, x));
    if (reader->errors.n > nerror) return ICF_OK;
    for (int k = 0; k < 3; ++k) {
        if (x[k] != floor(x[k])) icf_reader_error(reader, mark, "must be whole numbers, got %.6g", x[k]);
        ((icf_cnt *)value)[k] = (icf_cnt)x[k];
    }
    return ICF_OK;
}

#define MESH_PREFIX "deformables[].mesh."

static const icf_scene_key box_keys[] = {
    {ICF_KEY(MESH_PREFIX "box.", "size"), icf_read_vector, INPUT(size), .required = true, .range = ICF_POSITIVE("m")},
    {ICF_KEY(MESH_PREFIX "box.", "divisions"), read_divisions, INPUT(divisions), .required = true,
     .range = COUNT_RANGE},
};
static const icf_scene_key cylinder_keys[] = {
    {ICF_KEY(MESH_PREFIX "cylinder.", "radius"), icf_read_number, INPUT(radius), .required = true,
     .range = ICF_POSITIVE("m")},
    {ICF_KEY(MESH_PREFIX "cylinder.", "length"), icf_read_number, INPUT(length), .required = true,
     .range = ICF_POSITIVE("m")},
    {ICF_KEY(MESH_PREFIX "cylinder.", "resolution"), icf_read_count, INPUT(resolution), .required = true,
     .range = COUNT_RANGE},
};
static const icf_scene_key sphere_keys[] = {
    {ICF_KEY(MESH_PREFIX "sphere.", "radius"), icf_read_number, INPUT(radius), .required = true,
     .range = ICF_POSITIVE("m")},
    {ICF_KEY(MESH_PREFIX "sphere.", "resolution"), icf_read_count, INPUT(resolution), .required = true,
     .range = COUNT_RANGE},
};
static const icf_scene_key tube_keys[] = {
    {ICF_KEY(MESH_PREFIX "tube.", "inner"), icf_read_number, INPUT(inner_radius), .required = true,
     .range = ICF_POSITIVE("m")},
    {ICF_KEY(MESH_PREFIX "tube.", "outer"), icf_read_number, INPUT(radius), .required = true,
     .range = ICF_POSITIVE("m")},
    {ICF_KEY(MESH_PREFIX "tube.", "length"), icf_read_number, INPUT(length), .required = true,
     .range = ICF_POSITIVE("m")},
    {ICF_KEY(MESH_PREFIX "tube.", "resolution"), icf_read_count, INPUT(resolution), .required = true,
     .range = COUNT_RANGE},
};

const icf_scene_map icf_map_mesh_box = ICF_MAP(box_keys, NULL);
const icf_scene_map icf_map_mesh_cylinder = ICF_MAP(cylinder_keys, NULL);
const icf_scene_map icf_map_mesh_sphere = ICF_MAP(sphere_keys, NULL);
const icf_scene_map icf_map_mesh_tube = ICF_MAP(tube_keys, NULL);

/* Four vertices of a tetrahedron; value: icf_index_list. */
static icf_status add_tet(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    icf_index_list *list = value;
    const icf_mark mark = first->mark;
    const size_t before = list->n;
    const int nerror = reader->errors.n;
    ICF_TRY(icf_read_indices(reader, key, first, value));
    if (list->n != before + 4 && reader->errors.n == nerror)
        icf_reader_error(reader, mark, "must be four vertices, got %zu", list->n - before);
    return ICF_OK;
}

static icf_status read_tets(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                            void *value)
{
    return icf_read_list(reader, key, first, add_tet, value);
}

/* The first keys are the sources, in the order of icf_mesh_source. */
enum { MESH_VERTICES = ICF_MESH_LISTED, MESH_TETS, MESH_SCALE };

static const icf_scene_key mesh_keys[] = {
    [ICF_MESH_BOX] = {ICF_KEY(MESH_PREFIX, "box"), icf_read_section, 0, .map = &icf_map_mesh_box},
    [ICF_MESH_CYLINDER] = {ICF_KEY(MESH_PREFIX, "cylinder"), icf_read_section, 0, .map = &icf_map_mesh_cylinder},
    [ICF_MESH_SPHERE] = {ICF_KEY(MESH_PREFIX, "sphere"), icf_read_section, 0, .map = &icf_map_mesh_sphere},
    [ICF_MESH_TUBE] = {ICF_KEY(MESH_PREFIX, "tube"), icf_read_section, 0, .map = &icf_map_mesh_tube},
    [ICF_MESH_FILE] = {ICF_KEY(MESH_PREFIX, "file"), icf_read_text, INPUT(file)},
    [MESH_VERTICES] = {ICF_KEY(MESH_PREFIX, "vertices"), icf_read_vectors, INPUT(vertices), .range = ICF_ANY("m")},
    [MESH_TETS] = {ICF_KEY(MESH_PREFIX, "tets"), read_tets, INPUT(tets),
                   .range = {.min = 0.0, .max = 2147483646.0, .unit = ""}},
    [MESH_SCALE] = {ICF_KEY(MESH_PREFIX, "scale"), icf_read_number, INPUT(scale), .range = ICF_POSITIVE("")},
};

static void check_mesh(icf_scene_reader *reader, icf_scene_given *given, void *target)
{
    icf_mesh_input *input = target;
    int n = 0;
    for (int k = ICF_MESH_BOX; k <= ICF_MESH_LISTED; ++k)
        if (icf_given(given, k)) {
            input->source = (icf_mesh_source)k;
            ++n;
        }
    if (n != 1)
        icf_reader_error(reader, given->start,
                         "must be one of box, cylinder, sphere, tube, file, or vertices with tets");
    if (n == 1 && (input->source == ICF_MESH_LISTED) != icf_given(given, MESH_TETS))
        icf_reader_error(reader, given->start, "vertices and tets belong together");
    if (icf_given(given, MESH_SCALE) && !icf_given(given, ICF_MESH_FILE))
        icf_reader_key_error(reader, given->key[MESH_SCALE], "scale", "is only for a file");
}

const icf_scene_map icf_map_mesh = ICF_MAP(mesh_keys, check_mesh);

icf_status icf_read_mesh(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first, void *value)
{
    icf_mesh_input *input = value;
    input->mark = first->mark;
    return icf_read_map(reader, key->map, first, value);
}
