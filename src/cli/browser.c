/* A browser without a window. */
#include "cli/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/text.h"

enum { from_us = 3, to_us = 4, above_them = 10 /* descriptors of the browser */ };

static const double patience = 60.0; /* s */

struct icf_browser {
    icf_context *context; /* borrowed */
    pid_t process;        /* 0: not started */
    int out, in;          /* pipes to and from it */
    char *profile;        /* its directory */
    icf_text received;    /* not yet taken apart */
    int ncall;
};

static icf_status fail(const icf_browser *browser, const char *why)
{
    return icf_fail(browser->context, ICF_ERROR_FILE, "the browser that --image needs %s", why);
}

/* ---- start ---- */

/* Whether a program of that name is in PATH, or at that path. */
static bool is_program(const char *name)
{
    if (strchr(name, '/')) return access(name, X_OK) == 0;
    const char *path = getenv("PATH");
    bool found = false;
    while (path && *path && !found) {
        const size_t n = strcspn(path, ":");
        char *file = icf_path_print("%.*s/%s", (int)n, path, name);
        found = file && access(file, X_OK) == 0;
        icf_free(file);
        path += n + (path[n] == ':');
    }
    return found;
}

static icf_status find_program(icf_context *context, const char **program)
{
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome", "chrome"};
    *program = getenv("ICF_BROWSER");
    if (*program && is_program(*program)) return ICF_OK;
    if (*program) return icf_fail(context, ICF_ERROR_FILE, "ICF_BROWSER: there is no program %s", *program);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (is_program(*program = names[i])) return ICF_OK;
    return icf_fail(context, ICF_ERROR_FILE,
                    "--image needs Chromium, which is not installed (Debian, Ubuntu: apt-get install chromium); "
                    "ICF_BROWSER names it when it is not in PATH");
}

static icf_status make_profile(icf_browser *browser)
{
    const char *directory = getenv("TMPDIR");
    browser->profile = icf_path_print("%s/icf-browser-XXXXXX", directory && *directory ? directory : "/tmp");
    if (!browser->profile) return icf_fail(browser->context, ICF_ERROR_MEMORY, "out of memory for a path");
    if (mkdtemp(browser->profile)) return ICF_OK;
    const icf_status status = icf_file_fail(browser->context, browser->profile, errno);
    ICF_FREE(browser->profile);
    return status;
}

/* A pipe whose ends have numbers that those of the browser cannot meet. */
static bool make_pipe(int ends[2])
{
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0) return false;
    for (int k = 0; k < 2; ++k) {
        ends[k] = fcntl(low[k], F_DUPFD_CLOEXEC, above_them);
        close(low[k]);
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

/* Starts the process with its ends of the pipes; gives 0 or an errno value. */
static int spawn(icf_browser *browser, const char *program, char *profile_option, int reads, int writes)
{
    char *words[24] = {(char *)(uintptr_t)program,
                       "--headless",
                       "--remote-debugging-pipe",
                       "--use-angle=swiftshader",
                       "--enable-unsafe-swiftshader",
                       "--hide-scrollbars",
                       "--no-first-run",
                       "--disable-quic",
                       "--disable-sync",
                       "--disable-dev-shm-usage",
                       "--disable-background-networking",
                       "--disable-component-update",
                       profile_option};
    int n = 13;
    if (geteuid() == 0) words[n++] = "--no-sandbox"; /* it refuses to start as root otherwise */
    words[n] = "about:blank";
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, reads, from_us);
    posix_spawn_file_actions_adddup2(&actions, writes, to_us);
    const int error = posix_spawnp(&browser->process, program, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) browser->process = 0;
    return error;
}

static icf_status start(icf_browser *browser, const char *program)
{
    int there[2] = {-1, -1}, back[2] = {-1, -1};
    ICF_TRY(make_profile(browser));
    char *option = icf_path_print("--user-data-dir=%s", browser->profile);
    if (!option) return icf_fail(browser->context, ICF_ERROR_MEMORY, "out of memory for a path");
    int error = make_pipe(there) && make_pipe(back) ? 0 : errno;
    if (!error) error = spawn(browser, program, option, there[0], back[1]);
    icf_free(option);
    if (there[0] >= 0) close(there[0]);
    if (back[1] >= 0) close(back[1]);
    browser->out = there[1];
    browser->in = back[0];
    return error ? icf_file_fail(browser->context, program, error) : ICF_OK;
}

icf_status icf_browser_start(icf_context *context, icf_browser **browser)
{
    const char *program;
    *browser = NULL;
    ICF_TRY(find_program(context, &program));
    *browser = icf_alloc(sizeof **browser);
    if (!*browser) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a browser");
    **browser = (icf_browser){.context = context, .out = -1, .in = -1};
    const icf_status status = start(*browser, program);
    if (status != ICF_OK) icf_browser_end(browser);
    return status;
}

