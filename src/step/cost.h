/* Cost model of a step on P ranks: from counts to times and memory.  Pure functions.
 *
 * A step has stages between which all ranks wait for each other, so its time is the sum of each stage's slowest rank:
 *
 *     geometry    bodies and contacts at home, again for guests
 *     solve       iterations x (assembly + factor + solve + line search) of the islands solved here
 *     finish      forces, errors and new poses of own contacts and bodies
 *     exchange    messages x latency + bytes / bandwidth + collectives x log2 P x latency + bytes of collectives
 *
 * One thread a rank; output, and ranks that share a core, are not in it.
 */
#ifndef ICF_STEP_COST_H
#define ICF_STEP_COST_H

#include "base/types.h"

/* What the machine does in a second, or rather how long things take it; docs/parallel.md says how they are measured. */
typedef struct icf_cost_rates {
    double body;          /* geometry of a body that is here: free motion, boxes, tree [s] */
    double element;       /* free motion of a tetrahedron, beside solving [s] */
    double found;         /* geometry of a contact found: narrow phase, law [s] */
    double island_body;   /* setting up the problem of a body in an island, once a step [s] */
    double assembly;      /* a contact's cost, gradient and Hessian, once an iteration [s] */
    double assembly_body; /* likewise a body's [s] */
    double flop;          /* of a factor [s] */
    double factor_body;   /* a body's share in a factor beside the operations [s] */
    double analysis;      /* a body's share in order and symbolic factor, once a step [s] */
    double solve_value;   /* a value of the factor in a solve [s] */
    double solve_body;    /* a body's share in a solve beside them [s] */
    double update;        /* a number of an update that goes to another rank of a group: packed, or added [s] */
    double line_search;   /* a contact in an evaluation of l'(alpha) [s] */
    double finish;        /* a contact or own body after the solve: forces, errors, pose [s] */
    double latency;       /* of a message, and of a step of a collective [s] */
    double bandwidth;     /* [bytes/s] */
    double peer;          /* looking at another rank, once an exchange [s] */
    double box_test;      /* testing a body or box against a rank's boxes [s] */
} icf_cost_rates;

/* Measured on one core of a 2-core Xeon (2023) with AVX-512, messages through shared memory. */
icf_cost_rates icf_cost_rates_default(void);

/* Counts of one rank. */
typedef struct icf_rank_load {
    icf_cnt bodies;           /* moving bodies it owns */
    icf_cnt dofs;             /* of them */
    icf_cnt ghosts;           /* moving bodies of other ranks that it holds */
    icf_cnt replicated;       /* bodies that do not move */
    icf_cnt drawn;            /* bodies it owns whose surfaces are written with a frame */
    icf_cnt graph_bodies;     /* bodies of the graph that it has METIS cut when the scene is rebalanced, ... */
    icf_cnt graph_pairs;      /* ... and pairs */
    icf_cnt vertices;         /* of deformable bodies that it holds: own, ghosts, guests */
    icf_cnt described;        /* vertices of all deformable bodies, whose description is on every rank */
    icf_cnt tets;             /* moved freely: of its own bodies, ghosts and guests */
    double free_flops;        /* operations of these free motions, ... */
    double free_values;       /* ... and values of the factors that are solved with */
    icf_cnt found;            /* contacts found at home: those of its bodies */
    icf_cnt contacts;         /* contacts of the islands that it solves */
    icf_cnt guests;           /* bodies of islands over several ranks that it solves, its own included */
    icf_cnt guest_contacts;   /* their contacts, which are found again */
    icf_cnt islands;          /* that it solves */
    icf_cnt spanning;         /* of them those that lie on several ranks */
    icf_cnt borrowed;         /* of them those that another rank owns */
    icf_cnt island_bodies;    /* bodies of the islands that it solves */
    icf_cnt analyzed;         /* bodies in symbolic factors that it makes: of a group's island all of them */
    icf_cnt pairs;            /* pairs of moving bodies that touch in them */
    icf_cnt largest_bodies;   /* bodies of the largest of them ... */
    icf_cnt largest_pairs;    /* ... and pairs */
    double flops;             /* of one factor of each of them */
    double largest_flops;     /* of the dearest factor */
    double values;            /* of one factor of each of them */
    double all_contacts;      /* contacts over all iterations of their islands */
    double all_bodies;        /* likewise bodies, ... */
    double all_flops;         /* ... operations of factors, ... */
    double all_values;        /* ... values of factors, ... */
    double all_evaluations;   /* ... and contacts over all evaluations of l'(alpha) */
    double largest_values;    /* doubles that the largest factor takes with its updates and parts */
    icf_cnt largest_analyzed; /* bodies and pairs of its largest symbolic factor */
    double waits;             /* stages of small sums in groups of ranks */
    double updates;           /* numbers of fronts given to or got from other ranks of groups */
    icf_cnt messages;         /* sent in a step */
    icf_cnt bytes;            /* sent in a step */
    icf_cnt group_bytes;      /* of them sent while groups solve: many short messages, in buffers of their own */
} icf_rank_load;

/* What is the same for all ranks. */
typedef struct icf_cost_step {
    int nrank;
    icf_cnt rounds;      /* until islands over rank borders are known */
    double shared_bytes; /* of the rigid surfaces, hulls and compounds, which every rank holds */
} icf_cost_step;

/* What a step costs one rank. */
typedef struct icf_rank_cost {
    double geometry, assembly, factor, solve, line_search, finish, exchange; /* [s] */
    double waiting; /* part of exchange that is spent waiting for messages [s] */
    double memory;  /* [bytes] */
} icf_rank_cost;

/* Collective operations of a step.  Exchanges are those of partition/exchange.h: one all-to-all of counts, one
 * agreement, then messages. */
typedef struct icf_cost_collectives {
    icf_cnt exchanges, reductions, gathers;
} icf_cost_collectives;

/* All zero on one rank. */
icf_cost_collectives icf_cost_count_collectives(int nrank, icf_cnt rounds);

icf_rank_cost icf_cost_rank(const icf_cost_rates *rates, const icf_cost_step *step, const icf_rank_load *load);

/* Time of the solve: assembly, factor, solve, line search [s]. */
double icf_cost_solve(const icf_rank_cost *cost);

/* CPU time of the rank outside of waiting [s]. */
double icf_cost_cpu(const icf_rank_cost *cost);

/* Time of a step: the slowest rank of each stage, added up [s].
 *   cost [in] (nrank) */
double icf_cost_total(int nrank, const icf_rank_cost *cost);

#endif
