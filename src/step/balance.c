/* When to rebalance. */
#include "step/balance.h"

#include "base/mpi_wait.h"

/* Imbalance that asks for it; steps between looks; first and longest wait. */
static const double threshold = 1.2;
static const double helped = 0.95; /* part of the old imbalance that counts as better */
enum { look_every = 10, first_wait = 10, longest_wait = 2000 };

void icf_balance_init(icf_balance *balance, const icf_scene *scene, icf_cnt step)
{
    *balance = (icf_balance){.setting = scene->parallel.rebalance, .last = step, .wait = first_wait, .imbalance = 1.0};
}

void icf_balance_add(icf_balance *balance, const icf_step_stats *stats)
{
    for (int phase = ICF_PHASE_GEOMETRY; phase <= ICF_PHASE_LINE_SEARCH; ++phase) balance->load += stats->ms[phase];
}

static void measure(icf_balance *balance, const icf_context *context)
{
    double largest = balance->load, sum = balance->load;
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, context->comm));
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, context->comm));
    balance->imbalance = sum > 0.0 ? largest * context->size / sum : 1.0;
    balance->load = 0.0;
}

bool icf_balance_wants(icf_balance *balance, const icf_context *context, icf_cnt step)
{
    if (context->size == 1 || balance->setting == ICF_REBALANCE_NEVER) return false;
    const bool fixed = balance->setting > 0;
    const icf_cnt since = step - balance->last;
    if (since % (fixed ? balance->setting : look_every) != 0) return false;
    measure(balance, context);
    if (fixed) {
        balance->last = step;
        return true;
    }
    if (balance->imbalance <= threshold || since < balance->wait) return false;
    /* one big island on one rank stays there: do not try it over and over */
    const bool useless = balance->before > 0.0 && balance->imbalance > helped * balance->before;
    balance->wait = useless ? ICF_MIN(2 * balance->wait, longest_wait) : first_wait;
    balance->before = balance->imbalance;
    balance->last = step;
    return true;
}
