/* The clutter of ICF XII-A: the columns stand at x, y = +-0.2 m, a body every 0.11 m from z = 0.06 m on, shifted
 * at random by up to 3 mm; a linear congruential generator (Knuth's MMIX constants) draws shape and shifts. */
#include "laws/clutter.h"

const double clutter_half_width = 0.4, clutter_radius = 0.05;

static double draw(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (double)(*random >> 33) / 2147483648.0;
}

/* Four boxes 0.2 m thick and 0.8 m high; those across x close the corners. */
static void add_walls(world *w)
{
    const double half = clutter_half_width, t = 0.1, h = 0.4;
    const icf_vec3 across_x = {t, half + 2 * t, h}, across_y = {half, t, h};
    world_add(w, fixed_box_def(across_x, icf_vec3_make(-(half + t), 0, h)));
    world_add(w, fixed_box_def(across_y, icf_vec3_make(0, -(half + t), h)));
    world_add(w, fixed_box_def(across_x, icf_vec3_make(half + t, 0, h)));
    world_add(w, fixed_box_def(across_y, icf_vec3_make(0, half + t, h)));
}

void clutter_columns(world *w, icf_vec3 middle)
{
    uint64_t random = 12345;
    for (int i = 0; i < nclutter; ++i) {
        const int column = i / 10, level = i % 10;
        const double shape = draw(&random), dx = draw(&random) - 0.5, dy = draw(&random) - 0.5, r = clutter_radius;
        const icf_vec3 from_middle = {(column % 2 ? 0.2 : -0.2) + 0.006 * dx, (column / 2 ? 0.2 : -0.2) + 0.006 * dy,
                                      0.06 + 0.11 * level};
        const icf_vec3 at = icf_add(middle, from_middle);
        world_add(w, shape < 0.5 ? sphere_def(0.524, r, at) : box_def(1.0, icf_vec3_make(r, r, r), at));
    }
}

void clutter_fill(world *w)
{
    world_add(w, ground_def(icf_vec3_make(0, 0, 1)));
    add_walls(w);
    clutter_columns(w, icf_vec3_make(0, 0, 0));
}
