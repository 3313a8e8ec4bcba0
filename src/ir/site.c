/* site.c - reports with the fragments that led to a place */
#include "ir/site.h"

#include <stdio.h>

enum { MAX_NOTES = 8, MAX_TEXT = 512 };

/* The innermost site in the user's text; *span becomes the place to show. */
static const struct call_site *in_user_text(const struct call_site *site, struct span *span)
{
    for (; site && site->standard; site = site->caller)
        *span = site->invocation;
    return site;
}

void site_notes(struct diag *diag, const struct call_site *site, struct span span)
{
    struct span shown = span;
    const struct call_site *user = in_user_text(site, &shown);

    if (user != site)
        diag_note(diag, span, "in the body of standard fragment '%s'", site->fragment);
    for (int n = 0; user; user = user->caller, n++) {
        if (n == MAX_NOTES) {
            diag_note(diag, (struct span){0, 0}, "... and %d more", user->depth);
            return;
        }
        diag_note(diag, user->invocation, "in fragment '%s', expanded here", user->fragment);
    }
}

bool site_error(struct diag *diag, const struct call_site *site, struct span span,
                enum diag_code code, const char *fmt, va_list args)
{
    char text[MAX_TEXT];

    in_user_text(site, &span);
    vsnprintf(text, sizeof text, fmt, args);
    return diag_error(diag, span, code, "%s", text);
}

void site_warning(struct diag *diag, const struct call_site *site, struct span span,
                  enum diag_code code, const char *fmt, va_list args)
{
    char text[MAX_TEXT];

    in_user_text(site, &span);
    vsnprintf(text, sizeof text, fmt, args);
    diag_warning(diag, span, code, "%s", text);
}
