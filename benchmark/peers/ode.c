/* ODE: quickstep, projected successive over-relaxation.  Setting: the number of sweeps a step (its default is 20). */
#include <ode/ode.h>

#include <stdio.h>
#include <stdlib.h>

#include "peer.h"

enum { contacts_max = 8 }; /* of a pair */

const char peer_engine[] = "ode";

struct peer_world {
    dWorldID world;
    dSpaceID moving; /* spheres and boxes */
    dSpaceID fixed;  /* ground and walls */
    dJointGroupID contacts;
    double dt, friction;
    int ncontact;       /* of the last step */
    double penetration; /* of the last step [m] */
};

const char *peer_version(void)
{
    return sizeof(dReal) == 4 ? PEER_VERSION " single" : PEER_VERSION " double";
}

static void add_body(peer_world *w, const peer_body *b)
{
    const double *h = b->half, *x = b->position;
    const dSpaceID space = b->mass > 0 ? w->moving : w->fixed;
    if (b->shape == PEER_GROUND) {
        dCreatePlane(space, 0, 0, 1, x[2]);
        return;
    }
    const dGeomID geom =
        b->shape == PEER_SPHERE ? dCreateSphere(space, b->radius) : dCreateBox(space, 2 * h[0], 2 * h[1], 2 * h[2]);
    if (b->mass > 0) {
        dMass mass;
        const dBodyID body = dBodyCreate(w->world);
        if (b->shape == PEER_SPHERE)
            dMassSetSphereTotal(&mass, b->mass, b->radius);
        else
            dMassSetBoxTotal(&mass, b->mass, 2 * h[0], 2 * h[1], 2 * h[2]);
        dBodySetMass(body, &mass);
        dGeomSetBody(geom, body);
    }
    dGeomSetPosition(geom, x[0], x[1], x[2]);
}

peer_world *peer_create(const peer_scene *scene, const char *setting)
{
    const int sweeps = atoi(setting);
    peer_world *w = calloc(1, sizeof *w);
    if (sweeps < 1 || !w) {
        fprintf(stderr, "ode: the setting is a number of sweeps\n");
        free(w);
        return NULL;
    }
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    w->world = dWorldCreate();
    w->moving = dHashSpaceCreate(0);
    w->fixed = dSimpleSpaceCreate(0);
    w->contacts = dJointGroupCreate(0);
    w->dt = scene->dt;
    w->friction = scene->friction;
    dWorldSetGravity(w->world, 0, 0, -9.81);
    dWorldSetQuickStepNumIterations(w->world, sweeps);
    dWorldSetStepIslandsProcessingMaxThreadCount(w->world, 1);
    for (int i = 0; i < scene->n; ++i) add_body(w, &scene->body[i]);
    return w;
}

/* Makes contact joints of a pair that may touch. */
static void collide_pair(void *user, dGeomID a, dGeomID b)
{
    peer_world *w = user;
    dContactGeom point[contacts_max];
    if (dGeomIsSpace(a) || dGeomIsSpace(b)) {
        dSpaceCollide2(a, b, user, collide_pair);
        return;
    }
    const int n = dCollide(a, b, contacts_max, point, sizeof *point);
    for (int i = 0; i < n; ++i) {
        const dContact contact = {.surface = {.mode = dContactApprox1, .mu = w->friction}, .geom = point[i]};
        dJointAttach(dJointCreateContact(w->world, w->contacts, &contact), dGeomGetBody(a), dGeomGetBody(b));
        if (point[i].depth > w->penetration) w->penetration = point[i].depth;
    }
    w->ncontact += n;
}

void peer_step(peer_world *w)
{
    w->ncontact = 0;
    w->penetration = 0;
    dSpaceCollide(w->moving, w, collide_pair);
    dSpaceCollide2((dGeomID)w->moving, (dGeomID)w->fixed, w, collide_pair);
    dWorldQuickStep(w->world, w->dt);
    dJointGroupEmpty(w->contacts);
}

void peer_measure(peer_world *w, double *contacts, double *iterations, double *penetration)
{
    *contacts = w->ncontact;
    *iterations = dWorldGetQuickStepNumIterations(w->world);
    *penetration = w->penetration;
}
