/* Signals that end a run early: SIGUSR1, SIGTERM, SIGINT.
 *
 * The handler only sets a flag; the run looks at it between two steps.  A second SIGTERM or SIGINT ends the
 * program at once.
 */
#ifndef ICF_CLI_SIGNALS_H
#define ICF_CLI_SIGNALS_H

#include "base/context.h"

/* Installs the handlers.  Local. */
void icf_signals_install(void);

/* Name of the signal that some rank got ("SIGUSR1"), NULL when none did.  Collective: all ranks get the
 * same answer. */
const char *icf_signals_received(const icf_context *context);

#endif
