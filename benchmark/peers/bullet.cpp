// Bullet: sequential impulses.  Setting: the number of sweeps a step (its default is 10).
#include <btBulletDynamicsCommon.h>

#include <cstdio>
#include <cstdlib>

#include "peer.h"

extern "C" {

extern const char peer_engine[];
const char peer_engine[] = "bullet";

struct peer_world {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    btScalar dt = 0;
};

const char *peer_version(void)
{
    static char text[32];
    std::snprintf(text, sizeof text, "%d.%d %s", BT_BULLET_VERSION / 100, BT_BULLET_VERSION % 100,
                  sizeof(btScalar) == 4 ? "single" : "double");
    return text;
}

// The ground is a wide box: the pairs with it then get full contact manifolds, as those with walls do.
static btCollisionShape *make_shape(const peer_body &b)
{
    const btScalar wide = 50; // m; much more would cost single precision
    const btVector3 half(btScalar(b.half[0]), btScalar(b.half[1]), btScalar(b.half[2]));
    if (b.shape == PEER_GROUND) return new btBoxShape(btVector3(wide, wide, 1));
    if (b.shape == PEER_SPHERE) return new btSphereShape(btScalar(b.radius));
    return new btBoxShape(half);
}

static void add_body(peer_world *w, const peer_body &b, double friction)
{
    const btScalar mass = btScalar(b.mass);
    const double sink = b.shape == PEER_GROUND ? 1.0 : 0.0;
    btCollisionShape *shape = make_shape(b);
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform.setOrigin(
        btVector3(btScalar(b.position[0]), btScalar(b.position[1]), btScalar(b.position[2] - sink)));
    info.m_friction = btScalar(friction);
    btRigidBody *body = new btRigidBody(info);
    body->setActivationState(DISABLE_DEACTIVATION);
    w->world.addRigidBody(body);
}

peer_world *peer_create(const peer_scene *scene, const char *setting)
{
    const int sweeps = std::atoi(setting);
    if (sweeps < 1) {
        std::fprintf(stderr, "bullet: the setting is a number of sweeps\n");
        return nullptr;
    }
    peer_world *w = new peer_world;
    w->dt = btScalar(scene->dt);
    w->world.setGravity(btVector3(0, 0, btScalar(-9.81)));
    w->world.getSolverInfo().m_numIterations = sweeps;
    for (int i = 0; i < scene->n; ++i) add_body(w, scene->body[i], scene->friction);
    return w;
}

void peer_step(peer_world *w)
{
    w->world.stepSimulation(w->dt, 0);
}

void peer_measure(peer_world *w, double *contacts, double *iterations, double *penetration)
{
    *contacts = 0;
    *iterations = w->world.getSolverInfo().m_numIterations;
    *penetration = 0;
    for (int m = 0; m < w->dispatcher.getNumManifolds(); ++m) {
        const btPersistentManifold *manifold = w->dispatcher.getManifoldByIndexInternal(m);
        *contacts += manifold->getNumContacts();
        for (int i = 0; i < manifold->getNumContacts(); ++i)
            *penetration = btMax(*penetration, double(-manifold->getContactPoint(i).getDistance()));
    }
}

} // extern "C"
