/* End summary of a run. */
#include "cli/summary.h"

#include <inttypes.h>

/* How far a step is from what its factorisations alone take, the floor for this method. */
static void print_floor(const icf_run_summary *s, FILE *file)
{
    const double each = s->ms[ICF_PHASE_FACTOR] * (double)s->steps / (double)s->factorizations;
    if (s->factorizations == 0 || !(each > 0.0)) return;
    fprintf(file, "floor        a step takes %.2f times its %.2f factorisations of %.4g ms (%.3g Gflop/s)\n",
            s->ms_total / s->ms[ICF_PHASE_FACTOR], (double)s->factorizations / (double)s->steps, each,
            1e-6 * s->flops / (each * (double)s->factorizations));
}

/* On one rank mean and maximum over ranks are the same number. */
static void print_times(const icf_run_summary *s, FILE *file)
{
    fprintf(file, "steps        %" PRId64 " in %.3f s wall; %.4g ms/step wall, %.4g ms/step CPU\n", s->steps, s->wall_s,
            s->ms_total, s->cpu_ms);
    fputs("  ms/step          mean        max   share\n", file);
    for (int phase = 0; phase < ICF_PHASE_COUNT; ++phase)
        fprintf(file, "  %-12s %8.4f   %8.4f  %5.1f %%\n", icf_phase_name((icf_phase)phase), s->ms[phase], s->ms[phase],
                s->ms_total > 0.0 ? 100.0 * s->ms[phase] / s->ms_total : 0.0);
    print_floor(s, file);
    fputs("imbalance    1.00 (largest over mean time of a rank)\n", file);
}

static void print_work(const icf_run_summary *s, FILE *file)
{
    fprintf(file,
            "iterations   mean %.2f, max %" PRId64 "; %" PRId64 " factorisations, %" PRId64
            " line search evaluations\n",
            s->iterations_mean, s->iterations_max, s->factorizations, s->line_search);
    if (s->group_iterations > 0)
        fprintf(file, "             %" PRId64 " iterations by groups of ranks, %.2f sums over ranks each\n",
                s->group_iterations, (double)s->group_sums / (double)s->group_iterations);
    if (s->roundoff > 0) fprintf(file, "             %" PRId64 " solves ended at round-off\n", s->roundoff);
    if (s->redone > 0) fprintf(file, "             %" PRId64 " steps were redone in substeps\n", s->redone);
    fprintf(file, "contacts     mean %.1f, max %" PRId64 "\n", s->contacts_mean, s->contacts_max);
    fprintf(file, "islands      mean %.1f, max %" PRId64 "\n", s->islands_mean, s->islands_max);
}

static void print_state(const icf_run_summary *s, FILE *file)
{
    fprintf(file, "energy       kinetic %.6g J, potential %.6g J\n", s->kinetic_energy, s->potential_energy);
    fprintf(file, "penetration  max %.4g m\n", s->penetration_max);
    fprintf(file, "momentum     relative error max %.3g\n", s->momentum_residual);
    fprintf(file, "contact laws largest errors: Signorini %.3g W, Coulomb %.3g N, dissipation %.3g W\n",
            s->error_signorini_max, s->error_coulomb_max, s->error_dissipation_max);
    fprintf(file, "memory       %.1f MB on the largest rank\n", s->peak_memory_mb);
    fprintf(file, "checksum     %016" PRIx64 "\n", s->checksum);
}

void icf_summary_print(const icf_run_summary *summary, FILE *file)
{
    print_times(summary, file);
    print_work(summary, file);
    print_state(summary, file);
}
