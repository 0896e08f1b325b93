/* Data of a report as parts of the page: JSON, and lists of numbers packed as base64. */
#ifndef ICF_IO_REPORT_DATA_H
#define ICF_IO_REPORT_DATA_H

#include <jansson.h>

#include "io/report_warnings.h"

/* Appends an element <script id="..."> with JSON, or with packed bytes. */
ICF_MUST_CHECK icf_status icf_report_put_json(icf_context *context, icf_text *page, const char *id,
                                              const json_t *object);
void icf_report_put_packed(icf_text *page, const char *id, const icf_report_pack *pack);

/* What does not fit into JSON:
 *   "bodies"  id (float64), size x y z, mass (float32), then shape, moves (uint8), a list of nbody each, size by body
 *   "meshes"  for rigid, then soft: body (int32), triangles (int32, 3 each), rigid only: local (float32, 3 each)
 *   "stats"   columns of nline float64
 * Numbers are as they lie in memory: little-endian on every machine that icf runs on. */
ICF_MUST_CHECK icf_status icf_report_pack_bodies(icf_report_run *run, icf_report_pack *pack);
ICF_MUST_CHECK icf_status icf_report_pack_meshes(icf_report_run *run, icf_report_pack *pack);
ICF_MUST_CHECK icf_status icf_report_pack_stats(icf_context *context, const icf_report_stats *stats,
                                                icf_report_pack *pack);

/* The JSON part; `texts` holds "summary", "job", "sceneText" where there are some.  NULL when out of memory. */
json_t *icf_report_meta(const icf_report_facts *facts, const json_t *texts, const char *program);

#endif
