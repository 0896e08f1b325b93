/* Frames of a run, packed for a report. */
#include "io/report_movie.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* What is written as differences from frame to frame: one whole number a body, or a vertex. */
typedef struct channel {
    icf_lid n;
    int32_t *last, *before; /* (n) of the last frame; of the one before it, of places only */
} channel;

enum { AXES = 3, TURNS = 4 };

typedef struct encoder {
    icf_report_run *run;
    icf_report_frame frame;
    icf_text bytes;
    double quantum;
    channel position[AXES], turn[TURNS], speed, force, island, rank;
    channel vertex[AXES], vertex_speed, stress;
    double *sizes; /* of the forces of a frame */
    size_t size_capacity;
} encoder;

static icf_status fail_memory(icf_context *context)
{
    return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for the frames of a report");
}

/* ---- channels ---- */

/* All channels of an encoder, for what is done to each. */
enum { NCHANNEL = 2 * AXES + TURNS + 6 };

static void list_channels(encoder *e, channel *list[NCHANNEL])
{
    int n = 0;
    for (int k = 0; k < AXES; ++k) list[n++] = &e->position[k];
    for (int k = 0; k < TURNS; ++k) list[n++] = &e->turn[k];
    list[n++] = &e->speed;
    list[n++] = &e->force;
    list[n++] = &e->island;
    list[n++] = &e->rank;
    for (int k = 0; k < AXES; ++k) list[n++] = &e->vertex[k];
    list[n++] = &e->vertex_speed;
    list[n++] = &e->stress;
}

static icf_status start_channels(encoder *e)
{
    channel *list[NCHANNEL];
    list_channels(e, list);
    for (int k = 0; k < NCHANNEL; ++k) {
        const bool vertex = k >= AXES + TURNS + 4;
        list[k]->n = vertex ? e->run->soft.nvertex : e->run->nbody;
        list[k]->last = icf_alloc(((size_t)list[k]->n + 1) * sizeof *list[k]->last);
        list[k]->before = icf_alloc(((size_t)list[k]->n + 1) * sizeof *list[k]->before);
        if (!list[k]->last || !list[k]->before) return fail_memory(e->run->context);
    }
    return ICF_OK;
}

/* Forgets the frames so far. */
static void rewind_channels(encoder *e)
{
    channel *list[NCHANNEL];
    list_channels(e, list);
    for (int k = 0; k < NCHANNEL; ++k) {
        memset(list[k]->last, 0, (size_t)list[k]->n * sizeof *list[k]->last);
        memset(list[k]->before, 0, (size_t)list[k]->n * sizeof *list[k]->before);
    }
}

/* A value less the last one. */
static void put(encoder *e, channel *c, icf_lid i, int64_t value)
{
    icf_report_put_signed(&e->bytes, value - c->last[i]);
    c->last[i] = (int32_t)value;
}

/* A place less the one that it would have if it went on as it did. */
static void put_place(encoder *e, channel *c, icf_lid i, double place)
{
    const int64_t value = icf_report_steps(place, e->quantum), last = c->last[i];
    icf_report_put_signed(&e->bytes, value - (2 * last - c->before[i]));
    c->before[i] = (int32_t)last;
    c->last[i] = (int32_t)value;
}

/* ---- a frame ---- */

/* q and -q are the same orientation: the one nearer to the last is taken. */
static double nearer_sign(const encoder *e, icf_lid i, icf_quat q)
{
    const double dot =
        q.w * e->turn[0].last[i] + q.x * e->turn[1].last[i] + q.y * e->turn[2].last[i] + q.z * e->turn[3].last[i];
    return dot < 0.0 ? -32767.0 : 32767.0;
}

static void put_turns(encoder *e)
{
    const icf_quat *q = e->frame.orientation;
    double *sign = e->sizes;
    for (icf_lid i = 0; i < e->run->nbody; ++i) sign[i] = nearer_sign(e, i, q[i]);
    for (icf_lid i = 0; i < e->run->nbody; ++i) put(e, &e->turn[0], i, icf_report_steps(q[i].w * sign[i], 1.0));
    for (icf_lid i = 0; i < e->run->nbody; ++i) put(e, &e->turn[1], i, icf_report_steps(q[i].x * sign[i], 1.0));
    for (icf_lid i = 0; i < e->run->nbody; ++i) put(e, &e->turn[2], i, icf_report_steps(q[i].y * sign[i], 1.0));
    for (icf_lid i = 0; i < e->run->nbody; ++i) put(e, &e->turn[3], i, icf_report_steps(q[i].z * sign[i], 1.0));
}

