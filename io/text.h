/* Text built piece by piece in memory.
 *
 * Out of memory is remembered and noticed by the owner at the end, so that the routines that append need
 * no status.  Not thread-safe.
 */
#ifndef ICF_IO_TEXT_H
#define ICF_IO_TEXT_H

#include "base/status.h"
#include "base/types.h"

typedef struct icf_text {
    char *bytes; /* not zero-terminated */
    size_t used, capacity;
    bool out_of_memory; /* something is missing */
} icf_text;

/* Appends n bytes, a string, formatted text (up to 1000 bytes), a whole number, and a number with 17
 * significant digits (which read back to the same bits). */
void icf_text_append(icf_text *text, const void *bytes, size_t n);
void icf_text_put(icf_text *text, const char *string);
__attribute__((format(printf, 2, 3))) void icf_text_print(icf_text *text, const char *format, ...);
void icf_text_put_count(icf_text *text, icf_cnt value);
void icf_text_put_number(icf_text *text, double value);

/* Releases the memory. */
void icf_text_clear(icf_text *text);

#endif
