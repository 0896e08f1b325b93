/* Bytes of a report: whole numbers in few bytes, packed with zlib and written as base64.
 *
 * A whole number is one or more bytes of 7 bits, the lowest first, the highest bit set in all but the last; signed ones
 * are folded (0, -1, 1, -2, ... -> 0, 1, 2, 3, ...).  Frames are written as differences, which are mostly small, and
 * what rests is mostly zeros, which zlib makes almost nothing of.  Local; not thread-safe.
 */
#ifndef ICF_IO_REPORT_BYTES_H
#define ICF_IO_REPORT_BYTES_H

#include <zlib.h>

#include "base/context.h"
#include "io/text.h"

/* Appends a whole number >= 0, and one of either sign. */
void icf_report_put_count(icf_text *bytes, uint64_t value);
void icf_report_put_signed(icf_text *bytes, int64_t value);

/* Numbers with 10 bits behind the leading one, as whole numbers that keep their order: relative error 0.05 %.
 * What is below `least` in size, or not a number, is 0. */
int64_t icf_report_float(double value, double least);

/* Steps of a quantum, at most 2^30 to either side; 0 for what is not a number. */
int64_t icf_report_steps(double value, double quantum);

/* A zlib stream that grows. */
typedef struct icf_report_pack {
    z_stream stream;
    icf_text packed;
    bool open;
} icf_report_pack;

/* Starts; appends bytes and empties them; ends.  After the end `packed` holds the whole stream.
 * ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_report_pack_begin(icf_context *context, icf_report_pack *pack);
ICF_MUST_CHECK icf_status icf_report_pack_add(icf_context *context, icf_report_pack *pack, icf_text *bytes);
ICF_MUST_CHECK icf_status icf_report_pack_end(icf_context *context, icf_report_pack *pack);
void icf_report_pack_clear(icf_report_pack *pack);

/* Appends bytes as base64. */
void icf_report_put_base64(icf_text *text, const char *bytes, size_t n);

#endif
