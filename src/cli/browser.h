/* A browser without a window, for pictures: Chromium, started as a process of its own and told what to do over two
 * pipes.
 *
 * The protocol is that of Chromium's developer tools: JSON messages that end in a zero byte, to the browser's
 * descriptor 3 and from its descriptor 4.  A call is a message with a number; its answer bears the same number, what
 * comes between is news that nobody waits for.  One thread.
 */
#ifndef ICF_CLI_BROWSER_H
#define ICF_CLI_BROWSER_H

#include <jansson.h>

#include "base/context.h"

typedef struct icf_browser icf_browser;

/* Starts the program of the environment variable ICF_BROWSER, else chromium, chromium-browser, google-chrome or chrome.
 * ICF_ERROR_FILE: there is none, or it does not start. */
ICF_MUST_CHECK icf_status icf_browser_start(icf_context *context, icf_browser **browser);

/* Calls a method and waits for the answer, at most a minute.
 *   session [in]  of a page, or NULL
 *   params  [in]  released by the call; NULL when out of memory
 *   result  [out] of the caller; NULL: not wanted
 * ICF_ERROR_FILE: the browser ended, does not answer or refuses. */
ICF_MUST_CHECK icf_status icf_browser_call(icf_browser *browser, const char *method, const char *session,
                                           json_t *params, json_t **result);

/* Ends it and removes its files.  Nulls *browser; accepts NULL in it. */
void icf_browser_end(icf_browser **browser);

#endif
