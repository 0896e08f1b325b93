/* Numbers, texts and flow mappings as YAML that every reader takes for the same.  Errors of the stream are left to its
 * owner.  Local.
 */
#ifndef ICF_IO_YAML_WRITE_H
#define ICF_IO_YAML_WRITE_H

#include <stdio.h>

#include "base/vec.h"

/* The fewest digits that read back to the same bits. */
void icf_yaml_number(FILE *file, double value);

/* [x, y, z] */
void icf_yaml_vec3(FILE *file, icf_vec3 v);

/* Writes a text as a YAML scalar: plain when every reader takes it for this text, else double-quoted. */
void icf_yaml_text(FILE *file, const char *text);

/* A flow mapping {key: value, ...} on the way to a file. */
typedef struct icf_flow {
    FILE *file;
    const char *separator; /* before the next key */
} icf_flow;

icf_flow icf_flow_begin(FILE *file);
void icf_flow_end(icf_flow *out);

/* A key, whose value is to be written next. */
void icf_flow_key(icf_flow *out, const char *key);

/* A key and its value: a number, n numbers, a word as it is, a text, a vector. */
void icf_flow_number(icf_flow *out, const char *key, double value);
void icf_flow_numbers(icf_flow *out, const char *key, int n, const double *value);
void icf_flow_word(icf_flow *out, const char *key, const char *word);
void icf_flow_text(icf_flow *out, const char *key, const char *text);
void icf_flow_vec3(icf_flow *out, const char *key, icf_vec3 v);

#endif
