/* A small scene for the tests of results and checkpoints: a floor, balls, boxes, capsules and a prescribed
 * box whose states and contacts are a made-up function of the step, so that any step can be produced at once.
 * Bodies are spread over the ranks; works on any number of them.
 */
#ifndef RESULTS_FIXTURE_H
#define RESULTS_FIXTURE_H

#include <dirent.h>
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "contact/contacts.h"
#include "io/results.h"
#include "scene/bodies.h"
#include "scene/scene.h"

/* cmocka compares floats only */
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

typedef struct fixture {
    icf_context context;
    icf_scene scene;
    icf_bodies bodies;
    icf_contacts contacts;
    char root[256]; /* temporary directory, removed at the end */
} fixture;

static inline icf_body_def fixture_def(icf_gid gid)
{
    static const char *const names[] = {"ground", "ball \"one\"", "plate"};
    icf_body_def def = icf_body_def_default();
    def.gid = gid;
    def.name = gid < 3 ? names[gid] : NULL;
    def.mass = 1.0 + (double)gid;
    def.inertia = icf_vec3_make(0.1, 0.2, 0.3);
    const double r = 0.05;
    if (gid == 0) {
        def.shape = (icf_shape){.type = ICF_SHAPE_HALF_SPACE, .normal = {0, 0, 1}};
        def.motion.type = ICF_MOTION_FIXED;
        def.mass = 0.0;
    } else if (gid == 2) {
        def.shape = (icf_shape){.type = ICF_SHAPE_BOX, .extent = {0.3, 0.2, 0.1}};
        def.motion = (icf_motion){.type = ICF_MOTION_HARMONIC, .harmonic = {{1, 0, 0}, 0.1, 1.0, 0.0}};
        def.mass = 0.0;
    } else if (gid % 3 == 1) {
        def.shape = (icf_shape){.type = ICF_SHAPE_SPHERE, .radius = r};
    } else if (gid % 3 == 2) {
        def.shape = (icf_shape){.type = ICF_SHAPE_BOX, .extent = {r, 2 * r, 3 * r}};
    } else {
        def.shape = (icf_shape){.type = ICF_SHAPE_CAPSULE, .radius = r, .half = 2 * r};
    }
    def.position = icf_vec3_make(0.3 * (double)gid, 0.0, gid == 0 ? 0.0 : 0.5);
    return def;
}

/* State of step n: exactly computable, different for every body and step. */
static inline void fixture_set_state(fixture *f, icf_cnt step)
{
    icf_bodies *b = &f->bodies;
    for (icf_lid i = 0; i < b->n; ++i) {
        if (b->motion[i].type == ICF_MOTION_FIXED) continue;
        const double s = (double)step, g = (double)b->gid[i];
        b->position[i] = icf_vec3_make(0.3 * g, 0.01 * s, 0.5 + 0.001 * s * g);
        b->orientation[i] = icf_quat_unit((icf_quat){1.0, 0.1 * s, 0.02 * g, -0.3});
        b->linear_velocity[i] = icf_vec3_make(0.1 * s, -1.0 / 3.0, g);
        b->angular_velocity[i] = icf_vec3_make(0.0, 0.2 * g, -0.1 * s);
    }
}

/* Contacts of step n: floor against every own body whose id plus n divides by 3, two features each of which
 * the second carries no impulse; none at steps that divide by 4. */
static inline void fixture_set_contacts(fixture *f, icf_cnt step)
{
    icf_contacts *c = &f->contacts;
    const icf_lid ground = icf_bodies_find(&f->bodies, 0);
    assert_int_equal(icf_contacts_resize(c, f->bodies.nowned, 2 * f->bodies.nowned), ICF_OK);
    c->npair = c->n = 0;
    for (icf_lid i = 0; i < f->bodies.nowned; ++i) {
        const icf_gid gid = f->bodies.gid[i];
        if (gid == 0 || step % 4 == 0 || (gid + step) % 3 != 0) continue;
        c->pair[c->npair] = (icf_pair){ground, i};
        c->pair_begin[c->npair++] = c->n;
        for (int feature = 0; feature < 2; ++feature) {
            const icf_lid k = c->n++;
            c->point[k] = icf_vec3_make(0.3 * (double)gid, 0.01 * (double)step, 0.0);
            c->frame[k] = (icf_mat3){{1, 0, 0, 0, 1, 0, 0, 0, 1}};
            c->distance[k] = -1e-4 * (double)gid;
            c->feature[k] = feature;
            c->impulse[k][0] = feature == 0 ? 0.003 : 0.0;
            c->impulse[k][1] = feature == 0 ? -0.004 : 0.0;
            c->impulse[k][2] = feature == 0 ? 0.01 * (double)gid : 0.0;
        }
    }
    c->pair_begin[c->npair] = c->n;
}

