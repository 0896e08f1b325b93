/* Scalar types that carry scope.
 *
 * A local index is only valid on one rank; a global id names one entity of the whole scene on every
 * rank; a count may be larger than any local index.  Bytes are size_t.
 */
#ifndef ICF_BASE_TYPES_H
#define ICF_BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int32_t icf_lid; /* rank-local index */
typedef int64_t icf_gid; /* global id of a body, vertex or contact */
typedef int64_t icf_cnt; /* count over all ranks */

#define ICF_MIN(a, b) ((a) < (b) ? (a) : (b))
#define ICF_MAX(a, b) ((a) > (b) ? (a) : (b))

#endif
