/* Inside of the scene reader: tables of keys, and what reads a value into its place.
 *
 *     events --> icf_read_map (scene_map.c) --> a function for each type of value (scene_value.c) --> target
 *                     |                                                            |
 *                 table of keys                                               check of the mapping
 *            (scene_settings.c, scene_material.c, scene_body.c, ...)
 *
 * A mapping of the scene file is described by an icf_scene_map: its keys with type, range and place in a
 * target structure, and a check that runs when the mapping ends.  The tables are at the same time the list
 * of keys that the documentation is tested against.  A status other than ICF_OK means that reading must
 * stop; wrong values are reported as errors and read over.
 */
#ifndef ICF_IO_SCENE_PARSE_H
#define ICF_IO_SCENE_PARSE_H

#include <locale.h>

#include "io/name_table.h"
#include "io/yaml_stream.h"
#include "scene/bodies.h"
#include "scene/scene.h"

typedef struct icf_scene_reader icf_scene_reader;
typedef struct icf_scene_key icf_scene_key;
typedef struct icf_scene_map icf_scene_map;

/* Reads the value that begins with `first` into *value (a place in the target of the mapping). */
typedef icf_status icf_read_value(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                  void *value);

/* Numbers that a key takes. */
typedef struct icf_range {
    double min, max;
    bool above;       /* min itself is not allowed */
    bool below;       /* max itself is not allowed */
    bool infinite;    /* .inf is allowed */
    const char *unit; /* for messages, "" when there is none */
} icf_range;

struct icf_scene_key {
    const char *path; /* from the scene's root, [] for list elements, NAME for a user's name */
    const char *name; /* last part of the path */
    icf_read_value *read;
    size_t offset;             /* of the value in the target */
    bool required;             /* must be there */
    icf_range range;           /* numbers */
    const char *const *choice; /* names of an enumeration in its order, NULL behind the last */
    const icf_scene_map *map;  /* keys of a mapping */
};

/* Keys of a mapping, at most. */
enum { ICF_MAP_KEYS_MAX = 20 };

/* What was found in a mapping: bit i for key i of its table. */
typedef struct icf_scene_given {
    icf_mark start;   /* where the mapping begins */
    uint32_t present; /* keys that are there */
    uint32_t good;    /* those whose value could be read */
    icf_mark key[ICF_MAP_KEYS_MAX], value[ICF_MAP_KEYS_MAX];
} icf_scene_given;

/* Whether key i is there; whether it is there and could be read. */
static inline bool icf_given(const icf_scene_given *given, int i)
{
    return (given->present >> i & 1u) != 0;
}
static inline bool icf_given_good(const icf_scene_given *given, int i)
{
    return (given->good >> i & 1u) != 0;
}
/* Whether key i is there but was reported as wrong: checks that need it say nothing more. */
static inline bool icf_given_bad(const icf_scene_given *given, int i)
{
    return icf_given(given, i) && !icf_given_good(given, i);
}

struct icf_scene_map {
    int nkey;
    const icf_scene_key *key; /* (nkey) */
    /* called when the mapping has ended; NULL: nothing to check */
    void (*check)(icf_scene_reader *reader, icf_scene_given *given, void *target);
};

extern const icf_scene_map icf_map_scene;         /* scene_reader.c, target icf_scene */
extern const icf_scene_map icf_map_time;          /* scene_settings.c */
extern const icf_scene_map icf_map_contact;       /* scene_settings.c */
extern const icf_scene_map icf_map_solver;        /* scene_settings.c */
extern const icf_scene_map icf_map_parallel;      /* scene_settings.c */
extern const icf_scene_map icf_map_output;        /* scene_settings.c */
extern const icf_scene_map icf_map_material;      /* scene_material.c */
extern const icf_scene_map icf_map_friction;      /* scene_material.c */
extern const icf_scene_map icf_map_pair;          /* scene_material.c */
extern const icf_scene_map icf_map_pair_friction; /* scene_material.c */
extern const icf_scene_map icf_map_body;          /* scene_body.c */
extern const icf_scene_map icf_map_shape;         /* scene_shape.c, with those that follow */
extern const icf_scene_map icf_map_shape_mesh, icf_map_part;
extern const icf_scene_map icf_map_motion;              /* scene_motion.c */
extern const icf_scene_map icf_map_surface_velocity;    /* scene_motion.c */
extern const icf_scene_map icf_map_population;          /* scene_population.c */
extern const icf_scene_map icf_map_template;            /* scene_population.c, target icf_template */
extern const icf_scene_map icf_map_region;              /* scene_population.c */
extern const icf_scene_map icf_map_population_velocity; /* scene_population.c, target icf_population */
extern const icf_scene_map icf_map_scale;               /* scene_scale.c */
extern const icf_scene_map icf_map_force;               /* scene_load.c */
extern const icf_scene_map icf_map_spring;              /* scene_load.c */
extern const icf_scene_map icf_map_deformable;          /* scene_deformable.c, with those that follow */
extern const icf_scene_map icf_map_damping, icf_map_fixed, icf_map_fixed_sphere, icf_map_support_motion;
extern const icf_scene_map icf_map_attachment, icf_map_attached_sphere, icf_map_pressure, icf_map_vertex_force;
extern const icf_scene_map icf_map_mesh; /* scene_mesh.c, with those that follow */
extern const icf_scene_map icf_map_mesh_box, icf_map_mesh_cylinder, icf_map_mesh_sphere, icf_map_mesh_tube;

