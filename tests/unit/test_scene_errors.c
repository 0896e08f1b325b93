/* Errors of scenes: every file of tests/scenes/bad gives exactly the messages that it states.
 *
 * A file states them in lines "# expect: LINE:COLUMN: message" at its beginning, or, where it cannot hold
 * comments, in a neighbour NAME.expect without the "# expect: ".
 */
#include "read_scene.h"

#include <dirent.h>

#define BAD ICF_SOURCE_DIR "/tests/scenes/bad/"

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) < (1 << 16) - 1);
    fclose(file);
    return text;
}

/* The messages that a file states, with its path in front of those that have a position. */
static void expected_messages(const char *path, char *messages, size_t bytes)
{
    char neighbour[700];
    snprintf(neighbour, sizeof neighbour, "%s.expect", path);
    char *text = read_whole(neighbour);
    const char *prefix = text ? "" : "# expect: ";
    if (!text) text = read_whole(path);
    assert_non_null(text);
    size_t used = 0;
    for (char *line = strtok(text, "\n"); line && strncmp(line, prefix, strlen(prefix)) == 0;
         line = strtok(NULL, "\n")) {
        const char *message = line + strlen(prefix);
        const bool placed = message[0] >= '0' && message[0] <= '9';
        used += (size_t)snprintf(messages + used, bytes - used, "%s%s%s%s", used > 0 ? "\n" : "", placed ? path : "",
                                 placed ? ":" : "", message);
    }
    free(text);
    if (used == 0) fail_msg("%s states no message", path);
}

static void wrong_scenes_give_their_messages(void **state)
{
    (void)state;
    static char expected[1 << 16];
    DIR *directory = opendir(BAD);
    assert_non_null(directory);
    assert_int_equal(chdir(BAD), 0); /* short names in the messages */
    int n = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || (strcmp(end, ".yaml") != 0 && strcmp(end, ".json") != 0)) continue;
        expected_messages(entry->d_name, expected, sizeof expected);
        read_scene *read = read_scene_file(entry->d_name, 0, NULL);
        if (read->status != ICF_ERROR_SCENE || strcmp(read->context.message, expected) != 0)
            fail_msg("%s gives\n%s\ninstead of\n%s", entry->d_name, read->context.message, expected);
        read_scene_free(read);
        ++n;
    }
    closedir(directory);
    assert_true(n >= 50);
}

/* A file that cannot be read is another failure than a wrong one, and names its cause. */
static void unreadable_files_are_named(void **state)
{
    (void)state;
    read_scene *missing = read_scene_file("/no/such/scene.yaml", 0, NULL);
    assert_int_equal(missing->status, ICF_ERROR_FILE);
    assert_string_equal(missing->context.message, "/no/such/scene.yaml: cannot be read: No such file or directory");
    read_scene_free(missing);
    read_scene *directory = read_scene_file("/tmp", 0, NULL);
    assert_int_equal(directory->status, ICF_ERROR_FILE);
    assert_string_equal(directory->context.message, "/tmp: cannot be read: Is a directory");
    read_scene_free(directory);
}

/* Nesting costs libyaml quadratic time: a million levels must end at once, in every style. */
static void deep_nesting_ends_at_once(void **state)
{
    (void)state;
    static const char *const pieces[] = {"[", "{a: ", "- ", "? "};
    for (int i = 0; i < 4; ++i) {
        const size_t n = 1000000, length = strlen(pieces[i]);
        char *text = malloc(n * length + 1);
        for (size_t j = 0; j < n; ++j) memcpy(text + j * length, pieces[i], length);
        text[n * length] = '\0';
        read_scene *read = read_scene_text(text, 0, NULL);
        assert_int_equal(read->status, ICF_ERROR_SCENE);
        assert_non_null(strstr(read->context.message, "nested deeper than 64 levels"));
        read_scene_free(read);
        free(text);
    }
}

/* Long texts are cut in messages, between characters. */
static void long_texts_are_cut(void **state)
{
    (void)state;
    char text[3000] = "time: {step: 0.01, steps: 1}\ncontact: {model: \"";
    for (int i = 0; i < 500; ++i) strcat(text, "\xe2\x82\xac"); /* a sign of three bytes: 40 is inside of one */
    strcat(text, "\"}\nbodies: []\n");
    read_scene *read = read_scene_text(text, 0, NULL);
    char expected[200] = "scene.yaml:2:18: contact.model: must be sap, lagged or similar, got \"";
    for (int i = 0; i < 13; ++i) strcat(expected, "\xe2\x82\xac");
    strcat(expected, "...\"");
    assert_string_equal(read->context.message, expected);
    read_scene_free(read);
}

/* A scene cut off at any byte, and one with any byte changed, is read or refused, but nothing else. */
static void damaged_scenes_do_no_harm(void **state)
{
    (void)state;
    char *good = read_whole(ICF_SOURCE_DIR "/tests/golden/anisotropic_slide_lagged.scene.json");
    assert_non_null(good);
    const size_t n = strlen(good);
    uint64_t random = 7;
    for (size_t i = 0; i < n; i += 3) {
        char *text = strdup(good);
        text[i] = '\0';
        read_scene *cut = read_scene_text(text, 0, NULL);
        assert_int_equal(cut->status, ICF_ERROR_SCENE);
        read_scene_free(cut);
        random = random * 6364136223846793005u + 1442695040888963407u;
        memcpy(text, good, n + 1);
        text[i] = (char)(1 + (random >> 56) % 255);
        read_scene *changed = read_scene_text(text, 0, NULL);
        assert_true(changed->status == ICF_OK || changed->status == ICF_ERROR_SCENE);
        assert_int_equal(changed->status == ICF_OK, changed->context.message[0] == '\0');
        read_scene_free(changed);
        free(text);
    }
    free(good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_scenes_give_their_messages), cmocka_unit_test(unreadable_files_are_named),
        cmocka_unit_test(deep_nesting_ends_at_once),        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(damaged_scenes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
