/* Name table: numbers in the order of first use, lookup, awkward names, growth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "io/name_table.h"

static size_t intern(icf_name_table *table, const char *text, size_t length, bool expect_added)
{
    size_t index;
    bool added;
    assert_int_equal(icf_name_table_intern(table, text, length, &index, &added), ICF_OK);
    assert_int_equal(added, expect_added);
    return index;
}

static void names_are_numbered_once(void **state)
{
    (void)state;
    icf_name_table table;
    icf_name_table_init(&table);
    assert_int_equal(icf_name_table_find(&table, "a", 1), -1);
    assert_int_equal(intern(&table, "a", 1, true), 0);
    assert_int_equal(intern(&table, "ab", 2, true), 1);
    assert_int_equal(intern(&table, "", 0, true), 2);
    assert_int_equal(intern(&table, "a\0b", 3, true), 3); /* bytes, not a C string */
    assert_int_equal(intern(&table, "abc", 2, false), 1);
    assert_int_equal(icf_name_table_find(&table, "a\0b", 3), 3);
    assert_int_equal(icf_name_table_find(&table, "b", 1), -1);
    assert_string_equal(icf_name_table_text(&table, 1), "ab");
    icf_name_table_clear(&table);
    assert_int_equal(icf_name_table_find(&table, "a", 1), -1);
}

static void many_names_stay_apart(void **state)
{
    (void)state;
    icf_name_table table;
    icf_name_table_init(&table);
    char name[32];
    const int n = 20000;
    for (int i = 0; i < n; ++i) {
        const int length = snprintf(name, sizeof name, "name%d", i);
        assert_int_equal(intern(&table, name, (size_t)length, true), i);
    }
    for (int i = 0; i < n; ++i) {
        const int length = snprintf(name, sizeof name, "name%d", i);
        assert_int_equal(icf_name_table_find(&table, name, (size_t)length), i);
        assert_string_equal(icf_name_table_text(&table, (size_t)i), name);
    }
    icf_name_table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_numbered_once),
        cmocka_unit_test(many_names_stay_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
