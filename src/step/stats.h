/* What one step did: the numbers of a line of stats.csv.  */
#ifndef ICF_STEP_STATS_H
#define ICF_STEP_STATS_H

#include "base/clock.h"
#include "base/context.h"

/* What one rank did in a step. */
typedef struct icf_rank_stats {
    double cpu;              /* CPU ms outside MPI waits */
    icf_cnt bodies;          /* owned */
    icf_cnt candidates;      /* contacts found by geometry */
    icf_cnt messages, bytes; /* sent */
} icf_rank_stats;

typedef struct icf_step_stats {
    icf_cnt step;       /* the state is that at time step * dt */
    double time;        /* s */
    icf_cnt candidates; /* contacts found by geometry */
    icf_cnt searches;   /* pairs for which geometry had to try all directions */
    icf_cnt active;     /* contacts with positive normal impulse */
    icf_cnt islands;    /* islands with at least one contact */
    icf_cnt largest_island_dofs;
    double iterations_mean; /* Newton iterations, over islands with contacts */
    icf_cnt iterations_max;
    icf_cnt line_search;          /* evaluations of l'(alpha), all islands */
    icf_cnt factorizations;       /* all islands */
    double flops;                 /* operations of these, but of those that groups of ranks share */
    icf_cnt pcg;                  /* conjugate gradient iterations, all islands */
    icf_cnt group_iterations;     /* Newton iterations of the islands that groups of ranks solved */
    icf_cnt group_sums;           /* and the sums over ranks that these took */
    icf_cnt messages, bytes;      /* sent from rank to rank; collectives on single numbers are not counted */
    icf_cnt roundoff;             /* islands that stopped at round-off (counted as converged) */
    icf_cnt emitted;              /* bodies that emitters have let in so far */
    icf_cnt waiting;              /* due bodies of emitters that found no room in the step */
    icf_cnt moved;                /* bodies that changed ranks after the step */
    icf_cnt lent;                 /* bodies of islands that other ranks solved for the only one that owns them */
    double imbalance;             /* largest over mean load of the ranks, at the last look; 1 on one rank */
    icf_cnt substeps;             /* 1, or 2^k when the step was redone in substeps */
    double cost;                  /* 1/2 |v - v*|_A^2 + contact cost, all islands [J] */
    double contact_cost;          /* all islands [J] */
    double kinetic_energy;        /* at the step's end [J] */
    double potential_energy;      /* gravity, sum of -m g.x [J] */
    double elastic_energy;        /* of deformable bodies at the step's end [J] */
    double reaction_max;          /* largest force of the supports of a deformable body [N] */
    double contact_force_max;     /* largest net contact force of a pair of bodies [N] */
    double attachment_force_max;  /* largest net force of the attachments of a pair of bodies [N] */
    double penetration_max;       /* at the step's end: phi0 + dt vn of this step's contacts [m] */
    double error_signorini_max;   /* contact laws, step/diagnose.h [W] */
    double error_coulomb_max;     /* [N] */
    double error_dissipation_max; /* [W] */
    double condition_max;         /* of the islands' Hessians, where the scene asks for it; else 0 */
    double momentum_residual;     /* SAP (32), the worst island */
    double spread;                /* CPU time of factors that groups share: it does not follow the bodies [s] */
    double ms_total;              /* wall ms of the slowest rank */
    double cpu_ms;                /* CPU ms of all threads and ranks */
    double cpu_max;               /* CPU ms outside MPI waits, of the rank with most; each rank hands in its own */
    double cpu_mean;              /* the same, mean over ranks */
    double ms[ICF_PHASE_COUNT];   /* wall ms by phase, slowest rank */
    icf_rank_stats own;           /* of this rank */
    double memory_mb;             /* peak memory so far of the largest rank [MB]; results put it in */
} icf_step_stats;

/* Puts the statistics of all ranks together: sums, maxima, and the mean of the iterations, which ranks hand in as a
 * sum.  cpu_max is each rank's own, cpu_mean is made of it; what was the rank's own stays in `own`.  Collective. */
void icf_stats_reduce(const icf_context *context, icf_step_stats *stats);

#endif
