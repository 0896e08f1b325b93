/* A large scene: 100,000 bodies, one a line; time and memory of reading them.  With the address sanitizer, whose
 * allocator is slow and counts nothing, it is smaller. */
#include "read_scene.h"

#include <malloc.h>

#include "base/clock.h"

#ifdef __SANITIZE_ADDRESS__
enum { nbody = 3000 };
#else
enum { nbody = 100000 };
#endif

typedef struct census {
    icf_cnt n;
    double sum;    /* of the x positions */
    size_t memory; /* largest heap in use [bytes] */
} census;

static size_t heap_in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static icf_status count_bodies(void *user, icf_cnt n, const icf_body_def *bodies)
{
    census *seen = user;
    for (icf_cnt i = 0; i < n; ++i) {
        assert_int_equal(bodies[i].gid, seen->n);
        seen->sum += bodies[i].position.x;
        ++seen->n;
    }
    const size_t memory = heap_in_use();
    seen->memory = ICF_MAX(seen->memory, memory);
    return ICF_OK;
}

static void write_scene(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("time: {step: 0.002, steps: 10}\nmaterials: {steel: {stiffness: 1.0e7}}\nbodies:\n", file);
    for (int i = 0; i < nbody; ++i)
        fprintf(file,
                "  - {name: ball%d, shape: {type: sphere, radius: 0.05}, material: steel, mass: 0.5, position: [%d, "
                "%.17g, %.17g], orientation: [1, 0, 0, 0], linear_velocity: [0, 0, 0]}\n",
                i, i, (double)i / 3.0, (double)i / 7.0);
    fprintf(file, "forces: [{body: ball%d, direction: [1, 0, 0], value: 1}]\n", nbody - 1);
    assert_int_equal(fclose(file), 0);
}

/* At most 100 bytes a body besides a chunk, which the statement of the scene file promises; the time is
 * a wide limit for slow machines. */
static void a_large_scene_is_read_in_a_stream(void **state)
{
    (void)state;
    char path[] = "/tmp/icf-test-XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    write_scene(path);
    census seen = {0};
    icf_context context = {.comm = MPI_COMM_NULL, .nthread = 1, .size = 1};
    icf_scene scene;
    const size_t before = heap_in_use();
    const double start = icf_clock_cpu();
    const icf_status status = icf_scene_read(&context, path, 0, NULL, &scene, count_bodies, &seen);
    const double seconds = icf_clock_cpu() - start;
    unlink(path);
    if (status != ICF_OK) fail_msg("%s", context.message);
    assert_int_equal(seen.n, nbody);
    assert_int_equal(scene.force[0].body, nbody - 1);
    assert_true(seen.sum == 0.5 * nbody * (nbody - 1.0));
    icf_scene_clear(&scene);
    const double bytes = seen.memory > before ? (double)(seen.memory - before) / nbody : 0.0;
    print_message("%.0f bodies/s, %.1f bytes a body\n", nbody / seconds, bytes);
    assert_true(bytes < 100.0);
    assert_true(seconds < 20.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_large_scene_is_read_in_a_stream)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
