/* When to rebalance. */
#include "step/balance.h"

#include "base/mpi_wait.h"

/* Imbalance that asks for it; steps between looks; first and longest wait. */
static const double threshold = 1.05;
static const double helped = 0.95; /* part of the old imbalance that counts as better */
enum { look_every = 10, first_wait = 10, longest_wait = 2000 };

void icf_balance_init(icf_balance *balance, const icf_scene *scene, icf_cnt step)
{
    *balance = (icf_balance){.setting = scene->parallel.rebalance, .last = step, .wait = first_wait, .imbalance = 1.0};
}

void icf_balance_add(icf_balance *balance, double seconds)
{
    balance->load += seconds;
}

void icf_balance_done(icf_balance *balance, double seconds)
{
    balance->cost = seconds;
    balance->lost = 0.0;
}

/* Looks at the loads since the last look.
 *   cost [out] of the last rebalancing, on the rank that it took longest [s] */
static void measure(icf_balance *balance, const icf_context *context, double *cost)
{
    double largest[2] = {balance->load, balance->cost}, sum = balance->load;
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, largest, 2, MPI_DOUBLE, MPI_MAX, context->comm));
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, context->comm));
    const double mean = sum / context->size;
    balance->imbalance = mean > 0.0 ? largest[0] / mean : 1.0;
    balance->lost += largest[0] - mean;
    balance->load = 0.0;
    *cost = largest[1];
}

bool icf_balance_wants(icf_balance *balance, const icf_context *context, icf_cnt step)
{
    if (context->size == 1 || balance->setting == ICF_REBALANCE_NEVER) return false;
    const bool fixed = balance->setting > 0;
    const icf_cnt since = step - balance->last;
    double cost;
    if (since % (fixed ? balance->setting : look_every) != 0) return false;
    measure(balance, context, &cost);
    if (fixed) {
        balance->last = step;
        return true;
    }
    if (balance->imbalance <= threshold || balance->lost <= cost || since < balance->wait) return false;
    /* one big island on one rank stays there: do not try it over and over */
    const bool useless = balance->before > 0.0 && balance->imbalance > helped * balance->before;
    balance->wait = useless ? ICF_MIN(2 * balance->wait, longest_wait) : first_wait;
    balance->before = balance->imbalance;
    balance->last = step;
    return true;
}
