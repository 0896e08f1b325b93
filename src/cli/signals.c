/* Signals that end a run early. */
#include "cli/signals.h"

#include <signal.h>

/* The one place where state outlives a call: a handler has no other way to say that it ran. */
static volatile sig_atomic_t received;

static void remember(int number)
{
    received = number;
}

void icf_signals_install(void)
{
    struct sigaction once = {.sa_handler = remember, .sa_flags = (int)SA_RESETHAND};
    struct sigaction always = {.sa_handler = remember, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &once, NULL);
    sigaction(SIGTERM, &once, NULL);
    sigaction(SIGUSR1, &always, NULL);
}

const char *icf_signals_received(const icf_context *context)
{
    int mine = received, any;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, context->comm);
    if (any == 0) return NULL;
    return any == SIGUSR1 ? "SIGUSR1" : any == SIGTERM ? "SIGTERM" : "SIGINT";
}
