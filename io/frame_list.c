/* The frames that a run.h5 holds. */
#include "io/frame_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void icf_frame_name(icf_cnt step, char name[32])
{
    snprintf(name, 32, "frame_%08" PRId64, step);
}

icf_cnt icf_frame_step(const char *name)
{
    char again[32];
    if (strncmp(name, "frame_", 6) != 0) return -1;
    const icf_cnt step = strtoll(name + 6, NULL, 10);
    icf_frame_name(step, again);
    return strcmp(name, again) == 0 ? step : -1;
}

static herr_t collect(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    (void)group;
    (void)info;
    icf_frame_list *list = user;
    const icf_cnt step = icf_frame_step(name);
    if (step < 0) return 0;
    if (ICF_GROW(list->step, list->capacity, list->n + 1) != ICF_OK) return -1;
    list->step[list->n++] = step;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const icf_cnt left = *(const icf_cnt *)a, right = *(const icf_cnt *)b;
    return (left > right) - (left < right);
}

icf_status icf_frame_list_read(icf_h5 *h5, icf_frame_list *list)
{
    list->n = 0;
    icf_status status = ICF_OK;
    if (H5Literate(h5->file, H5_INDEX_NAME, H5_ITER_INC, NULL, collect, list) < 0)
        status = icf_fail(h5->context, ICF_ERROR_FILE, "%s: cannot list its frames", h5->path);
    /* names of more than eight digits do not sort by step */
    if (list->n > 0) qsort(list->step, list->n, sizeof *list->step, compare);
    return icf_agree(h5->context, status);
}

void icf_frame_delete(icf_h5 *h5, icf_cnt step)
{
    char name[32];
    icf_frame_name(step, name);
    if (icf_h5_has(h5, h5->file, name)) icf_h5_delete(h5, h5->file, name);
}

void icf_frame_list_clear(icf_frame_list *list)
{
    icf_free(list->step);
    *list = (icf_frame_list){0};
}