static void put_bodies(encoder *e)
{
    const icf_report_frame *frame = &e->frame;
    const icf_lid n = e->run->nbody;
    for (int k = 0; k < AXES; ++k)
        for (icf_lid i = 0; i < n; ++i) put_place(e, &e->position[k], i, icf_get(frame->position[i], k));
    put_turns(e);
    /* slower than a quantum a second is at rest */
    for (icf_lid i = 0; i < n; ++i) put(e, &e->speed, i, icf_report_float(frame->speed[i], e->quantum));
    for (icf_lid i = 0; i < n; ++i) put(e, &e->force, i, icf_report_float(frame->force[i], 0.0));
    for (icf_lid i = 0; i < n; ++i) put(e, &e->island, i, frame->island[i]);
    for (icf_lid i = 0; i < n; ++i) put(e, &e->rank, i, e->run->rank[i]);
}

static void put_vertices(encoder *e)
{
    const icf_report_frame *frame = &e->frame;
    const icf_lid n = e->run->soft.nvertex;
    for (int k = 0; k < AXES; ++k)
        for (icf_lid i = 0; i < n; ++i) put_place(e, &e->vertex[k], i, icf_get(frame->vertex[i], k));
    for (icf_lid i = 0; i < n; ++i) put(e, &e->vertex_speed, i, icf_report_float(frame->vertex_speed[i], e->quantum));
    for (icf_lid i = 0; i < n; ++i) put(e, &e->stress, i, icf_report_float(frame->von_mises[i], 0.0));
}

static int compare_falling(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left < right) - (left > right);
}

/* Keeps the strongest contacts of the frame, in their order; gives their number. */
static icf_lid choose_contacts(encoder *e)
{
    icf_report_frame *frame = &e->frame;
    if (frame->ncontact <= ICF_REPORT_CONTACTS) return frame->ncontact;
    for (icf_lid c = 0; c < frame->ncontact; ++c) e->sizes[c] = icf_norm2(frame->contact[c].force);
    qsort(e->sizes, (size_t)frame->ncontact, sizeof *e->sizes, compare_falling);
    const double least = e->sizes[ICF_REPORT_CONTACTS - 1];
    icf_lid kept = 0;
    for (icf_lid c = 0; c < frame->ncontact && kept < ICF_REPORT_CONTACTS; ++c)
        if (icf_norm2(frame->contact[c].force) >= least) frame->contact[kept++] = frame->contact[c];
    return kept;
}

static void put_points(encoder *e, icf_lid n)
{
    const icf_report_contact *contact = e->frame.contact;
    for (int k = 0; k < AXES; ++k) {
        int64_t last = 0;
        for (icf_lid c = 0; c < n; ++c) {
            const int64_t value = icf_report_steps(icf_get(contact[c].point, k), e->quantum);
            icf_report_put_signed(&e->bytes, value - last);
            last = value;
        }
    }
}

static void put_forces(encoder *e, icf_lid n)
{
    const icf_report_contact *contact = e->frame.contact;
    for (int k = 0; k < AXES; ++k)
        for (icf_lid c = 0; c < n; ++c) {
            /* a part that no eye sees beside the rest is none */
            const double least = 1e-3 * icf_norm(contact[c].force);
            icf_report_put_signed(&e->bytes, icf_report_float(icf_get(contact[c].force, k), least));
        }
}

static void put_contacts(encoder *e, icf_lid n)
{
    const icf_report_contact *contact = e->frame.contact;
    icf_report_put_count(&e->bytes, (uint64_t)n);
    for (icf_lid c = 0; c < n; ++c)
        icf_report_put_signed(&e->bytes, contact[c].first - (c > 0 ? contact[c - 1].first : 0));
    for (icf_lid c = 0; c < n; ++c) icf_report_put_signed(&e->bytes, contact[c].second - contact[c].first);
    put_points(e, n);
    put_forces(e, n);
}

