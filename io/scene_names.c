/* Names of the bodies of a scene, given and made up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene_parse.h"

/* Number N of a made-up name "bodyN", -1 when the text is none. */
static icf_gid made_up_number(const char *text)
{
    if (strncmp(text, "body", 4) != 0 || text[4] < '0' || text[4] > '9') return -1;
    char *end;
    const long long number = strtoll(text + 4, &end, 10);
    char again[32];
    snprintf(again, sizeof again, "body%lld", number);
    return *end == '\0' && strcmp(text, again) == 0 ? number : -1;
}

static int compare_gid(const void *a, const void *b)
{
    const icf_gid x = *(const icf_gid *)a, y = *(const icf_gid *)b;
    return x < y ? -1 : x > y;
}

/* Whether body `gid` goes by its made-up name. */
static bool has_made_up_name(const icf_scene_reader *reader, icf_gid gid)
{
    if (gid < 0 || gid >= icf_scene_nlisted(reader->scene)) return false;
    const size_t n = reader->body_names.n;
    return n == 0 || !bsearch(&gid, reader->named_body, n, sizeof gid, compare_gid);
}

icf_gid icf_reader_find_body(const icf_scene_reader *reader, const char *name)
{
    const int64_t number = icf_name_table_find(&reader->body_names, name, strlen(name));
    if (number >= 0) return reader->named_body[number];
    const icf_gid gid = made_up_number(name);
    return has_made_up_name(reader, gid) ? gid : -1;
}

icf_gid icf_reader_find_generated(const icf_scene_reader *reader, const char *name)
{
    const icf_gid gid = made_up_number(name);
    return gid >= icf_scene_nlisted(reader->scene) && gid < reader->scene->nbody ? gid : -1;
}

int32_t icf_reader_find_deformable(const icf_scene_reader *reader, const char *name)
{
    for (int32_t d = 0; d < reader->scene->ndeformable; ++d)
        if (reader->scene->deformable[d].name && strcmp(reader->scene->deformable[d].name, name) == 0) return d;
    return -1;
}
