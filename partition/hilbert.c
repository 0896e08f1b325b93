/* Hilbert curve by transposed coordinates (Skilling 2004, "Programming the Hilbert curve").
 *
 * From the coarsest level down, each octant turns or mirrors what lies inside of it; the turned coordinates in Gray
 * code, bits interleaved, are the place along the curve.
 */
#include "partition/hilbert.h"

/* Undoes the turn of the octant of each level for the levels below. */
static void unturn(uint32_t x[3])
{
    for (int level = ICF_HILBERT_AXIS_BITS - 1; level > 0; --level) {
        const uint32_t below = (1u << level) - 1;
        for (int k = 0; k < 3; ++k) {
            if (x[k] >> level & 1u) {
                x[0] ^= below;
            } else {
                const uint32_t differ = (x[0] ^ x[k]) & below;
                x[0] ^= differ;
                x[k] ^= differ;
            }
        }
    }
}

static void encode_gray(uint32_t x[3])
{
    x[1] ^= x[0];
    x[2] ^= x[1];
    uint32_t flip = 0;
    for (int level = ICF_HILBERT_AXIS_BITS - 1; level > 0; --level)
        if (x[2] >> level & 1u) flip ^= (1u << level) - 1;
    for (int k = 0; k < 3; ++k) x[k] ^= flip;
}

uint64_t icf_hilbert_key(const uint32_t cell[3])
{
    uint32_t x[3] = {cell[0], cell[1], cell[2]};
    unturn(x);
    encode_gray(x);
    uint64_t key = 0;
    for (int level = ICF_HILBERT_AXIS_BITS - 1; level >= 0; --level)
        for (int k = 0; k < 3; ++k) key = key << 1 | (x[k] >> level & 1u);
    return key;
}
