/* `icf report`: one page of a run, and pictures of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/report_image.h"
#include "io/file.h"
#include "io/report.h"

/* What bodies are coloured by; the words are those of the page. */
#define COLOURS "body|rank|island|speed|force|stress"
static const char *const colours[] = {"body", "rank", "island", "speed", "force", "stress"};

typedef struct report_arguments {
    const char *directory, *output, *scene, *image, *time, *camera, *size;
    double max_mb;
    int colour; /* -1: not given */
    bool arrows;
    icf_report_image picture;
} report_arguments;

/* Reads n numbers apart by a separator; gives how many there are, -1 when it is something else. */
static int read_numbers(const char *text, char separator, int most, double *value)
{
    for (int n = 0; n < most; ++n) {
        char *end;
        value[n] = strtod(text, &end);
        if (end == text || !isfinite(value[n]) || (*end != separator && *end != '\0')) return -1;
        if (*end == '\0') return n + 1;
        text = end + 1;
    }
    return -1;
}

static icf_status read_camera(icf_context *context, const char *text, icf_report_image *picture)
{
    double value[3] = {0.0, 0.0, 1.0};
    const int n = read_numbers(text, ',', 3, value);
    if (n < 2 || fabs(value[1]) > 90.0 || value[2] <= 0.0)
        return icf_fail(
            context, ICF_ERROR_USAGE,
            "--camera: expected AZIMUTH,ELEVATION[,ZOOM] with an elevation of -90 to 90 degrees and a zoom > 0, "
            "got '%s'",
            text);
    picture->has_camera = true;
    picture->azimuth = value[0];
    picture->elevation = value[1];
    picture->zoom = value[2];
    return ICF_OK;
}

static icf_status read_size(icf_context *context, const char *text, icf_report_image *picture)
{
    enum { least = 64, most = 8192 };
    double value[2];
    const bool read = read_numbers(text, 'x', 2, value) == 2;
    for (int k = 0; k < 2; ++k)
        if (!read || value[k] < least || value[k] > most || value[k] != floor(value[k]))
            return icf_fail(context, ICF_ERROR_USAGE, "--size: expected WIDTHxHEIGHT of %d to %d pixels, got '%s'",
                            least, most, text);
    picture->width = (int)value[0];
    picture->height = (int)value[1];
    return ICF_OK;
}

static icf_status read_picture(icf_context *context, report_arguments *arguments)
{
    icf_report_image *picture = &arguments->picture;
    const char *given = arguments->time          ? "--time"
                        : arguments->camera      ? "--camera"
                        : arguments->size        ? "--size"
                        : arguments->colour >= 0 ? "--colour"
                        : arguments->arrows      ? "--arrows"
                                                 : NULL;
    if (!arguments->image && given) return icf_fail(context, ICF_ERROR_USAGE, "%s needs --image", given);
    if (arguments->time && read_numbers(arguments->time, ',', 1, &picture->time) != 1)
        return icf_fail(context, ICF_ERROR_USAGE, "--time: expected a number [s], got '%s'", arguments->time);
    if (arguments->camera) ICF_TRY(read_camera(context, arguments->camera, picture));
    if (arguments->size) ICF_TRY(read_size(context, arguments->size, picture));
    picture->colour = colours[ICF_MAX(arguments->colour, 0)];
    picture->arrows = arguments->arrows;
    picture->output = arguments->image;
    return ICF_OK;
}

static icf_status write_picture(icf_context *context, report_arguments *arguments, const icf_report_outcome *outcome,
                                const char *page)
{
    icf_report_image *picture = &arguments->picture;
    picture->page = page;
    if (!arguments->time) picture->time = outcome->last_time;
    const double slack = 1e-9 * (outcome->last_time - outcome->first_time);
    if (picture->time < outcome->first_time - slack || picture->time > outcome->last_time + slack)
        return icf_fail(context, ICF_ERROR_USAGE, "--time: must be %g to %g s, as the frames of the run are, got %s",
                        outcome->first_time, outcome->last_time, arguments->time);
    ICF_TRY(icf_report_image_write(context, picture));
    printf("%s: t = %g s, %d x %d pixels\n", picture->output, picture->time, picture->width, picture->height);
    return ICF_OK;
}

static icf_status write_page(icf_context *context, report_arguments *arguments, const char *page)
{
    icf_report_outcome outcome;
    const icf_report_options options = {.directory = arguments->directory,
                                        .output = page,
                                        .scene = arguments->scene,
                                        .program = ICF_VERSION,
                                        .max_mb = arguments->max_mb};
    ICF_TRY(icf_report_write(context, &options, &outcome));
    printf("%s: %zu of %zu frames, %.1f MB, %zu warning%s\n", page, outcome.nframe, outcome.nframe_run, outcome.mb,
           outcome.nwarning, outcome.nwarning == 1 ? "" : "s");
    return arguments->image ? write_picture(context, arguments, &outcome, page) : ICF_OK;
}

static icf_status report(icf_context *context, report_arguments *arguments)
{
    ICF_TRY(read_picture(context, arguments));
    ICF_TRY(icf_session_begin(context, 1));
    if (context->size > 1)
        return icf_fail(context, ICF_ERROR_USAGE, "icf report runs in one process, not under mpirun");
    char *page = arguments->output ? icf_path_print("%s", arguments->output)
                                   : icf_path_print("%s/report.html", arguments->directory);
    if (!page) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
    const icf_status status = write_page(context, arguments, page);
    icf_free(page);
    return status;
}

icf_status icf_command_report(icf_context *context, int argc, char **argv)
{
    bool help;
    report_arguments a = {.max_mb = 50.0, .colour = -1, .picture = {.width = 1280, .height = 720}};
    const icf_option options[] = {
        {"--output", ICF_OPTION_TEXT, "FILE", "the page; default RUN_DIR/report.html", &a.output, NULL, NULL},
        {"--scene", ICF_OPTION_TEXT, "FILE", "shows the text of a scene in the page", &a.scene, NULL, NULL},
        {"--max-size", ICF_OPTION_POSITIVE, "MB",
         "largest size of the page [MB]; frames are left out evenly until it fits; default 50", &a.max_mb, NULL, NULL},
        {"--image", ICF_OPTION_TEXT, "FILE", "also writes a picture (PNG), drawn by Chromium without a display",
         &a.image, NULL, NULL},
        {"--time", ICF_OPTION_TEXT, "T", "time of the picture [s]; default: that of the last frame", &a.time, NULL,
         NULL},
        {"--camera", ICF_OPTION_TEXT, "AZ,EL[,ZOOM]",
         "where the picture is seen from: angles [degrees] and a factor; default -60,22,1", &a.camera, NULL, NULL},
        {"--colour", ICF_OPTION_CHOICE, "WHAT", "what bodies are coloured by in the picture: " COLOURS "; default body",
         &a.colour, NULL, COLOURS},
        {"--arrows", ICF_OPTION_SET, NULL, "draws contact forces in the picture", &a.arrows, NULL, NULL},
        {"--size", ICF_OPTION_TEXT, "WxH", "size of the picture [pixels]; default 1280x720", &a.size, NULL, NULL},
    };
    const icf_usage usage = {
        "icf report RUN_DIR [options]",
        "Writes one page of a run, which any browser opens from disk: playback in three dimensions, plots,\n"
        "a summary, and first what deserves a look.\n",
        1,
        "RUN_DIR",
        sizeof options / sizeof *options,
        options};
    ICF_TRY(icf_options_read(context, &usage, argc, argv, &a.directory, NULL, &help));
    return help ? ICF_OK : report(context, &a);
}
