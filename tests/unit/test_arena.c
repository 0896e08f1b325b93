/* Arena: alignment, merge at reset, high water, no memory taken once sizes have settled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/memory.h"

static void allocations_are_aligned_and_distinct(void **state)
{
    (void)state;
    icf_arena arena;
    icf_arena_init(&arena);
    char *a = icf_arena_alloc(&arena, 3), *b = icf_arena_alloc(&arena, 1 << 20);
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal((uintptr_t)a % ICF_ALIGNMENT, 0);
    assert_int_equal((uintptr_t)b % ICF_ALIGNMENT, 0);
    a[0] = a[2] = b[0] = b[(1 << 20) - 1] = 1;
    icf_arena_clear(&arena);
}

static void reset_merges_chunks(void **state)
{
    (void)state;
    icf_arena arena;
    icf_arena_init(&arena);
    for (int i = 0; i < 10; ++i) assert_non_null(icf_arena_alloc(&arena, 100000));
    const size_t total = arena.total;
    icf_arena_reset(&arena);
    assert_int_equal(arena.total, total);
    for (int i = 0; i < 10; ++i) assert_non_null(icf_arena_alloc(&arena, 100000));
    assert_int_equal(arena.total, total); /* one chunk was enough */
    assert_true(arena.high_water >= 1000000);
    icf_arena_clear(&arena);
}

static void absurd_size_is_refused(void **state)
{
    (void)state;
    icf_arena arena;
    icf_arena_init(&arena);
    assert_null(icf_arena_alloc(&arena, SIZE_MAX - 10));
    icf_arena_clear(&arena);
}

/* Also where memory begins to be in large pages. */
static void any_size_is_aligned_and_can_be_filled(void **state)
{
    (void)state;
    const size_t page = (size_t)1 << 21, sizes[] = {1, 63, 64, 65, page - 1, page, page + 1, 2 * page, 5 * page + 7};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        unsigned char *memory = icf_alloc(sizes[k]);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % ICF_ALIGNMENT, 0);
        memory[0] = 1;
        memory[sizes[k] - 1] = 2;
        icf_free(memory);
    }
    assert_null(icf_alloc(0));
    assert_null(icf_alloc(SIZE_MAX - 10));
}

static void grow_keeps_contents_and_at_least_doubles(void **state)
{
    (void)state;
    int *array = NULL;
    size_t capacity = 0;
    assert_int_equal(ICF_GROW(array, capacity, 20), ICF_OK);
    for (int i = 0; i < 20; ++i) array[i] = i;
    assert_int_equal(ICF_GROW(array, capacity, 21), ICF_OK);
    assert_true(capacity >= 40);
    for (int i = 0; i < 20; ++i) assert_int_equal(array[i], i);
    assert_int_equal(ICF_GROW(array, capacity, SIZE_MAX / 2), ICF_ERROR_MEMORY);
    ICF_FREE(array);
    assert_null(array);
}

static void renewed_memory_at_least_doubles_and_is_gone_when_there_is_none(void **state)
{
    (void)state;
    int *array = NULL;
    size_t capacity = 0;
    assert_int_equal(ICF_RENEW(array, capacity, 20), ICF_OK);
    int *const first = array;
    assert_int_equal(ICF_RENEW(array, capacity, 20), ICF_OK);
    assert_ptr_equal(array, first);
    assert_int_equal(ICF_RENEW(array, capacity, 21), ICF_OK);
    assert_true(capacity >= 40);
    assert_int_equal((uintptr_t)array % ICF_ALIGNMENT, 0);
    array[capacity - 1] = 1;
    assert_int_equal(ICF_RENEW(array, capacity, SIZE_MAX / 2), ICF_ERROR_MEMORY);
    assert_null(array);
    assert_int_equal(capacity, 0);
    assert_int_equal(ICF_RENEW(array, capacity, 1), ICF_OK);
    ICF_FREE(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_aligned_and_distinct),
        cmocka_unit_test(reset_merges_chunks),
        cmocka_unit_test(absurd_size_is_refused),
        cmocka_unit_test(any_size_is_aligned_and_can_be_filled),
        cmocka_unit_test(grow_keeps_contents_and_at_least_doubles),
        cmocka_unit_test(renewed_memory_at_least_doubles_and_is_gone_when_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
