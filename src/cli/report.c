/* `icf report`: one page of a run, and pictures of it. */
#include <string.h>

#include "base/memory.h"
#include "cli/command.h"
#include "cli/options.h"
#include "io/file.h"
#include "io/report.h"

typedef struct report_arguments {
    const char *directory, *output, *scene;
    double max_mb;
} report_arguments;

static icf_status write_page(icf_context *context, const report_arguments *arguments, const char *output)
{
    icf_report_outcome outcome;
    const icf_report_options options = {.directory = arguments->directory,
                                        .output = output,
                                        .scene = arguments->scene,
                                        .program = ICF_VERSION,
                                        .max_mb = arguments->max_mb};
    ICF_TRY(icf_report_write(context, &options, &outcome));
    printf("%s: %zu of %zu frames, %.1f MB, %zu warning%s\n", output, outcome.nframe, outcome.nframe_run, outcome.mb,
           outcome.nwarning, outcome.nwarning == 1 ? "" : "s");
    return ICF_OK;
}

static icf_status report(icf_context *context, const report_arguments *arguments)
{
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
    report_arguments arguments = {.max_mb = 50.0};
    const icf_option options[] = {
        {"--output", ICF_OPTION_TEXT, "FILE", "the page; default RUN_DIR/report.html", &arguments.output, NULL, NULL},
        {"--scene", ICF_OPTION_TEXT, "FILE", "shows the text of a scene in the page", &arguments.scene, NULL, NULL},
        {"--max-size", ICF_OPTION_POSITIVE, "MB",
         "largest size of the page [MB]; frames are left out evenly until it fits; default 50", &arguments.max_mb, NULL,
         NULL},
    };
    const icf_usage usage = {
        "icf report RUN_DIR [options]",
        "Writes one page of a run, which any browser opens from disk: playback in three dimensions, plots,\n"
        "a summary, and first what deserves a look.\n",
        1,
        "RUN_DIR",
        sizeof options / sizeof *options,
        options};
    ICF_TRY(icf_options_read(context, &usage, argc, argv, &arguments.directory, NULL, &help));
    return help ? ICF_OK : report(context, &arguments);
}
