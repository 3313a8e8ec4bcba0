/*
 * site.h - faults that show only where a fragment is expanded
 *
 * They are reported in the user's text: a fault inside a standard fragment stands at the
 * invocation that led there, with a note of the place in the library.  Further notes name the
 * fragments that were expanded on the way.
 */
#ifndef NNEFC_IR_SITE_H
#define NNEFC_IR_SITE_H

#include "diag/diag.h"
#include "ir/graph.h"

#include <stdarg.h>

struct context;

struct place {
    struct diag *diag;
    const struct call_site *site;
    struct span span;
};

/* Where it is in the user's text, and the site there, which is not the library's. */
const struct call_site *place_in_text(const struct place *place, struct span *span);

/*
 * Reports at a place: in a text, or about a node of a file that is no text, which is then named in
 * front.  Returns false, like diag_error().
 */
bool place_error(const struct place *place, enum diag_code code, const char *fmt, va_list args)
    PRINTF_LIKE(3, 0);
void place_warning(const struct place *place, enum diag_warning warning, const char *fmt,
                   va_list args) PRINTF_LIKE(3, 0);

bool place_fault(const struct place *place, enum diag_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* A few words behind the carets of the report made last, which was about this place. */
void place_label(const struct place *place, const char *fmt, va_list args) PRINTF_LIKE(2, 0);

/* May the arenas take that many bytes more?  Reports it if not. */
bool place_grows(const struct place *place, const struct context *context, int64_t bytes);

/* The notes on the way to `place`, for the report made last. */
void place_notes(const struct place *place);

#endif
