/* page.h - pages of findings, which need nothing else: no script, no request */
#ifndef NNEFC_DRIVER_PAGE_H
#define NNEFC_DRIVER_PAGE_H

/*
 * How each page begins: up to the title, for layouts have no braces of their own.  It has the
 * classes
 *
 *     wide              of what may be wider than the window
 *     n                 of numbers in tables
 *     bars              of a row of bars <i style="height:..%">; the classes off and wide mark them
 *     network           of bars for all layers, with lines at thirds
 *     histogram         of bars in a table
 */
extern const char page_style[];

#endif
