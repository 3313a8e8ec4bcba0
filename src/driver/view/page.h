/* page.h - scripts and style of a page, which tools/embed.sh makes arrays of; findings.js is for
 *          pages with findings alone */
#ifndef NNEFC_DRIVER_VIEW_PAGE_H
#define NNEFC_DRIVER_VIEW_PAGE_H

#include <stddef.h>

extern const unsigned char page_js[], findings_js[], page_css[];
extern const size_t page_js_size, findings_js_size, page_css_size;

/* Their sums, as a policy of a page names them: base64 of SHA-256. */
extern const char page_js_sum[], findings_js_sum[], page_css_sum[];

#endif
