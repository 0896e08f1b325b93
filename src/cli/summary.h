/* End summary of a run on standard output. */
#ifndef ICF_CLI_SUMMARY_H
#define ICF_CLI_SUMMARY_H

#include <stdio.h>

#include "io/results.h"

/* Prints what a run did: steps, times by phase, iterations, contacts, islands, memory, energy, accuracy. */
void icf_summary_print(const icf_run_summary *summary, FILE *file);

#endif