/* A step of the path to the value that is being read. */
typedef struct icf_path_step {
    const char *key; /* NULL: an element of a list */
    icf_cnt index;
} icf_path_step;

enum { ICF_PATH_STEPS = 16, ICF_PATH_BYTES = 256, ICF_USED_BYTES = 64 };

/* What the checks at the end need to know of a material. */
typedef struct icf_material_record {
    icf_mark used;                  /* first use, for names that are never defined */
    char used_path[ICF_USED_BYTES]; /* path of that use */
    icf_mark defined;               /* its key in materials */
    icf_mark normal, friction;
    bool is_used;        /* named by a body or a pair */
    bool is_defined;     /* is in materials */
    bool bad;            /* wrong values were reported */
    icf_cnt nbody;       /* bodies of this material */
    icf_cnt nmoving;     /* those that the solver moves */
    icf_cnt ndeformable; /* deformables of this contact material, not among the bodies */
} icf_material_record;

/* Where a pair of contact.pairs stands. */
typedef struct icf_pair_record {
    icf_mark mark, normal, friction;
    icf_cnt index; /* in contact.pairs */
    bool bad;
} icf_pair_record;

typedef enum icf_reference_kind {
    ICF_REFERENCE_FORCE,
    ICF_REFERENCE_SPRING,
    ICF_REFERENCE_ATTACHMENT
} icf_reference_kind;

/* A force, spring or attachment that waits for its body's name to be resolved. */
typedef struct icf_body_reference {
    icf_reference_kind kind;
    icf_cnt index;   /* of the force or spring, or of the deformable */
    icf_cnt element; /* of the deformable's attachments */
    size_t name;     /* number in reference_names */
    icf_mark mark;
} icf_body_reference;

typedef struct icf_vec3_list {
    size_t n, capacity;
    icf_vec3 *item;
} icf_vec3_list;

typedef struct icf_index_list {
    size_t n, capacity;
    icf_cnt *item;
} icf_index_list;

/* A force on vertices that waits for its deformable. */
typedef struct icf_vertex_force {
    char *deformable; /* owned */
    icf_index_list vertices;
    icf_vec3 value; /* N */
    icf_cnt index;  /* in vertex_forces */
    icf_mark mark;
} icf_vertex_force;

enum { ICF_READER_CHUNK = 256 }; /* bodies handed over at a time */

struct icf_scene_reader {
    icf_context *context;
    icf_scene *scene;
    icf_scene_errors errors;
    icf_yaml_stream stream;
    locale_t locale; /* of numbers */
    icf_path_step path[ICF_PATH_STEPS];
    int npath;

    icf_mark integrator;                /* value of time.integrator */
    bool no_materials;                  /* the materials could not be read: their names are not missed */
    icf_name_table material_names;      /* numbers are the scene's material indices */
    double smallest_body, largest_body; /* sizes of the moving bodies that have no mesh file [m]; inf, 0: none */
    icf_material_record *material;      /* (material_names.n) */
    size_t material_capacity;
    icf_name_table pair_names; /* keys are the two material indices; numbers are those of the scene's pairs */
    icf_pair_record *pair;     /* (scene->npair) */
    size_t pair_capacity;

    icf_name_table body_names;
    icf_gid *named_body; /* (body_names.n) ascending: body that has the name */
    size_t named_body_capacity;
    icf_body_def *chunk; /* (ICF_READER_CHUNK) bodies to hand over next */
    int64_t *chunk_name; /* (ICF_READER_CHUNK) numbers in body_names, -1: none */
    int nchunk;
    icf_body_sink sink;
    void *user;

