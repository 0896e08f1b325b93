/* Running the built program from a test: its exit code and what it printed.
 *
 * Every test program works in a fresh directory of its own, which is removed at the end.
 */
#ifndef ICF_TESTS_CLI_PROGRAM_H
#define ICF_TESTS_CLI_PROGRAM_H

#include <stdbool.h>

/* What a command did. */
typedef struct outcome {
    int code;        /* exit code; 128 + n when signal n ended it */
    char *out, *err; /* standard output and error, zero-terminated */
} outcome;

/* Group fixtures: enter a new directory; leave and remove it. */
int enter_directory(void **state);
int leave_directory(void **state);

/* Runs a command and waits; the list of words ends with NULL. */
outcome run_words(const char *const *words);

/* Runs a command with its standard output going to a file. */
outcome run_words_to(const char *path, const char *const *words);

/* Runs the program with these arguments. */
#define RUN(...)          run_words((const char *const[]){ICF_PROGRAM, __VA_ARGS__, 0})
#define RUN_TO(path, ...) run_words_to(path, (const char *const[]){ICF_PROGRAM, __VA_ARGS__, 0})

/* Runs a scene on a number of ranks with one thread each, quietly, and fails unless that succeeds.
 *   options   further words of icf run; directory: of the results */
void run_on_ranks(int ranks, const char *scene, const char *options, const char *directory);

/* The checksum of the last state of a run, as its summary has it. */
void read_checksum(const char *directory, char checksum[64]);

/* Starts a command without waiting, its output thrown away; gives its process id. */
int start_words(const char *const *words);

/* Waits for a started command; gives its exit code as above. */
int wait_for(int process);

/* Fails unless the command had this exit code, printed nothing to standard output, and exactly this to
 * standard error.  Releases the outcome. */
void expect_error(outcome result, int code, const char *err);

/* Fails unless the command had exit code 0 and an empty standard error. */
void expect_success(const outcome *result);

void outcome_clear(outcome *result);

/* Number of times a text occurs in another. */
int count_of(const char *text, const char *part);

bool file_exists(const char *path);

/* Whole text of a file, of malloc. */
char *read_text(const char *path);

void write_text(const char *path, const char *text);

#endif
