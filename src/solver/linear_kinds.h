/* What a kind of linear solver provides to linear_solver.c, and what it finds there.
 *
 * Private to src/solver.  A kind embeds icf_linear_solver as its first member: create takes the memory of the
 * whole object (zeroed by icf_linear_solver_alloc) and destroy releases it.  The dispatcher calls analyze only
 * with nblock > 0 and only when the pattern is new, factor only after a successful analyze of the same pattern,
 * solve only after a successful factor.  The positions diag_at and off_at and the values may change from one
 * factor to the next.
 *
 * ICF_NOT_POSITIVE_DEFINITE and ICF_NOT_CONVERGED are returned without a message (the caller can go on);
 * ICF_ERROR_MEMORY gets its message from the dispatcher; everything else is recorded by icf_fail in the kind.
 */
#ifndef ICF_SOLVER_LINEAR_KINDS_H
#define ICF_SOLVER_LINEAR_KINDS_H

#include "solver/linear_solver.h"
#include "solver/order_repair.h"
#include "solver/ordering.h"
#include "solver/symbolic.h"

typedef struct icf_linear_ops {
    const char *name;
    icf_status (*create)(icf_linear_solver **solver);
    void (*destroy)(icf_linear_solver *solver);
    icf_status (*analyze)(icf_linear_solver *solver, const icf_block_matrix *matrix);
    icf_status (*factor)(icf_linear_solver *solver, const icf_block_matrix *matrix);
    /* as factor, when only blocks that vary have changed since the last one, which succeeded; NULL: factor does */
    icf_status (*refactor)(icf_linear_solver *solver, const icf_block_matrix *matrix);
    icf_status (*solve)(icf_linear_solver *solver, const double *b, double *x);
} icf_linear_ops;

/* Own copy of the pattern of the last analysis; the arrays only grow. */
typedef struct icf_linear_pattern {
    icf_lid nblock;
    int32_t *dof; /* (nblock + 1) */
    icf_lid *ptr; /* (nblock + 1) */
    icf_lid *idx; /* (ptr[nblock]) */
    bool has_varying;
    bool *varies; /* (nblock) when has_varying */
    bool has_order;
    icf_lid *order; /* (nblock) when has_order: one to start from */
    bool repaired;  /* its order comes from that of a smaller pattern, not from the pattern alone */
    bool not_wide;  /* it is known that icf_linear_solver_analyze_cheap analyzes it */
    size_t dof_capacity, ptr_capacity, idx_capacity, varies_capacity, order_capacity;
} icf_linear_pattern;

/* Head of every kind.  Set by the dispatcher; a kind reads it, and adds to stats.iterations and stats.flops. */
struct icf_linear_solver {
    const icf_linear_ops *ops;
    icf_context *context;
    icf_linear_stats stats;
    bool single;            /* a factor of single precision will do */
    int nthread;            /* threads that a factorisation may use */
    double pcg_tolerance;   /* 0: that of pcg.c */
    icf_cnt pcg_iterations; /* most of them; 0: those of pcg.c */
    icf_linear_pattern pattern;
    bool analyzed;         /* pattern is that of a successful analysis */
    bool factored;         /* a factor of it is there */
    bool symbolic_built;   /* symbolic is that of the pattern */
    bool varying_last;     /* its order has the blocks that vary at the end */
    icf_symbolic symbolic; /* of the pattern in the cheapest order: icf_linear_solver_symbolic */
    icf_ordering ordering; /* work memory for orders */
    icf_order_repair repair;
    icf_lid *order; /* (nblock) work memory for an order: icf_linear_solver_reserve_order */
    double *vector; /* (ICF_CONJUGATE_VECTORS dofs) work memory of icf_linear_solver_solve_to */
    size_t order_capacity, vector_capacity;
};

extern const icf_linear_ops icf_block_ops; /* factor_block.c */
extern const icf_linear_ops icf_mumps_ops; /* factor_mumps.c */
extern const icf_linear_ops icf_pcg_ops;   /* pcg.c */

/* Zeroed memory of a kind's object of the given size; NULL when out of memory.  icf_free releases it. */
icf_linear_solver *icf_linear_solver_alloc(size_t bytes);

/* Makes room for solver->order (nblock of the pattern). */
ICF_MUST_CHECK icf_status icf_linear_solver_reserve_order(icf_linear_solver *solver);

/* The blocks that vary, when the order of solver->symbolic makes use of them, else NULL. */
const bool *icf_linear_solver_varying(const icf_linear_solver *solver);

/* Builds solver->symbolic for the pattern unless it is there; analyze of a kind may call it. */
ICF_MUST_CHECK icf_status icf_linear_solver_symbolic(icf_linear_solver *solver);

#endif
