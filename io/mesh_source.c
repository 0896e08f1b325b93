/* A mesh file in memory, read from its begin to its end. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/mesh_source_private.h"

size_t icf_number_bytes(icf_number_type type)
{
    static const size_t bytes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return bytes[type];
}

bool icf_number_is_real(icf_number_type type)
{
    return type == ICF_NUMBER_FLOAT32 || type == ICF_NUMBER_FLOAT64;
}

/* The bits of a number, sign not extended. */
static uint64_t get_bits(const char *at, size_t bytes, bool big_endian)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < bytes; ++i) {
        const size_t from = big_endian ? i : bytes - 1 - i;
        bits = bits << 8 | (unsigned char)at[from];
    }
    return bits;
}

static double real_of_bits(uint64_t bits, icf_number_type type)
{
    if (type == ICF_NUMBER_FLOAT64) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    const uint32_t half = (uint32_t)bits;
    float value;
    memcpy(&value, &half, sizeof value);
    return (double)value;
}

static int64_t integer_of_bits(uint64_t bits, icf_number_type type)
{
    switch (type) {
    case ICF_NUMBER_INT8: return (int8_t)bits;
    case ICF_NUMBER_INT16: return (int16_t)bits;
    case ICF_NUMBER_INT32: return (int32_t)bits;
    case ICF_NUMBER_INT64: return (int64_t)bits;
    default: return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
    }
}

double icf_number_real(const char *at, icf_number_type type, bool big_endian)
{
    const uint64_t bits = get_bits(at, icf_number_bytes(type), big_endian);
    return icf_number_is_real(type) ? real_of_bits(bits, type) : (double)integer_of_bits(bits, type);
}

int64_t icf_number_integer(const char *at, icf_number_type type, bool big_endian)
{
    return integer_of_bits(get_bits(at, icf_number_bytes(type), big_endian), type);
}

/* Number of the line that holds a byte. */
static size_t line_of(const icf_mesh_source *source)
{
    size_t line = 1;
    for (size_t i = 0; i < source->at; ++i) line += source->data[i] == '\n';
    return line;
}

icf_status icf_mesh_fail(const icf_mesh_source *source, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return icf_fail(source->context, ICF_ERROR_SCENE, "%s: %s %zu: %s", source->path, source->binary ? "byte" : "line",
                    source->binary ? source->at : line_of(source), text);
}

size_t icf_mesh_left(const icf_mesh_source *source)
{
    return source->n - source->at;
}

bool icf_mesh_has_zeros(const icf_mesh_source *source)
{
    return source->n > 0 && memchr(source->data, '\0', source->n);
}

static bool is_space(char c)
{
    return isspace((unsigned char)c);
}

static void skip_space(icf_mesh_source *source)
{
    while (source->at < source->n && is_space(source->data[source->at])) ++source->at;
}

void icf_mesh_word(icf_mesh_source *source, char word[ICF_MESH_WORD_BYTES])
{
    skip_space(source);
    size_t used = 0;
    for (; source->at < source->n && !is_space(source->data[source->at]); ++source->at)
        if (used + 1 < ICF_MESH_WORD_BYTES) word[used++] = source->data[source->at];
    word[used] = '\0';
}

void icf_mesh_line(icf_mesh_source *source, size_t bytes, char *line)
{
    size_t used = 0;
    for (; source->at < source->n && source->data[source->at] != '\n'; ++source->at)
        if (used + 1 < bytes) line[used++] = source->data[source->at];
    if (used > 0 && line[used - 1] == '\r') --used;
    line[used] = '\0';
    if (source->at < source->n) ++source->at;
}

/* Moves behind a number whose text ended at `end`; false when it was none. */
static bool accept_number(icf_mesh_source *source, const char *end)
{
    const char *begin = source->data + source->at;
    const size_t length = (size_t)(end - begin);
    if (length == 0 || length > icf_mesh_left(source)) return false;
    if (length < icf_mesh_left(source) && !is_space(*end)) return false;
    source->at += length;
    return true;
}

/* Failure at a word that is no number. */
static icf_status fail_at_word(icf_mesh_source *source, const char *expected)
{
    icf_mesh_source peek = *source;
    char word[ICF_MESH_WORD_BYTES];
    icf_mesh_word(&peek, word);
    if (word[0] == '\0') return icf_mesh_fail(source, "the file ends where %s is expected", expected);
    return icf_mesh_fail(source, "'%s' where %s is expected", word, expected);
}

icf_status icf_mesh_text_integer(icf_mesh_source *source, int64_t *value)
{
    skip_space(source);
    char *end;
    errno = 0;
    *value = strtoll(source->data + source->at, &end, 10);
    return errno == 0 && accept_number(source, end) ? ICF_OK : fail_at_word(source, "a whole number");
}

static icf_status text_real(icf_mesh_source *source, double *value)
{
    skip_space(source);
    char *end;
    *value = strtod(source->data + source->at, &end);
    return accept_number(source, end) ? ICF_OK : fail_at_word(source, "a number");
}

/* Address of the next bytes; NULL at the end of the file. */
static const char *take_bytes(icf_mesh_source *source, size_t bytes)
{
    if (bytes > icf_mesh_left(source)) return NULL;
    source->at += bytes;
    return source->data + source->at - bytes;
}

icf_status icf_mesh_integer(icf_mesh_source *source, icf_number_type type, int64_t *value)
{
    if (!source->binary) return icf_mesh_text_integer(source, value);
    const char *at = take_bytes(source, icf_number_bytes(type));
    if (!at) return icf_mesh_fail(source, "the file ends inside its numbers");
    *value = icf_number_integer(at, type, source->big_endian);
    return ICF_OK;
}

icf_status icf_mesh_real(icf_mesh_source *source, icf_number_type type, double *value)
{
    if (!source->binary) return text_real(source, value);
    const char *at = take_bytes(source, icf_number_bytes(type));
    if (!at) return icf_mesh_fail(source, "the file ends inside its numbers");
    *value = icf_number_real(at, type, source->big_endian);
    return ICF_OK;
}

icf_status icf_mesh_check_count(const icf_mesh_source *source, int64_t count, size_t bytes, const char *what)
{
    if (count >= 0 && count <= INT32_MAX && (uint64_t)count <= (icf_mesh_left(source) + 1) / bytes) return ICF_OK;
    return icf_mesh_fail(source, "%lld %s cannot be in the %zu bytes that follow", (long long)count, what,
                         icf_mesh_left(source));
}