/* ---- calls ---- */

static icf_status send_text(const icf_browser *browser, const char *text)
{
    for (size_t rest = strlen(text) + 1; rest > 0;) { /* with its zero */
        const ssize_t n = write(browser->out, text, rest);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail(browser, "ended");
        text += n;
        rest -= (size_t)n;
    }
    return ICF_OK;
}

/* Waits until there is something to read, or that time. */
static icf_status wait_for_bytes(const icf_browser *browser, double until)
{
    struct pollfd watched = {.fd = browser->in, .events = POLLIN};
    for (;;) {
        const double left = until - icf_clock_wall();
        const int ready = left > 0.0 ? poll(&watched, 1, (int)(1e3 * left) + 1) : 0;
        if (ready > 0) return ICF_OK;
        if (ready == 0) return fail(browser, "does not answer");
        if (errno != EINTR) return icf_file_fail(browser->context, "the browser that --image needs", errno);
    }
}

/* Waits for more bytes until a time. */
static icf_status receive(icf_browser *browser, double until)
{
    char bytes[1 << 16];
    ICF_TRY(wait_for_bytes(browser, until));
    const ssize_t n = read(browser->in, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) return ICF_OK;
    if (n <= 0) return fail(browser, "ended");
    icf_text_append(&browser->received, bytes, (size_t)n);
    return browser->received.out_of_memory ? icf_fail(browser->context, ICF_ERROR_MEMORY, "out of memory for a picture")
                                           : ICF_OK;
}

/* Takes the next whole message; *message is NULL when there is none yet. */
static icf_status take_message(icf_browser *browser, json_t **message)
{
    icf_text *text = &browser->received;
    const char *end = text->used > 0 ? memchr(text->bytes, '\0', text->used) : NULL;
    *message = NULL;
    if (!end) return ICF_OK;
    const size_t n = (size_t)(end - text->bytes);
    *message = json_loadb(text->bytes, n, 0, NULL);
    text->used -= n + 1;
    memmove(text->bytes, end + 1, text->used);
    return *message ? ICF_OK : fail(browser, "answers what is no JSON");
}

/* The answer of a number; other messages are dropped. */
static icf_status wait_for(icf_browser *browser, int number, json_t **answer)
{
    const double until = icf_clock_wall() + patience;
    for (;;) {
        ICF_TRY(take_message(browser, answer));
        if (!*answer)
            ICF_TRY(receive(browser, until));
        else if (json_integer_value(json_object_get(*answer, "id")) == number)
            return ICF_OK;
        else
            json_decref(*answer);
    }
}

icf_status icf_browser_call(icf_browser *browser, const char *method, const char *session, json_t *params,
                            json_t **result)
{
    json_t *answer;
    const int number = ++browser->ncall;
    json_t *call = json_pack("{s:i, s:s, s:o}", "id", number, "method", method, "params", params);
    if (call && session) json_object_set_new(call, "sessionId", json_string(session));
    char *text = call ? json_dumps(call, JSON_COMPACT) : NULL;
    json_decref(call);
    if (!text) return icf_fail(browser->context, ICF_ERROR_MEMORY, "out of memory for a picture");
    icf_status status = send_text(browser, text);
    free(text);
    if (status == ICF_OK) status = wait_for(browser, number, &answer);
    if (status != ICF_OK) return status;
    const json_t *error = json_object_get(answer, "error");
    if (error) {
        const char *why = json_string_value(json_object_get(error, "message"));
        status = icf_fail(browser->context, ICF_ERROR_FILE, "the browser refuses %s: %s", method, why ? why : "");
    }
    if (result) *result = json_incref(json_object_get(answer, "result"));
    json_decref(answer);
    return status;
}

/* ---- end ---- */

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    (void)remove(path);
    return 0;
}

/* Waits until the process has ended: it does when its pipe closes, and is made to when it does not. */
static void reap(const icf_browser *browser)
{
    static const double grace = 5.0;
    const double until = icf_clock_wall() + grace;
    while (waitpid(browser->process, NULL, WNOHANG) == 0) {
        if (icf_clock_wall() > until) kill(browser->process, SIGKILL);
        usleep(10000);
    }
}

void icf_browser_end(icf_browser **browser)
{
    icf_browser *ended = *browser;
    if (!ended) return;
    if (ended->out >= 0) close(ended->out);
    if (ended->in >= 0) close(ended->in);
    if (ended->process) reap(ended);
    if (ended->profile) nftw(ended->profile, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    icf_free(ended->profile);
    icf_text_clear(&ended->received);
    icf_free(ended);
    *browser = NULL;
}
