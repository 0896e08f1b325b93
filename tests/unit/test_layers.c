/* Layers: a file includes only files of its own folder or of lower layers.
 *
 * The table is that of the architecture; every source file below src/, partition/ and io/ is read, and a
 * folder that is not in the table is an error, so that a new one gets its place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *folder;
    int layer;
} layers[] = {{"base", 0},      {"scene", 1},  {"geometry", 2}, {"contact", 3}, {"fem", 3},
              {"partition", 4}, {"solver", 5}, {"step", 6},     {"io", 7},      {"cli", 8}};

enum { text_bytes = 512 };

/* What nftw's callback, which has no argument of its own, adds up. */
static int files_read, includes_read, violations;

/* Layer of a folder; -1 when it has none. */
static int layer_of(const char *folder)
{
    for (size_t i = 0; i < sizeof layers / sizeof *layers; ++i)
        if (strcmp(layers[i].folder, folder) == 0) return layers[i].layer;
    return -1;
}

/* Copies the first part of "folder/file". */
static bool first_folder(const char *path, char folder[text_bytes])
{
    const char *slash = strchr(path, '/');
    if (!slash || slash - path >= text_bytes) return false;
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    return true;
}

/* Whether a file in `folder` may have this line. */
static bool line_is_allowed(const char *folder, const char *line)
{
    char included[text_bytes], target[text_bytes];
    if (sscanf(line, " # include \"%500[^\"]\"", included) != 1) return true;
    ++includes_read;
    if (!first_folder(included, target) || strcmp(target, folder) == 0) return true;
    return layer_of(target) >= 0 && layer_of(target) < layer_of(folder);
}

static void an_include_upwards_is_seen(void **state)
{
    (void)state;
    assert_true(line_is_allowed("solver", "#include \"partition/island.h\"\n"));
    assert_true(line_is_allowed("solver", "#include \"solver/newton.h\"\n"));
    assert_true(line_is_allowed("solver", "#include \"newton.h\"\n"));
    assert_true(line_is_allowed("base", "#include <mpi.h>\n"));
    assert_true(line_is_allowed("base", "/* #include of \"step/step.h\" */\n"));
    assert_false(line_is_allowed("scene", "#include \"geometry/collide.h\"\n"));
    assert_false(line_is_allowed("contact", "  #  include \"fem/element.h\"\n"));
    assert_false(line_is_allowed("step", "#include \"io/results.h\"\n"));
    assert_false(line_is_allowed("io", "#include \"unknown/file.h\"\n"));
}

static bool is_source(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0);
}

static void read_source(const char *path, const char *folder)
{
    char line[text_bytes];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    ++files_read;
    while (fgets(line, sizeof line, file))
        if (!line_is_allowed(folder, line)) {
            print_error("%s: %s", path, line);
            ++violations;
        }
    fclose(file);
}

static int visit(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)where;
    if (type != FTW_F || !is_source(path)) return 0;
    const char *below = path + strlen(ICF_SOURCE_DIR) + 1;
    char folder[text_bytes];
    if (strncmp(below, "src/", 4) == 0) below += 4;
    if (!first_folder(below, folder) || layer_of(folder) < 0) {
        print_error("%s is in no layer\n", path);
        ++violations;
        return 0;
    }
    read_source(path, folder);
    return 0;
}

static void every_file_keeps_to_its_layer(void **state)
{
    (void)state;
    const char *roots[] = {ICF_SOURCE_DIR "/src", ICF_SOURCE_DIR "/partition", ICF_SOURCE_DIR "/io"};
    files_read = includes_read = violations = 0;
    for (size_t i = 0; i < 3; ++i) assert_int_equal(nftw(roots[i], visit, 16, FTW_PHYS), 0);
    assert_true(files_read > 20); /* the sources were really found */
    assert_true(includes_read > files_read);
    assert_int_equal(violations, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_include_upwards_is_seen),
        cmocka_unit_test(every_file_keeps_to_its_layer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
