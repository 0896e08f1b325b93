/* The documentation of the scene file against the reader: the same keys in both, and an example that reads. */
#include "read_scene.h"

static char *read_documentation(void)
{
    FILE *file = fopen(ICF_SOURCE_DIR "/docs/scene.md", "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 17);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 17) - 1, file) < (1 << 17) - 1);
    fclose(file);
    return text;
}

/* Rows of tables whose first cell is a key: "| `key` |"; how many of them name this one. */
static int count_rows(const char *text, const char *key)
{
    char row[200];
    snprintf(row, sizeof row, "\n| `%s` |", key);
    int n = 0;
    for (const char *at = text; (at = strstr(at, row)); at += strlen(row)) ++n;
    return n;
}

static void every_key_is_documented_once(void **state)
{
    (void)state;
    char *text = read_documentation();
    int n = 0;
    for (const char *key; (key = icf_scene_reader_key(n)); ++n)
        if (count_rows(text, key) != 1) fail_msg("docs/scene.md has %d rows for %s", count_rows(text, key), key);
    assert_true(n > 80);
    assert_null(icf_scene_reader_key(-1));
    free(text);
}

static bool is_key(const char *text, size_t length)
{
    const char *key;
    for (int i = 0; (key = icf_scene_reader_key(i)); ++i)
        if (strlen(key) == length && memcmp(key, text, length) == 0) return true;
    return false;
}

static void every_documented_key_exists(void **state)
{
    (void)state;
    char *text = read_documentation();
    int n = 0;
    for (const char *at = text; (at = strstr(at, "\n| `")); ++n) {
        at += 4;
        const size_t length = strcspn(at, "`");
        if (!is_key(at, length)) fail_msg("docs/scene.md documents %.*s, which is no key", (int)length, at);
    }
    assert_true(n > 80);
    free(text);
}

static void the_example_is_a_scene(void **state)
{
    (void)state;
    char *text = read_documentation();
    char *begin = strstr(text, "```yaml\n");
    assert_non_null(begin);
    begin += strlen("```yaml\n");
    char *end = strstr(begin, "```");
    assert_non_null(end);
    *end = '\0';
    read_scene *read = read_scene_good(begin);
    assert_int_equal(read->nbody, 4);
    assert_int_equal(read->scene.nforce, 1);
    assert_int_equal(read->scene.nspring, 1);
    read_scene_free(read);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_documented_once),
        cmocka_unit_test(every_documented_key_exists),
        cmocka_unit_test(the_example_is_a_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
