/* The trace: one JSON object a recorded step, for small scenes, tests and scripts.
 *
 * Bodies that are not fixed by ascending id, contacts with an impulse in canonical order, numbers with 17
 * significant digits; a number that is not finite is written as null.  All ranks format their own bodies
 * and contacts; rank 0 merges and writes.
 */
#ifndef ICF_IO_TRACE_H
#define ICF_IO_TRACE_H

#include "contact/contacts.h"
#include "io/records.h"
#include "io/text_file.h"
#include "scene/scene.h"
#include "step/stats.h"

typedef struct icf_trace {
    icf_text_file file; /* open on rank 0 */
    icf_records bodies, contacts, deformables, pairs, attachments;
    const icf_scene *scene; /* borrowed */
    bool has_deformables;   /* in the scene */
    double step_size;       /* of the scene [s] */
} icf_trace;

/* Opens a trace.
 *   last_step [in] objects of a continued run up to this step are kept, but for one of this very step that
 *                  an uninterrupted run would not have written; < 0: a new file
 * Collective. */
ICF_MUST_CHECK icf_status icf_trace_open(icf_context *context, icf_trace *trace, const char *path,
                                         const icf_scene *scene, icf_cnt last_step);

/* Appends the object of a step; contacts may be NULL.  Collective. */
ICF_MUST_CHECK icf_status icf_trace_put(icf_context *context, icf_trace *trace, const icf_bodies *bodies,
                                        const icf_contact_views *contacts, const icf_step_stats *stats);

/* Flushes and closes; accepts a trace that is not open.  Collective. */
ICF_MUST_CHECK icf_status icf_trace_close(icf_context *context, icf_trace *trace);

#endif
