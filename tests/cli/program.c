/* Running the built program from a test. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int enter_directory(void **state)
{
    char template[] = "/tmp/icf-cli-XXXXXX";
    char *directory = mkdtemp(template);
    if (!directory || chdir(directory) != 0) return -1;
    *state = strdup(directory);
    return 0;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info, (void)type, (void)walk;
    return remove(path);
}

int leave_directory(void **state)
{
    const int failed = chdir("/") || nftw(*state, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return failed;
}

static pid_t spawn(const char *const *words, const char *out, const char *err)
{
    pid_t process;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_int_equal(posix_spawnp(&process, words[0], &actions, NULL, (char *const *)(uintptr_t)words, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    return process;
}

int start_words(const char *const *words)
{
    return (int)spawn(words, "/dev/null", "/dev/null");
}

int wait_for(int process)
{
    int status;
    assert_int_equal(waitpid(process, &status, 0), process);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

outcome run_words_to(const char *path, const char *const *words)
{
    const int code = wait_for(spawn(words, path, "command.err"));
    return (outcome){.code = code, .out = strdup(""), .err = read_text("command.err")};
}

outcome run_words(const char *const *words)
{
    outcome result = run_words_to("command.out", words);
    free(result.out);
    result.out = read_text("command.out");
    return result;
}

void expect_error(outcome result, int code, const char *err)
{
    assert_string_equal(result.err, err);
    assert_string_equal(result.out, "");
    assert_int_equal(result.code, code);
    outcome_clear(&result);
}

void expect_success(const outcome *result)
{
    assert_string_equal(result->err, "");
    assert_int_equal(result->code, 0);
}

void outcome_clear(outcome *result)
{
    free(result->out);
    free(result->err);
    *result = (outcome){0};
}

int count_of(const char *text, const char *part)
{
    int n = 0;
    for (const char *c = strstr(text, part); c; c = strstr(c + 1, part)) ++n;
    return n;
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

char *read_text(const char *path)
{
    char *text = NULL, block[4096];
    size_t size, n;
    FILE *file = fopen(path, "r"), *memory = open_memstream(&text, &size);
    assert_non_null(file);
    assert_non_null(memory);
    while ((n = fread(block, 1, sizeof block, file)) > 0) fwrite(block, 1, n, memory);
    fclose(file);
    fclose(memory);
    return text;
}

void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

void run_on_ranks(int ranks, const char *scene, const char *options, const char *directory)
{
    char command[1024];
    snprintf(command, sizeof command, "%s -n %d %s run %s --threads 1 --quiet %s --output %s", MPIRUN, ranks,
             ICF_PROGRAM, scene, options, directory);
    outcome run = run_words((const char *const[]){"bash", "-c", command, NULL});
    expect_success(&run);
    outcome_clear(&run);
}

void read_checksum(const char *directory, char checksum[64])
{
    char path[256];
    snprintf(path, sizeof path, "%s/summary.json", directory);
    char *summary = read_text(path);
    const char *found = strstr(summary, "\"checksum\": ");
    assert_non_null(found);
    assert_int_equal(sscanf(found, "\"checksum\": \"%63[0-9a-f]\"", checksum), 1);
    free(summary);
}
