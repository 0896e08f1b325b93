/* Reader of Gmsh files, versions 2.2 and 4.1, text and binary.
 *
 * A file is a list of sections $Name ... $EndName.  Read are MeshFormat, PhysicalNames, Entities (4.1: the physical
 * groups of an entity), Nodes and Elements; others are skipped.  In a binary file only the numbers of Entities,
 * Nodes and Elements are bytes; 2.2 writes their counts as text.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "io/mesh_source_private.h"

/* Values by key: indices of nodes by tag, groups by dimension and tag. */
typedef struct key_map {
    icf_keyed *items;
    size_t n, capacity;
} key_map;

typedef struct gmsh {
    icf_mesh_source *source;
    icf_tet_mesh *mesh;
    bool version4;
    icf_number_type size_type; /* of counts and tags of nodes in 4.1 */
    bool binary;               /* of the sections that may be */
    bool has_nodes, has_elements;
    key_map nodes;     /* node tag -> vertex */
    key_map physicals; /* (dimension, physical tag) -> group */
    key_map entities;  /* (dimension, entity) -> group, several of a key */
} gmsh;

/* Elements by Gmsh's number: nodes, dimension, whether it is a tetrahedron of higher order. */
typedef struct element_type {
    int nnode, dimension;
    bool curved_tet;
} element_type;

enum { type_triangle = 2, type_tet = 4, nodes_of_element_max = 125 };

static const element_type element_types[] = {
    [1] = {2, 1, 0},   [2] = {3, 2, 0},   [3] = {4, 2, 0},   [4] = {4, 3, 0},   [5] = {8, 3, 0},   [6] = {6, 3, 0},
    [7] = {5, 3, 0},   [8] = {3, 1, 0},   [9] = {6, 2, 0},   [10] = {9, 2, 0},  [11] = {10, 3, 1}, [12] = {27, 3, 0},
    [13] = {18, 3, 0}, [14] = {14, 3, 0}, [15] = {1, 0, 0},  [16] = {8, 2, 0},  [17] = {20, 3, 0}, [18] = {15, 3, 0},
    [19] = {13, 3, 0}, [20] = {9, 2, 0},  [21] = {10, 2, 0}, [22] = {12, 2, 0}, [23] = {15, 2, 0}, [24] = {15, 2, 0},
    [25] = {21, 2, 0}, [26] = {4, 1, 0},  [27] = {5, 1, 0},  [28] = {6, 1, 0},  [29] = {20, 3, 1}, [30] = {35, 3, 1},
    [31] = {56, 3, 1}, [92] = {64, 3, 0}, [93] = {125, 3, 0}};

static icf_status map_add(key_map *map, uint64_t key, icf_lid value)
{
    if (map->n == INT32_MAX) return ICF_ERROR_MEMORY;
    ICF_TRY(ICF_GROW(map->items, map->capacity, map->n + 1));
    map->items[map->n++] = (icf_keyed){key, value};
    return ICF_OK;
}

static icf_status map_sort(key_map *map)
{
    if (map->n == 0) return ICF_OK;
    icf_keyed *work = icf_alloc(map->n * sizeof *work);
    if (!work) return ICF_ERROR_MEMORY;
    icf_sort_keyed((icf_lid)map->n, map->items, work);
    icf_free(work);
    return ICF_OK;
}

