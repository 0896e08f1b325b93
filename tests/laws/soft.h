/* Experiments with deformable bodies: a world (world.h) that is read from the text of a scene.
 *
 * Everything asserts through cmocka.  One rank; the scene's steps are not looked at, world_step and world_run take
 * them.
 */
#ifndef ICF_TESTS_SOFT_H
#define ICF_TESTS_SOFT_H

#include "laws/world.h"
#include "scene/deformable.h"

/* Reads a scene from a text of printf and starts it; world_clear ends it. */
__attribute__((format(printf, 2, 3))) void soft_open(world *w, const char *format, ...);

/* The same, with a number of threads. */
void soft_open_text(world *w, int nthread, const char *text);

/* Text of a list of vectors as a scene takes it, of malloc. */
char *soft_list(icf_lid n, const icf_vec3 *v);

/* Local index of a body. */
icf_lid soft_find(const world *w, const char *name);

/* Deformable number d: its description, its vertices. */
const icf_deformable *soft_description(const world *w, int d);
const icf_vec3 *soft_position(const world *w, int d);
const icf_vec3 *soft_velocity(const world *w, int d);

/* Linear and angular momentum about the origin, with the consistent mass [N s], [N m s]; centre of mass [m]. */
icf_vec3 soft_momentum(const world *w, int d);
icf_vec3 soft_angular_momentum(const world *w, int d);
icf_vec3 soft_centre(const world *w, int d);

/* Largest speed of a vertex [m/s]. */
double soft_speed(const world *w, int d);

/* Impulse of the last step's contacts on deformable d [N s]. */
icf_vec3 soft_contact_impulse(const world *w, int d);

/* Force of its supports in the last step [N]. */
icf_vec3 soft_reaction(const world *w, int d);

/* Largest entry of |F^T F - 1| over the elements; *smallest is the smallest det F. */
double soft_strain(const world *w, int d, double *smallest);

#endif