/* Reads frame k of the run and packs it. */
static icf_status pack_frame(encoder *e, size_t k, icf_report_movie *movie)
{
    icf_context *context = e->run->context;
    const icf_report_frame *frame = &e->frame;
    ICF_TRY(icf_report_run_read(e->run, k, &e->frame));
    const icf_lid most = ICF_MAX(frame->ncontact, e->run->nbody);
    if (ICF_GROW(e->sizes, e->size_capacity, most + 1) != ICF_OK) return fail_memory(context);
    put_bodies(e);
    put_vertices(e);
    const icf_lid nshown = choose_contacts(e);
    put_contacts(e, nshown);
    movie->moment[movie->nframe++] = (icf_report_moment){frame->step, frame->time, frame->ncontact, nshown};
    return icf_report_pack_add(context, &movie->pack, &e->bytes);
}

/* ---- all frames ---- */

/* Packs n frames; *done is less than n when they do not fit. */
static icf_status pack_frames(encoder *e, size_t n, size_t most_bytes, icf_report_movie *movie, size_t *done)
{
    const size_t last = e->run->frames.n - 1;
    movie->nframe = 0;
    icf_report_pack_clear(&movie->pack);
    rewind_channels(e);
    ICF_TRY(icf_report_pack_begin(e->run->context, &movie->pack));
    for (*done = 0; *done < n; ++*done) {
        const size_t k = n == 1 ? last : (*done * last + (n - 1) / 2) / (n - 1);
        ICF_TRY(pack_frame(e, k, movie));
        if (movie->pack.packed.used / 3 * 4 > most_bytes) return ICF_OK;
    }
    return icf_report_pack_end(e->run->context, &movie->pack);
}

/* Fewer frames until they fit. */
static icf_status pack_what_fits(encoder *e, size_t most_bytes, icf_report_movie *movie)
{
    size_t n = e->run->frames.n, done;
    const size_t least = ICF_MIN(n, 2);
    for (;;) {
        ICF_TRY(pack_frames(e, n, most_bytes, movie, &done));
        if (done == n && movie->pack.packed.used / 3 * 4 <= most_bytes) return ICF_OK;
        if (n == least) break;
        /* frames that are further apart take a little more each */
        const size_t fewer = (size_t)(0.9 * (double)done);
        n = ICF_MAX(least, ICF_MIN(fewer, n - 1));
    }
    return icf_fail(e->run->context, ICF_ERROR_USAGE,
                    "--max-size: %zu frame%s of %d bodies take more than the %.2f MB that are left for them", least,
                    least == 1 ? "" : "s", (int)e->run->nbody, 1e-6 * (double)most_bytes);
}

double icf_report_smallest_size(const icf_report_run *run)
{
    double least = INFINITY;
    for (icf_lid i = 0; i < run->nbody; ++i)
        for (int k = 0; k < AXES; ++k) {
            const double size = icf_get(run->size[i], k);
            if (run->moves[i] && size > 0.0) least = fmin(least, size);
        }
    return isfinite(least) ? least : 0.0;
}

/* A part of the smallest body; without rigid bodies a small part of a metre. */
static double choose_quantum(const icf_report_run *run)
{
    static const double part = 1.0 / 2000.0, of_metre = 1e-5;
    const double size = icf_report_smallest_size(run);
    if (size <= 0.0) return of_metre;
    return run->soft.nvertex > 0 ? fmin(part * size, of_metre) : part * size;
}

static void clear_encoder(encoder *e)
{
    channel *list[NCHANNEL];
    list_channels(e, list);
    for (int k = 0; k < NCHANNEL; ++k) {
        icf_free(list[k]->last);
        icf_free(list[k]->before);
    }
    icf_report_frame_clear(&e->frame);
    icf_text_clear(&e->bytes);
    icf_free(e->sizes);
}

icf_status icf_report_movie_build(icf_report_run *run, size_t most_bytes, icf_report_movie *movie)
{
    *movie = (icf_report_movie){.quantum = choose_quantum(run)};
    encoder e = {.run = run, .quantum = movie->quantum};
    movie->moment = icf_alloc(run->frames.n * sizeof *movie->moment);
    icf_status status = movie->moment ? start_channels(&e) : fail_memory(run->context);
    if (status == ICF_OK) status = pack_what_fits(&e, most_bytes, movie);
    clear_encoder(&e);
    return status;
}

void icf_report_movie_clear(icf_report_movie *movie)
{
    icf_report_pack_clear(&movie->pack);
    icf_free(movie->moment);
    *movie = (icf_report_movie){0};
}