/* First place of a sorted map whose key is not below. */
static size_t map_find(const key_map *map, uint64_t key)
{
    size_t begin = 0, end = map->n;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (map->items[middle].key < key)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static uint64_t entity_key(int64_t dimension, int64_t tag)
{
    return (uint64_t)dimension << 32 | (uint32_t)tag;
}

/* A whole number that must fit 32 bits. */
static icf_status read_int(gmsh *g, int64_t *value)
{
    ICF_TRY(icf_mesh_integer(g->source, ICF_NUMBER_INT32, value));
    if (*value >= INT32_MIN && *value <= INT32_MAX) return ICF_OK;
    return icf_mesh_fail(g->source, "%lld is too large", (long long)*value);
}

static icf_status read_size(gmsh *g, int64_t *value)
{
    return icf_mesh_integer(g->source, g->size_type, value);
}

/* Skips n numbers of a type. */
static icf_status skip_numbers(gmsh *g, icf_number_type type, int64_t n)
{
    for (int64_t i = 0; i < n; ++i) {
        double value;
        ICF_TRY(icf_mesh_real(g->source, type, &value));
    }
    return ICF_OK;
}

/* Count of things, each of at least `text` bytes as text and `bytes` in binary. */
static icf_status check_count(gmsh *g, int64_t count, size_t text, size_t bytes, const char *what)
{
    return icf_mesh_check_count(g->source, count, g->source->binary ? bytes : text, what);
}

static icf_status expect_word(icf_mesh_source *source, const char *expected)
{
    char word[ICF_MESH_WORD_BYTES];
    icf_mesh_word(source, word);
    if (strcmp(word, expected) == 0) return ICF_OK;
    if (word[0] == '\0') return icf_mesh_fail(source, "the file ends where %s is expected", expected);
    return icf_mesh_fail(source, "'%s' where %s is expected", word, expected);
}

/* --- $MeshFormat --- */

static icf_status check_byte_order(gmsh *g)
{
    char rest[ICF_MESH_WORD_BYTES];
    int64_t one;
    icf_mesh_line(g->source, sizeof rest, rest);
    g->source->binary = true;
    ICF_TRY(icf_mesh_integer(g->source, ICF_NUMBER_INT32, &one));
    if (one == 1) {
        g->source->binary = false;
        return ICF_OK;
    }
    if (one == 1 << 24)
        return icf_mesh_fail(g->source, "the file has the byte order of another machine; save it as text there");
    return icf_mesh_fail(g->source, "the mark of the byte order is damaged");
}

static icf_status read_format(gmsh *g)
{
    double version;
    int64_t kind, bytes;
    ICF_TRY(icf_mesh_real(g->source, ICF_NUMBER_FLOAT64, &version));
    ICF_TRY(icf_mesh_text_integer(g->source, &kind));
    ICF_TRY(icf_mesh_text_integer(g->source, &bytes));
    g->version4 = version >= 4.0;
    if (!(version >= 2.0 && version < 2.3) && !(version > 4.05 && version < 4.15))
        return icf_mesh_fail(g->source, "version %g of Gmsh's format is not read; save it as 4.1 or 2.2", version);
    if ((kind != 0 && kind != 1) || (bytes != 8 && !(g->version4 && bytes == 4)))
        return icf_mesh_fail(g->source, "file type %lld with data size %lld is not known", (long long)kind,
                             (long long)bytes);
    g->size_type = bytes == 8 ? ICF_NUMBER_UINT64 : ICF_NUMBER_UINT32;
    g->binary = kind == 1;
    return g->binary ? check_byte_order(g) : ICF_OK;
}

/* --- $PhysicalNames --- */

/* The name between the quotes of the rest of the line. */
static icf_status read_quoted(gmsh *g, size_t bytes, char *name)
{
    char line[512];
    icf_mesh_line(g->source, sizeof line, line);
    char *begin = strchr(line, '"'), *end = begin ? strrchr(line, '"') : NULL;
    const size_t length = begin && end > begin ? (size_t)(end - begin) - 1 : 0;
    if (length == 0 || length >= bytes)
        return icf_mesh_fail(g->source, "the name before this line is missing, without quotes or too long");
    memcpy(name, begin + 1, length);
    name[length] = '\0';
    return ICF_OK;
}

static icf_status read_physical_names(gmsh *g)
{
    int64_t n;
    ICF_TRY(icf_mesh_text_integer(g->source, &n));
    ICF_TRY(icf_mesh_check_count(g->source, n, 8, "names"));
    for (int64_t i = 0; i < n; ++i) {
        int64_t dimension, tag;
        char name[256];
        icf_lid group;
        ICF_TRY(icf_mesh_text_integer(g->source, &dimension));
        ICF_TRY(icf_mesh_text_integer(g->source, &tag));
        ICF_TRY(read_quoted(g, sizeof name, name));
        if (dimension < 0 || dimension > 3)
            return icf_mesh_fail(g->source, "'%s' has the dimension %lld", name, (long long)dimension);
        ICF_TRY(icf_tet_mesh_add_group(g->mesh, name, &group));
        ICF_TRY(map_add(&g->physicals, entity_key(dimension, tag), group));
    }
    return map_sort(&g->physicals);
}

/* --- $Entities --- */

/* Notes the groups of an entity's physical tags; unnamed ones make none. */
static icf_status read_entity_physicals(gmsh *g, int dimension, int64_t entity)
{
    int64_t n;
    ICF_TRY(read_size(g, &n));
    ICF_TRY(check_count(g, n, 2, 4, "physical tags"));
    for (int64_t i = 0; i < n; ++i) {
        int64_t tag;
        ICF_TRY(read_int(g, &tag));
        /* a negative tag is the same group on a surface turned round */
        const uint64_t key = entity_key(dimension, tag < 0 ? -tag : tag);
        for (size_t at = map_find(&g->physicals, key); at < g->physicals.n && g->physicals.items[at].key == key; ++at)
            ICF_TRY(map_add(&g->entities, entity_key(dimension, entity), g->physicals.items[at].value));
    }
    return ICF_OK;
}

static icf_status read_entity(gmsh *g, int dimension)
{
    int64_t entity, nbounding = 0;
    ICF_TRY(read_int(g, &entity));
    ICF_TRY(skip_numbers(g, ICF_NUMBER_FLOAT64, dimension == 0 ? 3 : 6));
    ICF_TRY(read_entity_physicals(g, dimension, entity));
    if (dimension == 0) return ICF_OK;
    ICF_TRY(read_size(g, &nbounding));
    ICF_TRY(check_count(g, nbounding, 2, 4, "bounding entities"));
    return skip_numbers(g, ICF_NUMBER_INT32, nbounding);
}

static icf_status read_entities(gmsh *g)
{
    int64_t n[4];
    for (int d = 0; d < 4; ++d) ICF_TRY(read_size(g, &n[d]));
    for (int d = 0; d < 4; ++d) {
        ICF_TRY(check_count(g, n[d], 10, 28, "entities"));
        for (int64_t i = 0; i < n[d]; ++i) ICF_TRY(read_entity(g, d));
    }
    return map_sort(&g->entities);
}

/* --- $Nodes --- */

static icf_status read_position(gmsh *g)
{
    icf_vec3 x;
    ICF_TRY(icf_mesh_real(g->source, ICF_NUMBER_FLOAT64, &x.x));
    ICF_TRY(icf_mesh_real(g->source, ICF_NUMBER_FLOAT64, &x.y));
    ICF_TRY(icf_mesh_real(g->source, ICF_NUMBER_FLOAT64, &x.z));
    return icf_tet_mesh_add_vertex(g->mesh, x);
}

/* A node's tag; the node will be the vertex that comes next, or `ahead` vertices later. */
static icf_status read_node_tag(gmsh *g, icf_number_type type, icf_lid ahead)
{
    int64_t tag;
    ICF_TRY(icf_mesh_integer(g->source, type, &tag));
    if (tag < 0) return icf_mesh_fail(g->source, "a node has the negative number %lld", (long long)tag);
    return map_add(&g->nodes, (uint64_t)tag, g->mesh->nvertex + ahead);
}

/* A block of nodes of version 4.1: their tags, then their positions (with parameters on their entity). */
static icf_status read_node_block(gmsh *g)
{
    int64_t dimension, entity, parametric, n;
    ICF_TRY(read_int(g, &dimension));
    ICF_TRY(read_int(g, &entity));
    ICF_TRY(read_int(g, &parametric));
    ICF_TRY(read_size(g, &n));
    ICF_TRY(check_count(g, n, 8, icf_number_bytes(g->size_type) + 24, "nodes"));
    if (dimension < 0 || dimension > 3)
        return icf_mesh_fail(g->source, "nodes of dimension %lld", (long long)dimension);
    if (n > INT32_MAX - g->mesh->nvertex) return icf_mesh_fail(g->source, "there are more than %d nodes", INT32_MAX);
    for (icf_lid i = 0; i < n; ++i) ICF_TRY(read_node_tag(g, g->size_type, i));
    for (icf_lid i = 0; i < n; ++i) {
        ICF_TRY(read_position(g));
        ICF_TRY(skip_numbers(g, ICF_NUMBER_FLOAT64, parametric ? dimension : 0));
    }
    return ICF_OK;
}

/* Header of the Nodes and Elements sections of version 4.1. */
static icf_status read_block_counts(gmsh *g, int64_t *nblock, int64_t *n)
{
    int64_t lowest, highest;
    ICF_TRY(read_size(g, nblock));
    ICF_TRY(read_size(g, n));
    ICF_TRY(read_size(g, &lowest));
    ICF_TRY(read_size(g, &highest));
    return check_count(g, *nblock, 8, 12 + icf_number_bytes(g->size_type), "blocks");
}

static icf_status read_nodes_of_version4(gmsh *g)
{
    int64_t nblock, n;
    ICF_TRY(read_block_counts(g, &nblock, &n));
    for (int64_t block = 0; block < nblock; ++block) ICF_TRY(read_node_block(g));
    if (n == g->mesh->nvertex) return ICF_OK;
    return icf_mesh_fail(g->source, "%lld nodes are announced, %d found", (long long)n, g->mesh->nvertex);
}

/* Count before the numbers of a section of version 2.2: text, and in a binary file the rest of its line. */
static icf_status read_text_count(gmsh *g, int64_t *n)
{
    char rest[ICF_MESH_WORD_BYTES];
    ICF_TRY(icf_mesh_text_integer(g->source, n));
    if (g->source->binary) icf_mesh_line(g->source, sizeof rest, rest);
    return ICF_OK;
}

static icf_status read_nodes_of_version2(gmsh *g)
{
    int64_t n;
    ICF_TRY(read_text_count(g, &n));
    ICF_TRY(check_count(g, n, 8, 28, "nodes"));
    for (int64_t i = 0; i < n; ++i) {
        ICF_TRY(read_node_tag(g, ICF_NUMBER_INT32, 0));
        ICF_TRY(read_position(g));
    }
    return ICF_OK;
}

static icf_status read_nodes(gmsh *g)
{
    if (g->has_nodes) return icf_mesh_fail(g->source, "a second section of nodes");
    g->has_nodes = true;
    ICF_TRY(g->version4 ? read_nodes_of_version4(g) : read_nodes_of_version2(g));
    ICF_TRY(map_sort(&g->nodes));
    for (size_t i = 1; i < g->nodes.n; ++i)
        if (g->nodes.items[i].key == g->nodes.items[i - 1].key)
            return icf_mesh_fail(g->source, "two nodes have the number %llu",
                                 (unsigned long long)g->nodes.items[i].key);
    return ICF_OK;
}

/* --- $Elements --- */

static icf_status get_element_type(gmsh *g, int64_t number, element_type *type)
{
    const int64_t n = (int64_t)(sizeof element_types / sizeof *element_types);
    if (number < 0 || number >= n || element_types[number].nnode == 0)
        return icf_mesh_fail(g->source, "element type %lld is not known", (long long)number);
    *type = element_types[number];
    if (!type->curved_tet) return ICF_OK;
    return icf_mesh_fail(g->source, "tetrahedra of higher order (%d nodes) are not read; save the mesh with order 1",
                         type->nnode);
}

/* The vertices of an element, from the tags that follow. */
static icf_status read_vertices(gmsh *g, int n, icf_number_type type, icf_lid *vertex)
{
    for (int i = 0; i < n; ++i) {
        int64_t tag;
        ICF_TRY(icf_mesh_integer(g->source, type, &tag));
        const size_t at = map_find(&g->nodes, (uint64_t)tag);
        if (tag < 0 || at == g->nodes.n || g->nodes.items[at].key != (uint64_t)tag)
            return icf_mesh_fail(g->source, "an element has node %lld, which is not there", (long long)tag);
        vertex[i] = g->nodes.items[at].value;
    }
    return ICF_OK;
}

/* Puts an element into the group at a place of a map, and those that follow with the same key. */
static icf_status add_to_groups(gmsh *g, const key_map *map, uint64_t key, int64_t number, int n, const icf_lid *vertex)
{
    for (size_t at = map_find(map, key); at < map->n && map->items[at].key == key; ++at) {
        icf_mesh_group *group = &g->mesh->group[map->items[at].value];
        if (number == type_triangle)
            ICF_TRY(icf_mesh_group_add_triangle(group, vertex[0], vertex[1], vertex[2]));
        else
            for (int i = 0; i < n; ++i) ICF_TRY(icf_mesh_group_add_vertex(group, vertex[i]));
    }
    return ICF_OK;
}

static icf_status add_if_tet(gmsh *g, int64_t number, const icf_lid *vertex)
{
    if (number != type_tet) return ICF_OK;
    return icf_tet_mesh_add_tet(g->mesh, vertex[0], vertex[1], vertex[2], vertex[3]);
}

/* A block of elements of version 4.1. */
static icf_status read_element_block(gmsh *g, int64_t *total)
{
    int64_t dimension, entity, number, n, tag;
    element_type type = {0};
    icf_lid vertex[nodes_of_element_max] = {0};
    ICF_TRY(read_int(g, &dimension));
    ICF_TRY(read_int(g, &entity));
    ICF_TRY(read_int(g, &number));
    ICF_TRY(read_size(g, &n));
    ICF_TRY(get_element_type(g, number, &type));
    const size_t numbers = (size_t)type.nnode + 1;
    ICF_TRY(check_count(g, n, 2 * numbers, numbers * icf_number_bytes(g->size_type), "elements"));
    for (int64_t i = 0; i < n; ++i) {
        ICF_TRY(read_size(g, &tag));
        ICF_TRY(read_vertices(g, type.nnode, g->size_type, vertex));
        ICF_TRY(add_if_tet(g, number, vertex));
        ICF_TRY(add_to_groups(g, &g->entities, entity_key(type.dimension, entity), number, type.nnode, vertex));
    }
    *total += n;
    return ICF_OK;
}

static icf_status read_elements_of_version4(gmsh *g)
{
    int64_t nblock, n, total = 0;
    ICF_TRY(read_block_counts(g, &nblock, &n));
    for (int64_t block = 0; block < nblock; ++block) ICF_TRY(read_element_block(g, &total));
    if (n == total) return ICF_OK;
    return icf_mesh_fail(g->source, "%lld elements are announced, %lld found", (long long)n, (long long)total);
}

/* What stands before the elements of version 2.2: as text before each, in a binary file before several. */
static icf_status read_element_header(gmsh *g, int64_t *tag, int64_t *number, int64_t *n, int64_t *ntag)
{
    *tag = 0;
    *n = 1;
    if (!g->source->binary) ICF_TRY(read_int(g, tag));
    ICF_TRY(read_int(g, number));
    if (g->source->binary) ICF_TRY(read_int(g, n));
    ICF_TRY(read_int(g, ntag));
    ICF_TRY(check_count(g, *ntag, 2, 4, "tags of an element"));
    return check_count(g, *n, 1, 8, "elements");
}

/* An element of version 2.2 behind its header: tags, of which the first is the physical one, then nodes. */
static icf_status read_element(gmsh *g, int64_t number, const element_type *type, int64_t ntag)
{
    int64_t tag, physical = 0;
    icf_lid vertex[nodes_of_element_max] = {0};
    if (g->source->binary) ICF_TRY(read_int(g, &tag));
    if (ntag > 0) ICF_TRY(read_int(g, &physical));
    ICF_TRY(skip_numbers(g, ICF_NUMBER_INT32, ntag - 1));
    ICF_TRY(read_vertices(g, type->nnode, ICF_NUMBER_INT32, vertex));
    ICF_TRY(add_if_tet(g, number, vertex));
    const uint64_t key = entity_key(type->dimension, physical < 0 ? -physical : physical);
    return physical == 0 ? ICF_OK : add_to_groups(g, &g->physicals, key, number, type->nnode, vertex);
}

static icf_status read_elements_of_version2(gmsh *g)
{
    int64_t total, tag, number, n, ntag;
    ICF_TRY(read_text_count(g, &total));
    ICF_TRY(check_count(g, total, 8, 8, "elements"));
    for (int64_t found = 0; found < total; found += n) {
        element_type type = {0};
        ICF_TRY(read_element_header(g, &tag, &number, &n, &ntag));
        ICF_TRY(get_element_type(g, number, &type));
        if (n < 1 || n > total - found)
            return icf_mesh_fail(g->source, "%lld elements where at most %lld are expected", (long long)n,
                                 (long long)(total - found));
        for (int64_t i = 0; i < n; ++i) ICF_TRY(read_element(g, number, &type, ntag));
    }
    return ICF_OK;
}

static icf_status read_elements(gmsh *g)
{
    if (!g->has_nodes) return icf_mesh_fail(g->source, "elements come before the nodes");
    g->has_elements = true;
    return g->version4 ? read_elements_of_version4(g) : read_elements_of_version2(g);
}

/* --- sections --- */

/* Moves to the end mark of a section that is not read. */
static icf_status skip_section(icf_mesh_source *source, const char *end_mark)
{
    const size_t length = strlen(end_mark);
    const char *at = source->data + source->at, *end = source->data + source->n;
    while ((at = memchr(at, '$', (size_t)(end - at))) && (size_t)(end - at) >= length) {
        if (memcmp(at, end_mark, length) == 0) {
            source->at = (size_t)(at - source->data);
            return ICF_OK;
        }
        ++at;
    }
    return icf_mesh_fail(source, "%s is missing", end_mark);
}

/* Sections whose numbers are bytes in a binary file. */
static const struct {
    const char *name;
    icf_status (*read)(gmsh *g);
    bool may_be_binary, version4;
} sections[] = {{"$PhysicalNames", read_physical_names, false, false},
                {"$Entities", read_entities, true, true},
                {"$Nodes", read_nodes, true, false},
                {"$Elements", read_elements, true, false}};

static icf_status read_section(gmsh *g, const char *name, const char *end_mark)
{
    icf_mesh_source *source = g->source;
    if (strcmp(name, "$PartitionedEntities") == 0)
        return icf_mesh_fail(source, "a mesh cut for several processes is not read; save it as one");
    for (size_t s = 0; s < sizeof sections / sizeof *sections; ++s) {
        if (strcmp(name, sections[s].name) != 0 || (sections[s].version4 && !g->version4)) continue;
        char rest[ICF_MESH_WORD_BYTES];
        source->binary = g->binary && sections[s].may_be_binary;
        if (source->binary) icf_mesh_line(source, sizeof rest, rest);
        ICF_TRY(sections[s].read(g));
        source->binary = false;
        return expect_word(source, end_mark);
    }
    ICF_TRY(skip_section(source, end_mark));
    return expect_word(source, end_mark);
}

static icf_status read_sections(gmsh *g)
{
    char name[ICF_MESH_WORD_BYTES], end_mark[ICF_MESH_WORD_BYTES + 4];
    ICF_TRY(expect_word(g->source, "$MeshFormat"));
    ICF_TRY(read_format(g));
    ICF_TRY(expect_word(g->source, "$EndMeshFormat"));
    for (icf_mesh_word(g->source, name); name[0] != '\0'; icf_mesh_word(g->source, name)) {
        if (name[0] != '$') return icf_mesh_fail(g->source, "'%s' where a section is expected", name);
        snprintf(end_mark, sizeof end_mark, "$End%s", name + 1);
        ICF_TRY(read_section(g, name, end_mark));
    }
    if (g->has_elements) return ICF_OK;
    return icf_mesh_fail(g->source, "the file ends without a section of elements");
}

icf_status icf_read_gmsh(icf_mesh_source *source, icf_tet_mesh *mesh)
{
    gmsh g = {.source = source, .mesh = mesh};
    const icf_status status = read_sections(&g);
    icf_free(g.nodes.items);
    icf_free(g.physicals.items);
    icf_free(g.entities.items);
    return status;
}
