/* A picture of a run. */
#include "cli/report_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/browser.h"
#include "io/file.h"
#include "io/text.h"

/* Appends a path as part of an address. */
static void put_path(icf_text *text, const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/-._~";
    for (; *path; ++path) {
        if (strchr(plain, *path))
            icf_text_append(text, path, 1);
        else
            icf_text_print(text, "%%%02X", (unsigned)(unsigned char)*path);
    }
}

/* Address of the page with what is to be seen; of icf_alloc, NULL when out of memory. */
static char *make_address(const icf_report_image *image, const char *path)
{
    icf_text text = {0};
    icf_text_put(&text, "file://");
    put_path(&text, path);
    icf_text_print(&text, "#picture=1&time=%.17g&arrows=%d&colour=%s", image->time, image->arrows, image->colour);
    if (image->has_camera)
        icf_text_print(&text, "&azimuth=%.17g&elevation=%.17g&zoom=%.17g", image->azimuth, image->elevation,
                       image->zoom);
    char *address = text.out_of_memory ? NULL : icf_path_print("%.*s", (int)text.used, text.bytes);
    icf_text_clear(&text);
    return address;
}

/* Opens an empty page of the picture's size; *session is of icf_alloc. */
static icf_status open_page(icf_context *context, icf_browser *browser, const icf_report_image *image, char **session)
{
    json_t *target = NULL, *attached = NULL;
    icf_status status =
        icf_browser_call(browser, "Target.createTarget", NULL, json_pack("{s:s}", "url", "about:blank"), &target);
    if (status == ICF_OK)
        status = icf_browser_call(
            browser, "Target.attachToTarget", NULL,
            json_pack("{s:O, s:b}", "targetId", json_object_get(target, "targetId"), "flatten", 1), &attached);
    const char *id = json_string_value(json_object_get(attached, "sessionId"));
    *session = id ? icf_path_print("%s", id) : NULL;
    if (status == ICF_OK && !*session) status = icf_fail(context, ICF_ERROR_FILE, "the browser opens no page");
    json_decref(target);
    json_decref(attached);
    if (status != ICF_OK) return status;
    return icf_browser_call(browser, "Emulation.setDeviceMetricsOverride", *session,
                            json_pack("{s:i, s:i, s:i, s:b}", "width", image->width, "height", image->height,
                                      "deviceScaleFactor", 1, "mobile", 0),
                            NULL);
}

/* Value of an expression in the page, waiting when it is a promise. */
static icf_status evaluate(icf_browser *browser, const char *session, const char *expression, json_t **value)
{
    json_t *result;
    ICF_TRY(icf_browser_call(
        browser, "Runtime.evaluate", session,
        json_pack("{s:s, s:b, s:b}", "expression", expression, "awaitPromise", 1, "returnByValue", 1), &result));
    *value = json_incref(json_object_get(json_object_get(result, "result"), "value"));
    json_decref(result);
    return ICF_OK;
}

/* Waits until the page has been read so far that it has begun to load. */
static icf_status wait_for_page(icf_context *context, icf_browser *browser, const char *session)
{
    enum { attempts = 600, pause_us = 50000 };
    for (int k = 0; k < attempts; ++k) {
        json_t *value;
        ICF_TRY(evaluate(browser, session, "Boolean(window.icfReport && window.icfReport.ready)", &value));
        const bool ready = json_is_true(value);
        json_decref(value);
        if (ready) return ICF_OK;
        usleep(pause_us);
    }
    return icf_fail(context, ICF_ERROR_FILE, "the browser does not open the page");
}

/* Waits until the picture is drawn; fails with what the page says of itself when it could not be. */
static icf_status wait_for_picture(icf_context *context, icf_browser *browser, const char *session)
{
    static const char drawn[] =
        "icfReport.ready.catch(() => {}).then(() => new Promise((done) => requestAnimationFrame(() => "
        "requestAnimationFrame(done)))).then(() => document.getElementById('status').textContent)";
    json_t *value;
    ICF_TRY(wait_for_page(context, browser, session));
    ICF_TRY(evaluate(browser, session, drawn, &value));
    const char *trouble = json_string_value(value);
    icf_status status = ICF_OK;
    if (!trouble || *trouble)
        status = icf_fail(context, ICF_ERROR_FILE, "there is no picture: %s", trouble ? trouble : "the page failed");
    json_decref(value);
    return status;
}

/* Bytes of base64 without line breaks, in place; gives their number. */
static size_t decode_base64(char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = 0;
    unsigned word = 0;
    int bits = 0;
    for (const char *c = text, *letter; *c && (letter = strchr(letters, *c)); ++c) {
        word = word << 6 | (unsigned)(letter - letters);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        text[n++] = (char)(unsigned char)(word >> bits & 255);
    }
    return n;
}

/* Takes the picture and writes it. */
static icf_status capture(icf_context *context, icf_browser *browser, const char *session, const char *path)
{
    json_t *result;
    ICF_TRY(icf_browser_call(browser, "Page.captureScreenshot", session, json_pack("{s:s}", "format", "png"), &result));
    const char *data = json_string_value(json_object_get(result, "data"));
    char *bytes = data ? icf_path_print("%s", data) : NULL;
    json_decref(result);
    if (!bytes) return icf_fail(context, ICF_ERROR_FILE, "the browser gives no picture");
    const icf_status status = icf_file_write(context, path, bytes, decode_base64(bytes));
    icf_free(bytes);
    return status;
}

static icf_status take_picture(icf_context *context, icf_browser *browser, const icf_report_image *image,
                               const char *address)
{
    char *session = NULL;
    icf_status status = open_page(context, browser, image, &session);
    if (status == ICF_OK)
        status = icf_browser_call(browser, "Page.navigate", session, json_pack("{s:s}", "url", address), NULL);
    if (status == ICF_OK) status = wait_for_picture(context, browser, session);
    if (status == ICF_OK) status = capture(context, browser, session, image->output);
    icf_free(session);
    return status;
}

icf_status icf_report_image_write(icf_context *context, const icf_report_image *image)
{
    icf_browser *browser;
    char *path = realpath(image->page, NULL);
    if (!path) return icf_file_fail(context, image->page, errno);
    char *address = make_address(image, path);
    free(path);
    if (!address) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
    icf_status status = icf_browser_start(context, &browser);
    if (status == ICF_OK) status = take_picture(context, browser, image, address);
    icf_browser_end(&browser);
    icf_free(address);
    return status;
}
