/* Status codes and how they travel.
 *
 * Every function that can fail returns icf_status; ICF_TRY passes a failure up.  The text of a failure
 * is recorded once, where it happens, in the context (context.h, icf_fail).
 */
#ifndef ICF_BASE_STATUS_H
#define ICF_BASE_STATUS_H

/* name, exit code of the program, text */
#define ICF_STATUS_LIST(X)                                                 \
    X(ICF_OK, 0, "success")                                                \
    X(ICF_NOT_CONVERGED, 3, "the solver did not converge")                 \
    X(ICF_NOT_POSITIVE_DEFINITE, 3, "the matrix is not positive definite") \
    X(ICF_ERROR_USAGE, 2, "wrong usage")                                   \
    X(ICF_ERROR_SCENE, 2, "wrong scene")                                   \
    X(ICF_ERROR_SOLVER, 3, "the solver could not go on")                   \
    X(ICF_ERROR_MEMORY, 3, "out of memory")                                \
    X(ICF_ERROR_FILE, 4, "a file or disk failed")                          \
    X(ICF_STOPPED, 5, "stopped by a signal")                               \
    X(ICF_ERROR_INTERNAL, 1, "internal error")

typedef enum icf_status_code {
#define X(name, exit_code, text) name,
    ICF_STATUS_LIST(X)
#undef X
} icf_status_code;

/* The result of a fallible function; an unused one is a compile-time warning. */
typedef icf_status_code icf_status;
#define ICF_MUST_CHECK __attribute__((warn_unused_result))

/* Text of a status, never NULL. */
const char *icf_status_text(icf_status status);

/* Exit code of the program for a status (docs: interface of the commands). */
int icf_status_exit_code(icf_status status);

/* Returns upward when the call fails. */
#define ICF_TRY(call)                                          \
    do {                                                       \
        const icf_status icf_try_status_ = (call);             \
        if (icf_try_status_ != ICF_OK) return icf_try_status_; \
    } while (0)

#endif
