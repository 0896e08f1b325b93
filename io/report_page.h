/* The page of a report without its data, as bytes in the program: made of report/ and third_party/three at build time
 * (cmake/embed.cmake).  Texts, each with its length. */
#ifndef ICF_IO_REPORT_PAGE_H
#define ICF_IO_REPORT_PAGE_H

#include <stddef.h>

extern const unsigned char icf_report_html[], icf_report_style[], icf_report_script[], icf_report_three[];
extern const size_t icf_report_html_size, icf_report_style_size, icf_report_script_size, icf_report_three_size;

#endif
