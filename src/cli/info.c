/* `icf info`: what a result or checkpoint file holds. */
#include "cli/command.h"
#include "cli/options.h"
#include "io/inspect.h"

icf_status icf_command_info(icf_context *context, int argc, char **argv)
{
    bool help;
    const char *path = NULL;
    const icf_usage usage = {"icf info FILE",
                             "Prints what a result (run.h5) or checkpoint (checkpoint-STEP.h5) holds.\n",
                             1,
                             "FILE",
                             0,
                             NULL};
    ICF_TRY(icf_options_read(context, &usage, argc, argv, &path, NULL, &help));
    if (help) return ICF_OK;
    icf_file_info info;
    ICF_TRY(icf_session_begin(context, 1));
    ICF_TRY(icf_inspect(context, path, &info));
    if (context->rank == 0) icf_file_info_print(&info, path, stdout);
    return ICF_OK;
}
