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
    ICF_TRY(icf_session_begin(context, 1));
    return icf_agree(context, context->rank == 0 ? icf_inspect(context, path, stdout) : ICF_OK);
}
