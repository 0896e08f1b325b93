/* Numbers, texts and flow mappings of YAML. */
#include "io/yaml_write.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The fewest digits that read back to the same bits.  "1.0e-05", not "1e-05": YAML 1.1 takes that for a text. */
void icf_yaml_number(FILE *file, double value)
{
    char text[40];
    if (isinf(value)) {
        fputs(value > 0.0 ? ".inf" : "-.inf", file);
        return;
    }
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (digits == 17 || strtod(text, NULL) == value) break;
    }
    const size_t mantissa = strcspn(text, "e");
    const bool needs_point = text[mantissa] == 'e' && !memchr(text, '.', mantissa);
    fprintf(file, "%.*s%s%s", (int)mantissa, text, needs_point ? ".0" : "", text + mantissa);
}

void icf_yaml_vec3(FILE *file, icf_vec3 v)
{
    fputc('[', file);
    icf_yaml_number(file, v.x);
    fputs(", ", file);
    icf_yaml_number(file, v.y);
    fputs(", ", file);
    icf_yaml_number(file, v.z);
    fputc(']', file);
}

/* Words that this or another YAML reader takes for something else than text. */
static bool is_reserved(const char *text)
{
    static const char *const words[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (strcasecmp(text, words[i]) == 0) return true;
    return false;
}

static bool is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return *end == '\0';
}

static bool is_plain(const char *text)
{
    if (!isalpha((unsigned char)text[0]) && text[0] != '_') return false;
    for (const char *c = text; *c; ++c)
        if (!isalnum((unsigned char)*c) && !strchr("_-./", *c)) return false;
    return !is_reserved(text) && !is_number(text);
}

static void write_quoted(FILE *file, const char *text)
{
    fputc('"', file);
    for (const char *c = text; *c; ++c) {
        const unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\')
            fprintf(file, "\\%c", byte);
        else if (byte < 0x20 || byte == 0x7f)
            fprintf(file, "\\x%02x", byte);
        else
            fputc(byte, file);
    }
    fputc('"', file);
}

void icf_yaml_text(FILE *file, const char *text)
{
    if (is_plain(text))
        fputs(text, file);
    else
        write_quoted(file, text);
}

icf_flow icf_flow_begin(FILE *file)
{
    return (icf_flow){file, "{"};
}

void icf_flow_key(icf_flow *out, const char *key)
{
    fprintf(out->file, "%s%s: ", out->separator, key);
    out->separator = ", ";
}

void icf_flow_number(icf_flow *out, const char *key, double value)
{
    icf_flow_key(out, key);
    icf_yaml_number(out->file, value);
}

void icf_flow_numbers(icf_flow *out, const char *key, int n, const double *value)
{
    icf_flow_key(out, key);
    for (int i = 0; i < n; ++i) {
        fputs(i == 0 ? "[" : ", ", out->file);
        icf_yaml_number(out->file, value[i]);
    }
    fputc(']', out->file);
}

void icf_flow_word(icf_flow *out, const char *key, const char *word)
{
    icf_flow_key(out, key);
    fputs(word, out->file);
}

void icf_flow_text(icf_flow *out, const char *key, const char *text)
{
    icf_flow_key(out, key);
    icf_yaml_text(out->file, text);
}

void icf_flow_vec3(icf_flow *out, const char *key, icf_vec3 v)
{
    icf_flow_key(out, key);
    icf_yaml_vec3(out->file, v);
}

void icf_flow_end(icf_flow *out)
{
    const bool empty = out->separator[0] == '{';
    fputs(empty ? "{}" : "}", out->file);
}
