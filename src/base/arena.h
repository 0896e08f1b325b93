/* Arena: memory of one step.
 *
 * Allocation moves a pointer; everything is released at once by a reset.  A step that needs more than
 * the arena holds gets further chunks; the next reset replaces them by one chunk of the total size, so
 * that a settled step takes no heap memory.  Not thread-safe: one arena a thread.
 */
#ifndef ICF_BASE_ARENA_H
#define ICF_BASE_ARENA_H

#include "base/status.h"
#include "base/types.h"

typedef struct icf_arena_chunk icf_arena_chunk;

typedef struct icf_arena {
    icf_arena_chunk *chunk; /* newest chunk; older ones are linked behind it */
    size_t used;            /* bytes used of the newest chunk */
    size_t total;           /* bytes of all chunks */
    size_t high_water;      /* largest number of bytes used between two resets */
    size_t live;            /* bytes handed out since the last reset */
} icf_arena;

/* Starts empty; takes no memory. */
void icf_arena_init(icf_arena *arena);

/* Releases all memory; the arena is empty afterwards. */
void icf_arena_clear(icf_arena *arena);

/* Forgets all allocations; merges chunks into one when there is more than one. */
void icf_arena_reset(icf_arena *arena);

/* Uninitialised memory aligned to ICF_ALIGNMENT, valid until the next reset; NULL when out of memory.
 * Zero bytes give a valid pointer. */
void *icf_arena_alloc(icf_arena *arena, size_t bytes);

/* Uninitialised array of n elements of a type. */
#define ICF_ARENA_ARRAY(arena, type, n) ((type *)icf_arena_alloc((arena), (size_t)(n) * sizeof(type)))

#endif
