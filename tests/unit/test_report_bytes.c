/* Bytes of a report: whole numbers, rounded numbers, streams, base64. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "io/report_bytes.h"

/* Reads a whole number of 7 bits a byte. */
static uint64_t read_count(const char **bytes)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        const unsigned char byte = (unsigned char)*(*bytes)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return value;
    }
}

static int64_t read_signed(const char **bytes)
{
    const uint64_t folded = read_count(bytes);
    return folded % 2 == 0 ? (int64_t)(folded / 2) : -(int64_t)(folded / 2) - 1;
}

static void counts_come_back(void **state)
{
    (void)state;
    static const uint64_t values[] = {0, 1, 127, 128, 16383, 16384, 4294967296, UINT64_MAX};
    static const size_t lengths[] = {1, 1, 1, 2, 2, 3, 5, 10};
    icf_text bytes = {0};
    size_t length = 0;
    for (size_t i = 0; i < 8; ++i) {
        icf_report_put_count(&bytes, values[i]);
        length += lengths[i];
        assert_int_equal(bytes.used, length);
    }
    const char *next = bytes.bytes;
    for (size_t i = 0; i < 8; ++i) assert_true(read_count(&next) == values[i]);
    icf_text_clear(&bytes);
}

static void signed_numbers_come_back(void **state)
{
    (void)state;
    static const int64_t values[] = {0, -1, 1, -64, 63, 64, -65, 1 << 30, -(1LL << 32), INT64_MIN, INT64_MAX};
    icf_text bytes = {0};
    for (size_t i = 0; i < 11; ++i) icf_report_put_signed(&bytes, values[i]);
    const char *next = bytes.bytes;
    for (size_t i = 0; i < 11; ++i) assert_true(read_signed(&next) == values[i]);
    assert_true(next == bytes.bytes + bytes.used);
    icf_text_clear(&bytes);
}

/* The value that a code stands for. */
static double decode(int64_t code)
{
    const uint32_t bits = (uint32_t)(code < 0 ? -code : code) << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    return code < 0 ? -(double)value : (double)value;
}

/* 10 bits behind the leading one: half a unit of the last is 2^-11. */
static void rounded_numbers_are_near(void **state)
{
    (void)state;
    for (int k = -60; k <= 60; ++k) {
        const double value = 1.2345 * pow(1.7, k);
        assert_true(fabs(decode(icf_report_float(value, 0.0)) - value) <= ldexp(value, -11));
        assert_true(decode(icf_report_float(-value, 0.0)) == -decode(icf_report_float(value, 0.0)));
        assert_true(icf_report_float(value, 0.0) < icf_report_float(1.01 * value, 0.0));
    }
    assert_true(decode(icf_report_float(1.0, 0.0)) == 1.0);
}

static void what_is_small_or_no_number_is_zero(void **state)
{
    (void)state;
    assert_int_equal(icf_report_float(0.99e-3, 1e-3), 0);
    assert_int_equal(icf_report_float(-0.99e-3, 1e-3), 0);
    assert_true(icf_report_float(1.01e-3, 1e-3) > 0);
    assert_int_equal(icf_report_float((double)NAN, 0.0), 0);
    assert_int_equal(icf_report_float((double)INFINITY, 0.0), 0);
    assert_int_equal(icf_report_steps((double)NAN, 0.1), 0);
    assert_int_equal(icf_report_steps(0.26, 0.1), 3);
    assert_int_equal(icf_report_steps(-0.26, 0.1), -3);
    assert_int_equal(icf_report_steps(-(double)INFINITY, 0.1), -(1 << 30));
    assert_int_equal(icf_report_steps(1e300, 0.1), 1 << 30);
}

/* More bytes than zlib's buffers, in pieces. */
static void a_stream_unpacks_to_what_was_added(void **state)
{
    (void)state;
    enum { pieces = 50, length = 9000 };
    icf_context context = {0};
    icf_report_pack pack;
    icf_text all = {0}, piece = {0};
    assert_int_equal(icf_report_pack_begin(&context, &pack), ICF_OK);
    for (uint32_t k = 0; k < pieces; ++k) {
        for (uint32_t i = 0; i < length; ++i) {
            const char byte = (char)((i * 2654435761U * (k + 1)) >> 27);
            icf_text_append(&piece, &byte, 1);
        }
        icf_text_append(&all, piece.bytes, piece.used);
        assert_int_equal(icf_report_pack_add(&context, &pack, &piece), ICF_OK);
        assert_int_equal(piece.used, 0);
    }
    assert_int_equal(icf_report_pack_end(&context, &pack), ICF_OK);
    static unsigned char unpacked[pieces * length + 1];
    uLongf n = sizeof unpacked;
    assert_int_equal(uncompress(unpacked, &n, (const Bytef *)pack.packed.bytes, (uLong)pack.packed.used), Z_OK);
    assert_int_equal(n, all.used);
    assert_memory_equal(unpacked, all.bytes, all.used);
    icf_report_pack_clear(&pack);
    icf_text_clear(&all);
    icf_text_clear(&piece);
}

/* The examples of RFC 4648. */
static void base64_is_that_of_the_standard(void **state)
{
    (void)state;
    static const char *const texts[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < 7; ++i) {
        icf_text text = {0};
        icf_report_put_base64(&text, texts[i][0], strlen(texts[i][0]));
        assert_int_equal(text.used, strlen(texts[i][1]));
        if (text.used > 0) assert_memory_equal(text.bytes, texts[i][1], text.used);
        icf_text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_come_back),
        cmocka_unit_test(signed_numbers_come_back),
        cmocka_unit_test(rounded_numbers_are_near),
        cmocka_unit_test(what_is_small_or_no_number_is_zero),
        cmocka_unit_test(a_stream_unpacks_to_what_was_added),
        cmocka_unit_test(base64_is_that_of_the_standard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
