/* main of every driver: list in, steps, line out. */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../measure.h"

/* Reads the numbers of a body's line behind its first word; false when they are wrong. */
static int read_body(const char *word, FILE *file, peer_body *b)
{
    double *h = b->half, *x = b->position;
    if (strcmp(word, "ground") == 0) {
        b->shape = PEER_GROUND;
        return fscanf(file, "%lf", &x[2]) == 1;
    }
    if (strcmp(word, "wall") == 0) {
        b->shape = PEER_WALL;
        return fscanf(file, "%lf %lf %lf %lf %lf %lf", &h[0], &h[1], &h[2], &x[0], &x[1], &x[2]) == 6;
    }
    if (strcmp(word, "sphere") == 0) {
        b->shape = PEER_SPHERE;
        return fscanf(file, "%lf %lf %lf %lf %lf", &b->mass, &b->radius, &x[0], &x[1], &x[2]) == 5;
    }
    if (strcmp(word, "box") == 0) {
        b->shape = PEER_BOX;
        return fscanf(file, "%lf %lf %lf %lf %lf %lf %lf", &b->mass, &h[0], &h[1], &h[2], &x[0], &x[1], &x[2]) == 7;
    }
    return 0;
}

/* Reads the list; 0 when it is wrong or there is no memory. */
static int read_scene(FILE *file, peer_scene *scene)
{
    enum { fixed_max = 64 }; /* ground and walls */
    char word[16];
    if (fscanf(file, "scene %lf %d %d %lf", &scene->dt, &scene->nstep, &scene->nmoving, &scene->friction) != 4)
        return 0;
    if (scene->nstep < 1 || scene->nmoving < 0 || scene->nmoving > 10000000) return 0;
    scene->body = calloc((size_t)scene->nmoving + fixed_max, sizeof *scene->body);
    if (!scene->body) return 0;
    while (fscanf(file, "%15s", word) == 1) {
        if (scene->n == scene->nmoving + fixed_max || !read_body(word, file, &scene->body[scene->n])) return 0;
        ++scene->n;
    }
    return 1;
}

static int run(const peer_scene *scene, peer_world *world, const char *setting, double window)
{
    icf_bench_sample *sample = calloc((size_t)scene->nstep, sizeof *sample);
    const int nwindow = (int)(window / scene->dt + 0.5);
    if (!sample) return 1;
    for (int k = 0; k < scene->nstep; ++k) {
        icf_bench_begin(&sample[k]);
        peer_step(world);
        icf_bench_end(&sample[k]);
        peer_measure(world, &sample[k].contacts, &sample[k].iterations, &sample[k].penetration);
    }
    const icf_bench_run result = {
        .engine = peer_engine,
        .version = peer_version(),
        .setting = setting,
        .nbody = scene->nmoving,
        .nthread = 1,
        .dt = scene->dt,
        .nstep = scene->nstep,
        .nwindow = nwindow < 1              ? 1
                   : nwindow > scene->nstep ? scene->nstep
                                            : nwindow,
        .sample = sample,
    };
    icf_bench_print(&result);
    printf("}\n");
    free(sample);
    return 0;
}

int main(int argc, char **argv)
{
    peer_scene scene = {0};
    if (argc != 4) {
        fprintf(stderr, "usage: %s LIST SETTING WINDOW_SECONDS\n", argv[0]);
        return 2;
    }
    FILE *file = fopen(argv[1], "r");
    const int complete = file && read_scene(file, &scene);
    if (file) fclose(file);
    if (!complete) {
        fprintf(stderr, "%s: %s is no list of bodies\n", argv[0], argv[1]);
        return 2;
    }
    /* the world lives until the process ends */
    peer_world *world = peer_create(&scene, argv[2]);
    const int code = world ? run(&scene, world, argv[2], atof(argv[3])) : 2;
    free(scene.body);
    return code;
}
