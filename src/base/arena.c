/* Arena: a list of chunks, merged at the reset. */
#include "base/arena.h"

#include "base/memory.h"

struct icf_arena_chunk {
    icf_arena_chunk *older;
    size_t capacity; /* bytes of data */
    _Alignas(ICF_ALIGNMENT) unsigned char data[];
};

enum { first_chunk_bytes = 1 << 16 };

void icf_arena_init(icf_arena *arena)
{
    *arena = (icf_arena){0};
}

static void free_chunks(icf_arena *arena)
{
    while (arena->chunk) {
        icf_arena_chunk *older = arena->chunk->older;
        icf_free(arena->chunk);
        arena->chunk = older;
    }
    arena->used = arena->total = 0;
}

void icf_arena_clear(icf_arena *arena)
{
    free_chunks(arena);
    icf_arena_init(arena);
}

static bool push_chunk(icf_arena *arena, size_t capacity)
{
    icf_arena_chunk *chunk = icf_alloc(sizeof(icf_arena_chunk) + capacity);
    if (!chunk) return false;
    chunk->older = arena->chunk;
    chunk->capacity = capacity;
    arena->chunk = chunk;
    arena->used = 0;
    arena->total += capacity;
    return true;
}

void icf_arena_reset(icf_arena *arena)
{
    const size_t total = arena->total;
    if (arena->chunk && arena->chunk->older) {
        free_chunks(arena);
        /* without memory the arena starts empty again, and the next allocation reports it */
        (void)push_chunk(arena, total);
    }
    arena->used = arena->live = 0;
}

void *icf_arena_alloc(icf_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) return NULL;
    const size_t rounded = (bytes + ICF_ALIGNMENT - 1) / ICF_ALIGNMENT * ICF_ALIGNMENT;
    if (!arena->chunk || arena->chunk->capacity - arena->used < rounded) {
        const size_t doubled = arena->total > first_chunk_bytes ? arena->total : first_chunk_bytes;
        if (!push_chunk(arena, rounded > doubled ? rounded : doubled)) return NULL;
    }
    void *memory = arena->chunk->data + arena->used;
    arena->used += rounded;
    arena->live += rounded;
    if (arena->live > arena->high_water) arena->high_water = arena->live;
    return memory;
}
