/* Balls inside of bodies. */
#include "contact/inner_ball.h"

#include <math.h>

/* Distance of the nearest face. */
static double polytope_radius(const icf_polytope *polytope)
{
    double radius = INFINITY;
    for (int32_t f = 0; f < polytope->nface; ++f) radius = fmin(radius, polytope->offset[f]);
    return fmax(0.0, radius);
}

double icf_inner_radius(const icf_shape *shape, const icf_solid *solids)
{
    if (shape->type == ICF_SHAPE_SPHERE) return 0.0;
    return shape->type == ICF_SHAPE_CONVEX ? polytope_radius(&solids[shape->index].polytope)
                                           : icf_shape_half_width(shape);
}

bool icf_inner_ball_matters(const icf_shape *shape, double travel, double depth)
{
    const double width = shape->type == ICF_SHAPE_SPHERE ? 0.0 : icf_shape_half_width(shape);
    return width > 0.0 && (travel > (shape->type == ICF_SHAPE_CONVEX ? 0.5 : 1.0) * width || depth > 0.25 * width);
}