static inline icf_step_stats fixture_stats(const fixture *f, icf_cnt step)
{
    icf_step_stats stats = {.step = step, .time = (double)step * f->scene.time.step, .substeps = 1};
    stats.candidates = 2 * step;
    stats.active = step;
    stats.islands = step % 2;
    stats.iterations_mean = 1.0 / 3.0 * (double)step;
    stats.iterations_max = step + 1;
    stats.cost = 0.1;
    stats.contact_cost = 1e-300;
    stats.kinetic_energy = 2.0 / 3.0;
    stats.potential_energy = -1e-17 * (double)step;
    stats.penetration_max = 1e-5 * (double)step;
    stats.momentum_residual = 1e-9 / (double)(step + 1);
    stats.ms_total = 1.25;
    stats.ms[ICF_PHASE_GEOMETRY] = 0.125;
    const int rank = f->context.rank;
    stats.own = (icf_rank_stats){
        .cpu = rank + 0.5, .bodies = 1 + rank, .candidates = 2 * step, .messages = step, .bytes = 1000 * rank};
    return stats;
}

static inline void fixture_create_root(fixture *f)
{
    const char *base = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    snprintf(f->root, sizeof f->root, "%s/icf-test-XXXXXX", base);
    if (f->context.rank == 0) assert_non_null(mkdtemp(f->root));
    MPI_Bcast(f->root, (int)sizeof f->root, MPI_CHAR, 0, f->context.comm);
}

static inline void fixture_set_directory(fixture *f, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", f->root, name);
    assert_int_equal(icf_scene_set_text(&f->scene.output.directory, path), ICF_OK);
}

/* A scene of nbody bodies; the floor is owned by rank 0 and a ghost elsewhere. */
static inline void fixture_init(fixture *f, icf_cnt nbody)
{
    *f = (fixture){0};
    assert_int_equal(icf_context_init(&f->context, MPI_COMM_WORLD, 1), ICF_OK);
    assert_int_equal(icf_scene_init(&f->scene), ICF_OK);
    assert_int_equal(icf_scene_set_text(&f->scene.name, "fixture"), ICF_OK);
    f->scene.time.step = 0.01;
    f->scene.time.steps = 20;
    f->scene.output.every = 1;
    f->scene.nbody = nbody;
    icf_bodies_init(&f->bodies);
    icf_contacts_init(&f->contacts);
    for (icf_gid gid = 0; gid < nbody; ++gid) {
        const icf_body_def def = fixture_def(gid);
        if (gid % f->context.size == f->context.rank) assert_int_equal(icf_bodies_add(&f->bodies, &def, true), ICF_OK);
    }
    const icf_body_def ground = fixture_def(0);
    if (f->context.rank != 0) assert_int_equal(icf_bodies_add(&f->bodies, &ground, false), ICF_OK);
    fixture_create_root(f);
    fixture_set_directory(f, "out");
}

static inline int fixture_remove_entry(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

static inline void fixture_clear(fixture *f)
{
    icf_contacts_clear(&f->contacts);
    icf_bodies_clear(&f->bodies);
    icf_scene_clear(&f->scene);
    MPI_Barrier(f->context.comm);
    /* a test that failed may have left a small disk behind */
    char disk[300];
    snprintf(disk, sizeof disk, "%s/disk", f->root);
    (void)umount2(disk, MNT_DETACH);
    if (f->context.rank == 0) nftw(f->root, fixture_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    icf_context_clear(&f->context);
}

/* Writes steps first..last. */
static inline icf_status fixture_write(fixture *f, icf_results *results, icf_cnt first, icf_cnt last)
{
    for (icf_cnt step = first; step <= last; ++step) {
        fixture_set_state(f, step);
        fixture_set_contacts(f, step);
        const icf_step_stats stats = fixture_stats(f, step);
        const icf_contact_views contacts = {.n = 1, .view = {{.bodies = &f->bodies, .contacts = &f->contacts}}};
        ICF_TRY(icf_results_write(results, &f->bodies, step > 0 ? &contacts : NULL, &stats));
    }
    return ICF_OK;
}

/* Path of a file in the output directory; valid until the next call. */
static inline const char *fixture_path(fixture *f, const char *name, char path[512])
{
    snprintf(path, 512, "%s/%s", f->scene.output.directory, name);
    return path;
}

/* Whole file as a string (free it); NULL when there is none. */
static inline char *fixture_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    text[fread(text, 1, (size_t)size, file)] = '\0';
    fclose(file);
    return text;
}

static inline void fixture_put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* cmocka set-up and tear-down: *state is a fixture of eight bodies. */
static inline int setup_eight(void **state)
{
    fixture *f = malloc(sizeof *f);
    fixture_init(f, 8);
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    fixture_clear(*state);
    free(*state);
    return 0;
}

#endif
