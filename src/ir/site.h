/*
 * site.h - faults that show only where a fragment is expanded
 *
 * They are reported in the user's text: a fault inside a standard fragment stands at the
 * invocation that led there, with a note of the place in the library.  Further notes name the
 * fragments that were expanded on the way.
 */
#ifndef NNEFC_IR_SITE_H
#define NNEFC_IR_SITE_H

#include "base/diag.h"
#include "ir/graph.h"

#include <stdarg.h>

/* Returns false, like diag_error(). */
bool site_error(struct diag *diag, const struct call_site *site, struct span span,
                enum diag_code code, const char *fmt, va_list args) PRINTF_LIKE(5, 0);
void site_warning(struct diag *diag, const struct call_site *site, struct span span,
                  enum diag_code code, const char *fmt, va_list args) PRINTF_LIKE(5, 0);

/* The notes on the way to `site`, for the report made last. */
void site_notes(struct diag *diag, const struct call_site *site, struct span span);

#endif
