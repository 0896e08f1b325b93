/* Writes the results of a made-up run, with a trace beside them, for check_run.py.
 *
 * usage: write_run DIRECTORY SURFACES
 */
#include "unit/results_fixture.h"

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    fixture f;
    fixture_init(&f, 8);
    char trace[512];
    assert_int_equal(icf_scene_set_text(&f.scene.output.directory, argv[1]), ICF_OK);
    fixture_path(&f, "trace.jsonl", trace);
    f.scene.output.surfaces = strtoll(argv[2], NULL, 10);
    f.scene.time.steps = 12;
    icf_results *results = NULL;
    icf_status status = icf_results_open(&f.context, &f.scene, &f.bodies, trace, -1, &results);
    if (status == ICF_OK) status = fixture_write(&f, results, 0, 12);
    if (status == ICF_OK) status = icf_results_close(&results, &f.bodies, "completed");
    if (status != ICF_OK) fprintf(stderr, "write_run: %s\n", f.context.message);
    fixture_clear(&f);
    MPI_Finalize();
    return icf_status_exit_code(status);
}
