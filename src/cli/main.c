/* The program `icf`: picks the command, prints its failure once, and gives the exit code.
 *
 * Order at start: the BLAS kernel check may replace the process image (blas.c), so it comes before MPI and
 * before anything is printed.  Help, version and `make` never start MPI.
 */
#include <signal.h>
#include <string.h>

#include "base/memory.h"
#include "cli/blas.h"
#include "cli/command.h"
#include "cli/options.h"

typedef struct command_entry {
    const char *name;
    icf_command function; /* NULL: later work */
    const char *help;
} command_entry;

static const command_entry commands[] = {
    {"run", icf_command_run, "simulate a scene"},
    {"check", icf_command_check, "read and validate a scene, print what it holds or every error in it"},
    {"make", icf_command_make, "write a scene of any size"},
    {"info", icf_command_info, "print what a result or checkpoint file holds"},
    {"plan", icf_command_plan, "predict balance, memory and time of a scene on many ranks"},
    {"export", NULL, NULL},
    {"report", icf_command_report, "write one page of a run: playback, plots, summary"},
};
enum { NCOMMAND = sizeof commands / sizeof *commands };

static void print_help(void)
{
    puts("Usage: icf COMMAND [options]\n\n"
         "Simulates rigid and deformable bodies in contact with Irrotational Contact Fields.  SI units everywhere.\n\n"
         "Commands:");
    for (int i = 0; i < NCOMMAND; ++i)
        if (commands[i].function) printf("  %-24s  %s\n", commands[i].name, commands[i].help);
    puts("\nOptions:\n"
         "  -h, --help                print this text and exit; every command has its own\n"
         "  --version                 print the versions of the program and of what it runs on\n\n"
         "Exit codes: 0 done; 2 wrong usage or scene; 3 the solver could not go on; 4 a file or disk failed;\n"
         "5 stopped by a signal after writing a checkpoint.");
}

static icf_status fail_unknown(icf_context *context, const char *word)
{
    const char *nearest = NULL;
    int distance = 100;
    for (int i = 0; i < NCOMMAND; ++i)
        if (commands[i].function && icf_word_is_nearer(word, commands[i].name, &distance)) nearest = commands[i].name;
    if (nearest) return icf_fail(context, ICF_ERROR_USAGE, "unknown command '%s'; did you mean '%s'?", word, nearest);
    return icf_fail(context, ICF_ERROR_USAGE, "unknown command '%s'; icf --help lists the commands", word);
}

static icf_status run_command(icf_context *context, int argc, char **argv)
{
    for (int i = 0; i < NCOMMAND; ++i) {
        if (strcmp(argv[1], commands[i].name) != 0) continue;
        if (commands[i].function) return commands[i].function(context, argc - 2, argv + 2);
        return icf_fail(context, ICF_ERROR_USAGE, "%s: not supported yet by this version", argv[1]);
    }
    return fail_unknown(context, argv[1]);
}

static icf_status dispatch(icf_context *context, int argc, char **argv)
{
    if (argc < 2) return icf_fail(context, ICF_ERROR_USAGE, "a command is missing; icf --help lists the commands");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        print_help();
    else if (strcmp(argv[1], "--version") == 0)
        icf_print_version(stdout);
    else
        return run_command(context, argc, argv);
    return ICF_OK;
}

int main(int argc, char **argv)
{
    icf_blas_require_fast_kernel(argc, argv);
    icf_memory_give_back();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe and a file that may not grow are errors of the write, */
    signal(SIGXFSZ, SIG_IGN); /* not a silent end */
    icf_context context = icf_session_local();
    icf_status status = dispatch(&context, argc, argv);
    if (status == ICF_OK) status = icf_check_stdout(&context);
    if (status != ICF_OK && status != ICF_STOPPED) icf_session_print_failure(&context, status);
    icf_session_end(&context, icf_status_exit_code(status));
    return icf_status_exit_code(status);
}