    icf_mark *population; /* (scene->npopulation) where they begin */
    size_t population_capacity;

    icf_name_table reference_names;
    icf_body_reference *reference; /* (nreference) */
    size_t nreference, reference_capacity;

    icf_name_table file_names; /* files that shapes name */
    char **file_path;          /* (file_names.n) their absolute paths */
    size_t file_path_capacity;

    icf_vertex_force *vertex_force; /* (nvertex_force) */
    size_t nvertex_force, vertex_force_capacity;
};

/* Path of a file that the scene names, which is relative to the scene's; heap, NULL when out of memory. */
char *icf_reader_file_path(const icf_scene_reader *reader, const char *file);

/* The same, absolute, so that a scene that is written elsewhere finds the file; as it is where that fails: the reader
 * of the file says why.  Looked for once a name.
 *   path [out] the reader's own
 * ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_reader_absolute_path(icf_scene_reader *reader, const char *file, const char **path);

/* Adds an error at a mark, with the path to the value that is being read. */
void icf_reader_error(icf_scene_reader *reader, icf_mark mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a key of the mapping that is being read. */
void icf_reader_key_error(icf_scene_reader *reader, icf_mark mark, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Path to the value that is being read, cut to the size of a text. */
void icf_reader_path(const icf_scene_reader *reader, char *text, size_t bytes);

/* Reads a mapping by its table; reports keys that are unknown, double or missing. */
ICF_MUST_CHECK icf_status icf_read_map(icf_scene_reader *reader, const icf_scene_map *map, const icf_yaml_event *first,
                                       void *target);

/* Reads a list; calls `read` with the first event of each element and `value` as it is. */
ICF_MUST_CHECK icf_status icf_read_list(icf_scene_reader *reader, const icf_scene_key *key, const icf_yaml_event *first,
                                        icf_read_value *read, void *value);

/* Of two keys of which only one may be given: which it is (i or j), -1: none.  An override wins over the
 * file; otherwise both are an error, and i is taken. */
int icf_given_one_of(icf_scene_reader *reader, const icf_scene_map *map, icf_scene_given *given, int i, int j);

/* Reports that a required key is missing. */
void icf_report_missing(icf_scene_reader *reader, const icf_scene_map *map, const icf_scene_given *given, int i);

/* Whether a name is near enough to a text to be meant by it, and nearer than *distance, which it then sets
 * (SIZE_MAX at first). */
bool icf_name_is_nearer(const char *name, const char *text, size_t *distance);

icf_read_value icf_read_section;   /* a mapping, key->map; value: its target */
icf_read_value icf_read_number;    /* value: double */
icf_read_value icf_read_count;     /* a whole number; value: icf_cnt */
icf_read_value icf_read_flag;      /* true or false; value: bool */
icf_read_value icf_read_text;      /* not empty; value: char *, replaced (heap) */
icf_read_value icf_read_choice;    /* one of key->choice; value: an enumeration */
icf_read_value icf_read_vector;    /* three numbers in key->range; value: icf_vec3 */
icf_read_value icf_read_direction; /* three numbers, not all zero; value: icf_vec3, normalised */
icf_read_value icf_read_rotation;  /* [w, x, y, z]; value: icf_quat, normalised */
icf_read_value icf_read_vectors;   /* a list of vectors in key->range; value: icf_vec3_list, appended to */
icf_read_value icf_read_indices;   /* a list of whole numbers; value: icf_index_list, appended to */

/* Reads exactly n numbers. */
ICF_MUST_CHECK icf_status icf_read_numbers(icf_scene_reader *reader, const icf_scene_key *key,
                                           const icf_yaml_event *first, int n, double *value);

/* Whether an event is a number. */
bool icf_is_number(const icf_scene_reader *reader, const icf_yaml_event *event);

/* Whether an event is text (not a number, not true or false); reports it when it is not. */
bool icf_expect_text(icf_scene_reader *reader, const icf_yaml_event *event);

/* Reports a value of the wrong type and reads over it. */
ICF_MUST_CHECK icf_status icf_wrong_type(icf_scene_reader *reader, const icf_yaml_event *first, const char *wanted);

icf_read_value icf_read_materials;        /* materials: names and their mappings */
icf_read_value icf_read_pairs;            /* contact.pairs */
icf_read_value icf_read_bodies;           /* bodies */
icf_read_value icf_read_populations;      /* populations */
icf_read_value icf_read_forces;           /* forces */
icf_read_value icf_read_springs;          /* springs */
icf_read_value icf_read_deformables;      /* deformables */
icf_read_value icf_read_mesh;             /* value: icf_mesh_input */
icf_read_value icf_read_vertex_forces;    /* vertex_forces */
icf_read_value icf_read_shape;            /* value: icf_shape */
icf_read_value icf_read_template_body;    /* a body without name and position; value: icf_body_def */
icf_read_value icf_read_scale;            /* value: icf_size */
icf_read_value icf_read_motion;           /* value: icf_motion; a center that is not given is NaN */
icf_read_value icf_read_surface_velocity; /* value: icf_surface_velocity */
icf_read_value icf_read_time;             /* value: icf_time_settings */

/* Index of a material by its name; a new one gets the default values until it is defined.
 *   use [in] whether the name stands where the material is used, not where it is defined */
ICF_MUST_CHECK icf_status icf_reader_material(icf_scene_reader *reader, const icf_yaml_event *name, bool use,
                                              int32_t *index);

/* Counts n bodies like this one for the checks of pairs of materials. */
void icf_reader_count_material(icf_scene_reader *reader, const icf_body_def *def, icf_cnt n);

/* Notes the size of a body, times from least to most, for the doubts about units (scene_units.c). */
void icf_reader_note_size(icf_scene_reader *reader, const icf_body_def *def, double least, double most);

/* Warns of mesh files that seem to be in another unit, when the whole scene has been read without an error.
 * ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_reader_doubt_units(icf_scene_reader *reader);

/* Body of a name among the listed ones read so far, given or made up ("bodyN"); -1 when there is none. */
icf_gid icf_reader_find_body(const icf_scene_reader *reader, const char *name);

/* The first of the deformables so far that has a name, by number; -1: none. */
int32_t icf_reader_find_deformable(const icf_scene_reader *reader, const char *name);

/* Body of a population, by its made-up name, when all bodies have been read; -1 when the name is none. */
icf_gid icf_reader_find_generated(const icf_scene_reader *reader, const char *name);

/* Ids, forces and attached bodies of the deformables, when the whole scene has been read. */
void icf_reader_finish_deformables(icf_scene_reader *reader);

void icf_reader_clear_vertex_forces(icf_scene_reader *reader);

/* Shape of a hull of a mesh file, of frame ICF_SOLID_GIVEN; each file is read once.  What is wrong with it is reported.
 *   mark  [in]  where the file is named
 *   file  [in]  as the scene names it
 *   scale [in]  of its lengths
 *   shape [out] not set when something is wrong */
ICF_MUST_CHECK icf_status icf_reader_convex(icf_scene_reader *reader, icf_mark mark, const char *file, double scale,
                                            icf_shape *shape);

/* Shape of a compound of parts, of frame ICF_SOLID_GIVEN; equal compounds are one solid. */
ICF_MUST_CHECK icf_status icf_reader_compound(icf_scene_reader *reader, int32_t n, const icf_part *part,
                                              icf_shape *shape);

/* Gives a shape that has a solid of frame ICF_SOLID_GIVEN the one of another frame. */
ICF_MUST_CHECK icf_status icf_reader_reframe(icf_scene_reader *reader, icf_solid_frame frame, icf_shape *shape);

/* Hands the bodies of the chunk over. */
ICF_MUST_CHECK icf_status icf_reader_flush(icf_scene_reader *reader);

/* Checks that need the whole scene: names that are never defined, model and materials, pairs of materials
 * that no rule combines (scene_check.c). */
ICF_MUST_CHECK icf_status icf_reader_check(icf_scene_reader *reader);

/* Path and name of a key. */
#define ICF_KEY(prefix, text) .path = prefix text, .name = text

/* Ranges of numbers with their unit. */
#define ICF_ANY(text)                                   \
    {                                                   \
        .min = -INFINITY, .max = INFINITY, .unit = text \
    }
#define ICF_POSITIVE(text)                                       \
    {                                                            \
        .min = 0.0, .above = true, .max = INFINITY, .unit = text \
    }
#define ICF_NOT_NEGATIVE(text)                    \
    {                                             \
        .min = 0.0, .max = INFINITY, .unit = text \
    }

/* The map of a table. */
#define ICF_MAP(table, function)                                 \
    {                                                            \
        (int)(sizeof(table) / sizeof(table)[0]), table, function \
    }

#endif
