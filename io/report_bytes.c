/* Bytes of a report. */
#include "io/report_bytes.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

void icf_report_put_count(icf_text *bytes, uint64_t value)
{
    char digits[10];
    size_t n = 0;
    for (; value >= 128; value >>= 7) digits[n++] = (char)(unsigned char)(value | 128);
    digits[n++] = (char)(unsigned char)value;
    icf_text_append(bytes, digits, n);
}

void icf_report_put_signed(icf_text *bytes, int64_t value)
{
    const uint64_t sign = value < 0 ? ~(uint64_t)0 : 0;
    icf_report_put_count(bytes, ((uint64_t)value << 1) ^ sign);
}

int64_t icf_report_float(double value, double least)
{
    enum { dropped = 13 }; /* of the 23 bits of a float */
    if (!(fabs(value) >= least) || !isfinite(value)) return 0;
    const float size = (float)fabs(value);
    uint32_t bits;
    memcpy(&bits, &size, sizeof bits);
    const int64_t rounded = (int64_t)((bits + (1U << (dropped - 1))) >> dropped);
    return value < 0.0 ? -rounded : rounded;
}

int64_t icf_report_steps(double value, double quantum)
{
    static const double most = 1073741824.0;
    const double steps = value / quantum;
    if (isnan(steps)) return 0;
    return (int64_t)llround(fmin(fmax(steps, -most), most));
}

static icf_status fail_memory(icf_context *context)
{
    return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a report");
}

icf_status icf_report_pack_begin(icf_context *context, icf_report_pack *pack)
{
    *pack = (icf_report_pack){0};
    if (deflateInit(&pack->stream, 6) != Z_OK) return fail_memory(context);
    pack->open = true;
    return ICF_OK;
}

/* Packs bytes; with Z_FINISH to the end of the stream. */
static icf_status deflate_bytes(icf_context *context, icf_report_pack *pack, const char *bytes, size_t n, int flush)
{
    enum { piece = 1 << 16 };
    char out[piece];
    z_stream *stream = &pack->stream;
    /* zlib counts in unsigned ints and does not write to its input */
    for (bool last = false; !last;) {
        const size_t part = ICF_MIN(n, (size_t)1 << 30);
        last = part == n;
        stream->next_in = (Bytef *)(uintptr_t)bytes;
        stream->avail_in = (uInt)part;
        do {
            stream->next_out = (Bytef *)out;
            stream->avail_out = piece;
            (void)deflate(stream, last ? flush : Z_NO_FLUSH);
            icf_text_append(&pack->packed, out, piece - stream->avail_out);
        } while (stream->avail_out == 0);
        bytes += part;
        n -= part;
    }
    return pack->packed.out_of_memory ? fail_memory(context) : ICF_OK;
}

icf_status icf_report_pack_add(icf_context *context, icf_report_pack *pack, icf_text *bytes)
{
    if (bytes->out_of_memory) return fail_memory(context);
    const icf_status status = deflate_bytes(context, pack, bytes->bytes, bytes->used, Z_NO_FLUSH);
    bytes->used = 0;
    return status;
}

icf_status icf_report_pack_end(icf_context *context, icf_report_pack *pack)
{
    return deflate_bytes(context, pack, NULL, 0, Z_FINISH);
}

void icf_report_pack_clear(icf_report_pack *pack)
{
    if (pack->open) deflateEnd(&pack->stream);
    icf_text_clear(&pack->packed);
    *pack = (icf_report_pack){0};
}

void icf_report_put_base64(icf_text *text, const char *bytes, size_t n)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t word = 0;
        for (size_t k = 0; k < 3; ++k) word = word << 8 | (i + k < n ? (unsigned char)bytes[i + k] : 0);
        char four[4];
        for (int k = 0; k < 4; ++k) four[k] = letters[word >> (18 - 6 * k) & 63];
        if (i + 1 >= n) four[2] = '=';
        if (i + 2 >= n) four[3] = '=';
        icf_text_append(text, four, 4);
    }
}
