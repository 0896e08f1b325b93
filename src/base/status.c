/* Texts and exit codes of the status list. */
#include "base/status.h"

const char *icf_status_text(icf_status status)
{
    switch (status) {
#define X(name, exit_code, text) \
    case name: return text;
        ICF_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

int icf_status_exit_code(icf_status status)
{
    switch (status) {
#define X(name, exit_code, text) \
    case name: return exit_code;
        ICF_STATUS_LIST(X)
#undef X
    }
    return 1;
}
