/* Reads scenes in tests: from a text or a file, with the bodies kept. */
#ifndef ICF_TESTS_READ_SCENE_H
#define ICF_TESTS_READ_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/scene_reader.h"

enum { READ_BODIES_MAX = 1000 };

/* What was read. */
typedef struct read_scene {
    icf_context context; /* of this process alone, without MPI */
    icf_status status;
    icf_scene scene;
    int nbody;
    icf_body_def body[READ_BODIES_MAX]; /* names are copies */
} read_scene;

static inline icf_status read_scene_take(void *user, icf_cnt n, const icf_body_def *bodies)
{
    read_scene *read = user;
    for (icf_cnt i = 0; i < n; ++i) {
        assert_true(read->nbody < READ_BODIES_MAX);
        icf_body_def *body = &read->body[read->nbody++];
        *body = bodies[i];
        if (body->name) body->name = strdup(body->name);
    }
    return ICF_OK;
}

static inline read_scene *read_scene_file(const char *path, int noverride, const icf_override *overrides)
{
    read_scene *read = calloc(1, sizeof *read);
    assert_non_null(read);
    read->context = (icf_context){.comm = MPI_COMM_NULL, .nthread = 1, .size = 1};
    read->status = icf_scene_read(&read->context, path, noverride, overrides, &read->scene, read_scene_take, read);
    return read;
}

/* The text becomes the file scene.yaml in a directory of its own, so that messages have a known name. */
static inline read_scene *read_scene_text(const char *text, int noverride, const icf_override *overrides)
{
    char directory[] = "/tmp/icf-test-XXXXXX";
    char *back = getcwd(NULL, 0);
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chdir(directory), 0);
    FILE *file = fopen("scene.yaml", "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    read_scene *read = read_scene_file("scene.yaml", noverride, overrides);
    unlink("scene.yaml");
    assert_int_equal(chdir(back), 0);
    rmdir(directory);
    free(back);
    return read;
}

static inline void read_scene_free(read_scene *read)
{
    for (int i = 0; i < read->nbody; ++i) free((char *)read->body[i].name);
    icf_scene_clear(&read->scene);
    free(read);
}

/* The scene must be read without an error. */
static inline read_scene *read_scene_good(const char *text)
{
    read_scene *read = read_scene_text(text, 0, NULL);
    if (read->status != ICF_OK) fail_msg("%s", read->context.message);
    return read;
}

/* Index of a material by its name. */
static inline int read_scene_material(const read_scene *read, const char *name)
{
    for (int i = 0; i < read->scene.nmaterial; ++i)
        if (strcmp(read->scene.material_name[i], name) == 0) return i;
    fail_msg("there is no material %s", name);
    return -1;
}

#endif
