/* Hilbert curve by transposed coordinates (Skilling 2004, "Programming the Hilbert curve").
 *
 * From the coarsest level down, each octant turns or mirrors what lies inside of it; the turned coordinates in Gray
 * code, bits interleaved, are the place along the curve.
 */
#include "partition/hilbert.h"

#include "geometry/curve.h"

/* Undoes the turn of the octant of each level for the levels below: they are mirrored where the coordinate has the
 * level's bit, else exchanged with the first coordinate. */
static void unturn(uint32_t x[3])
{
    for (int level = ICF_HILBERT_AXIS_BITS - 1; level > 0; --level) {
        const uint32_t below = (1u << level) - 1;
        for (int k = 0; k < 3; ++k) {
            const uint32_t mirrored = (0u - (x[k] >> level & 1u)) & below;
            const uint32_t exchanged = (x[0] ^ x[k]) & below & ~mirrored;
            x[0] ^= mirrored ^ exchanged;
            x[k] ^= exchanged;
        }
    }
}

/* Each bit with the sum of all bits before it along the curve, modulo 2. */
static void encode_gray(uint32_t x[3])
{
    x[1] ^= x[0];
    x[2] ^= x[1];
    uint32_t before = x[2] >> 1;
    for (int width = 1; width < ICF_HILBERT_AXIS_BITS; width *= 2) before ^= before >> width;
    for (int k = 0; k < 3; ++k) x[k] ^= before;
}

uint64_t icf_hilbert_key(const uint32_t cell[3])
{
    uint32_t x[3] = {cell[0], cell[1], cell[2]};
    unturn(x);
    encode_gray(x);
    return icf_interleave(x[0], x[1], x[2]);
}
