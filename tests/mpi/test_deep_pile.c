/* A deep pile of 4,000 bodies, one island, solved by all ranks together. */
#include "mpi/step_world.h"

enum { COLUMNS = 8, ROWS = 5, LAYERS = 100, PILE = COLUMNS * ROWS * LAYERS };

/* Balls and boxes by turns; each touches its neighbours and moves. */
static icf_body_def pile(icf_gid gid)
{
    const int i = (int)gid - 1, column = i % COLUMNS, row = i / COLUMNS % ROWS, layer = i / (COLUMNS * ROWS);
    const icf_vec3 at = icf_vec3_make(0.0999 * column, 0.0999 * row, 0.0499 + 0.0999 * layer);
    icf_body_def def = (column + row + layer) % 2 ? sample_sphere(gid, 0.05, at) : sample_box(gid, 0.1, at);
    def.linear_velocity = icf_vec3_make(0.02 * (i % 5 - 2), 0.03 * (i % 3 - 1), -0.1 * (i % 2));
    return def;
}

static int in_slabs(icf_gid gid, int size)
{
    return (int)((gid - 1) * size / PILE);
}

static void one_step_is_that_of_one_rank(void **state)
{
    (void)state;
    compare_group_step(PILE, pile, in_slabs);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_step_is_that_of_one_rank)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
