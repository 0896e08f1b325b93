/* MuJoCo, its convex contact problem with elliptic cones.  Setting: newton or cg (tolerance 1e-8, at most 100
 * iterations: its defaults).  The world is written as MJCF text, as the engine has no other way in. */
#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "peer.h"

const char peer_engine[] = "mujoco";

struct peer_world {
    mjModel *model;
    mjData *data;
};

const char *peer_version(void)
{
    return mj_versionString();
}

static void write_body(FILE *file, const peer_body *b)
{
    const double *h = b->half, *x = b->position;
    if (b->shape == PEER_GROUND)
        fprintf(file, "<geom type='plane' size='0 0 1' pos='0 0 %.17g'/>\n", x[2]);
    else if (b->shape == PEER_WALL)
        fprintf(file, "<geom type='box' size='%.17g %.17g %.17g' pos='%.17g %.17g %.17g'/>\n", h[0], h[1], h[2], x[0],
                x[1], x[2]);
    else {
        fprintf(file, "<body pos='%.17g %.17g %.17g'><freejoint/><geom mass='%.17g' ", x[0], x[1], x[2], b->mass);
        if (b->shape == PEER_SPHERE)
            fprintf(file, "type='sphere' size='%.17g'/></body>\n", b->radius);
        else
            fprintf(file, "type='box' size='%.17g %.17g %.17g'/></body>\n", h[0], h[1], h[2]);
    }
}

/* Memory that the engine wants to know beforehand: room for 8 contacts a body. */
static void write_size(FILE *file, int nbody)
{
#if mjVERSION_HEADER >= 230
    fprintf(file, "<size memory='%dM'/>", 256 + nbody / 4);
#else
    fprintf(file, "<size njmax='%d' nconmax='%d' nstack='%d'/>", 24 * nbody, 8 * nbody, 10000000 + 40000 * nbody);
#endif
}

static void write_scene(FILE *file, const peer_scene *scene, const char *solver)
{
    fprintf(file, "<mujoco><option timestep='%.17g' gravity='0 0 -9.81' cone='elliptic' solver='%s'/>", scene->dt,
            solver);
    write_size(file, scene->nmoving);
    fprintf(file, "<default><geom friction='%.17g 0.005 0.0001'/></default>\n<worldbody>\n", scene->friction);
    for (int i = 0; i < scene->n; ++i) write_body(file, &scene->body[i]);
    fprintf(file, "</worldbody></mujoco>\n");
}

/* The model of a scene, through a temporary file; NULL when the engine refuses it. */
static mjModel *load(const peer_scene *scene, const char *solver)
{
    char path[] = "/tmp/icf-peer-XXXXXX.xml", why[1000] = "no temporary file";
    const int descriptor = mkstemps(path, 4);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    mjModel *model = NULL;
    if (file) {
        write_scene(file, scene, solver);
        if (fclose(file) == 0) model = mj_loadXML(path, NULL, why, sizeof why);
        unlink(path);
    }
    if (!model) fprintf(stderr, "mujoco: %s\n", why);
    return model;
}

peer_world *peer_create(const peer_scene *scene, const char *setting)
{
    const char *solver = strcmp(setting, "newton") == 0 ? "Newton" : strcmp(setting, "cg") == 0 ? "CG" : NULL;
    peer_world *w = calloc(1, sizeof *w);
    if (!solver || !w) {
        fprintf(stderr, "mujoco: the setting is newton or cg\n");
        free(w);
        return NULL;
    }
    w->model = load(scene, solver);
    w->data = w->model ? mj_makeData(w->model) : NULL;
    if (w->data) return w;
    free(w);
    return NULL;
}

void peer_step(peer_world *w)
{
    mj_step(w->model, w->data);
}

/* Iterations of the island that took most of them. */
static int most_iterations(const mjData *data)
{
#if mjVERSION_HEADER >= 300
    int most = data->solver_niter[0];
    for (int i = 1; i < data->nisland && i < mjNISLAND; ++i)
        if (data->solver_niter[i] > most) most = data->solver_niter[i];
    return most;
#else
    return data->solver_iter;
#endif
}

void peer_measure(peer_world *w, double *contacts, double *iterations, double *penetration)
{
    *contacts = w->data->ncon;
    *iterations = most_iterations(w->data);
    *penetration = 0;
    for (int i = 0; i < w->data->ncon; ++i)
        if (-w->data->contact[i].dist > *penetration) *penetration = -w->data->contact[i].dist;
}
