/* A picture of a run: its page, opened at a moment in a browser without a window (browser.h). */
#ifndef ICF_CLI_REPORT_IMAGE_H
#define ICF_CLI_REPORT_IMAGE_H

#include "base/context.h"

typedef struct icf_report_image {
    const char *page, *output;       /* report.html; the PNG file */
    double time;                     /* s */
    double azimuth, elevation, zoom; /* of the camera [degrees], [degrees], 1: all that moves */
    bool has_camera;                 /* false: as the page opens */
    const char *colour;              /* what bodies are coloured by, as in the page */
    bool arrows;                     /* contact forces as arrows */
    int width, height;               /* pixels */
} icf_report_image;

/* Writes the picture; it appears whole or not at all.  ICF_ERROR_FILE: no browser, it cannot draw in three dimensions,
 * the file cannot be written. */
ICF_MUST_CHECK icf_status icf_report_image_write(icf_context *context, const icf_report_image *image);

#endif
