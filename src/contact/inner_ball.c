/* Balls inside of bodies. */
#include "contact/inner_ball.h"

#include <math.h>

static double smallest(icf_vec3 v)
{
    return fmin(v.x, fmin(v.y, v.z));
}

/* Half the smallest width along the axes of the body's frame, which the ball's radius is not above; 0 for shapes
 * without a ball. */
static double half_width(const icf_shape *shape)
{
    switch (shape->type) {
    case ICF_SHAPE_CAPSULE: return shape->radius;
    case ICF_SHAPE_CYLINDER: return fmin(shape->radius, shape->half);
    case ICF_SHAPE_BOX:
    case ICF_SHAPE_ELLIPSOID:
    case ICF_SHAPE_CONVEX: return smallest(shape->extent);
    default: return 0.0;
    }
}

/* Distance of the nearest face. */
static double polytope_radius(const icf_polytope *polytope)
{
    double radius = INFINITY;
    for (int32_t f = 0; f < polytope->nface; ++f) radius = fmin(radius, polytope->offset[f]);
    return fmax(0.0, radius);
}

double icf_inner_radius(const icf_shape *shape, const icf_solid *solids)
{
    return shape->type == ICF_SHAPE_CONVEX ? polytope_radius(&solids[shape->index].polytope) : half_width(shape);
}

bool icf_inner_ball_matters(const icf_shape *shape, double travel, double depth)
{
    const double width = half_width(shape);
    return width > 0.0 && (travel > (shape->type == ICF_SHAPE_CONVEX ? 0.5 : 1.0) * width || depth > 0.25 * width);
}
