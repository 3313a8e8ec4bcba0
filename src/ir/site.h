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

/* What a report is about: a range of the text, or a node of a file that is no text. */
struct place {
    struct diag *diag;
    const struct call_site *site; /* the fragments it was reached through; NULL: the graph body */
    struct span span;             /* in the text, that of a fragment of the library included */
};

/* The innermost site whose body is not the library's; NULL is the graph body.  *span is the place
 * there: that of the invocation that led into the library, if it did. */
const struct call_site *place_in_text(const struct place *place, struct span *span);

/* The same site if it is a node of a file without lines to show, else NULL. */
const struct call_site *place_in_file(const struct place *place);

/*
 * Report at a place: in the user's text, or about a node of a file that is no text, which is then
 * named in front.  place_error() returns false, like diag_error().
 */
bool place_error(const struct place *place, enum diag_code code, const char *fmt, va_list args)
    PRINTF_LIKE(3, 0);
void place_warning(const struct place *place, enum diag_warning warning, const char *fmt,
                   va_list args) PRINTF_LIKE(3, 0);

/* The same as place_error(). */
bool place_fault(const struct place *place, enum diag_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* The same as place_warning(). */
void place_warn(const struct place *place, enum diag_warning warning, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* A few words behind the carets of the report made last, which was about this place. */
void place_label(const struct place *place, const char *fmt, va_list args) PRINTF_LIKE(2, 0);

/* May the arenas take that many bytes more?  Reports it if not. */
bool place_grows(const struct place *place, struct context *context, int64_t bytes);

/* Add notes to the report made last: one for each fragment on the way to `place`, up to a limit. */
void place_notes(const struct place *place);

#endif
