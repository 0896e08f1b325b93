/* Text built piece by piece in memory. */
#include "io/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* Room for n more bytes; NULL when there is none. */
static char *extend(icf_text *text, size_t n)
{
    if (text->out_of_memory) return NULL;
    if (ICF_GROW(text->bytes, text->capacity, text->used + n) == ICF_OK) return text->bytes + text->used;
    text->out_of_memory = true;
    return NULL;
}

void icf_text_append(icf_text *text, const void *bytes, size_t n)
{
    char *room = extend(text, n);
    if (!room || n == 0) return;
    memcpy(room, bytes, n);
    text->used += n;
}

void icf_text_put(icf_text *text, const char *string)
{
    icf_text_append(text, string, strlen(string));
}

void icf_text_print(icf_text *text, const char *format, ...)
{
    enum { longest = 1000 };
    char *room = extend(text, longest);
    if (!room) return;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(room, longest, format, arguments);
    va_end(arguments);
    text->used += (size_t)ICF_MIN(ICF_MAX(length, 0), longest - 1);
}

void icf_text_put_count(icf_text *text, icf_cnt value)
{
    char digits[24];
    char *first = digits + sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        *--first = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) *--first = '-';
    icf_text_append(text, first, (size_t)(digits + sizeof digits - first));
}

void icf_text_put_number(icf_text *text, double value)
{
    icf_text_print(text, "%.17g", value);
}

void icf_text_clear(icf_text *text)
{
    icf_free(text->bytes);
    *text = (icf_text){0};
}
