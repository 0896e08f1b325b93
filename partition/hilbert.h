/* Hilbert curve through a cube: cells next to each other on the curve share a face. */
#ifndef ICF_PARTITION_HILBERT_H
#define ICF_PARTITION_HILBERT_H

#include <stdint.h>

enum { ICF_HILBERT_AXIS_BITS = 21, ICF_HILBERT_BITS = 3 * ICF_HILBERT_AXIS_BITS };

/* Place along the curve of a cell, below 2^ICF_HILBERT_BITS.
 *   cell [in] (3) below 2^ICF_HILBERT_AXIS_BITS */
uint64_t icf_hilbert_key(const uint32_t cell[3]);

#endif
