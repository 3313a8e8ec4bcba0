/* site.c - reports with the fragments that led to a place */
#include "ir/site.h"

#include "base/text.h"
#include "diag/context.h"

#include <assert.h>
#include <inttypes.h>

enum { MAX_NOTES = 8 };

const struct call_site *place_in_text(const struct place *place, struct span *span)
{
    const struct call_site *site = place->site;

    *span = place->span;
    for (; site && site->standard; site = site->caller)
        *span = site->invocation;
    return site;
}

const struct call_site *place_in_file(const struct place *place)
{
    struct span shown;
    const struct call_site *user = place_in_text(place, &shown);

    return user && user->file ? user : NULL;
}

void place_notes(const struct place *place)
{
    struct span shown;
    const struct call_site *user = place_in_text(place, &shown);

    if (place_in_file(place))
        return;
    if (user != place->site)
        diag_note(place->diag, place->span, "in the body of standard fragment '%s'",
                  place->site->fragment);
    for (int n = 0; user; user = user->caller, n++) {
        if (n == MAX_NOTES) {
            diag_note(place->diag, (struct span){0, 0}, "... and %d more", user->depth);
            return;
        }
        diag_note(place->diag, user->invocation, "in fragment '%s', expanded here", user->fragment);
    }
}

void place_label(const struct place *place, const char *fmt, va_list args)
{
    struct text text = {0};
    struct span shown;

    if (place_in_file(place))
        return;
    place_in_text(place, &shown);
    text_add_v(&text, fmt, args);
    diag_label(place->diag, shown, "%s", text.data);
    text_free(&text);
}

/* Report at the place, or about its file if it is binary. */
static PRINTF_LIKE(3, 0) void report(const struct place *place, struct diag_report head,
                                     const char *fmt, va_list args)
{
    const struct call_site *node = place_in_file(place);
    struct text text = {0};

    if (!node)
        place_in_text(place, &head.at);
    else if (node->fragment)
        text_add(&text, "%s: ", node->fragment);
    head.file = node ? node->file : NULL;
    text_add_v(&text, fmt, args);
    diag_add(place->diag, head, "%s", text.data);
    text_free(&text);
}

bool place_error(const struct place *place, enum diag_code code, const char *fmt, va_list args)
{
    report(place, (struct diag_report){.code = code}, fmt, args);
    return false;
}

void place_warning(const struct place *place, enum diag_warning warning, const char *fmt,
                   va_list args)
{
    report(place, (struct diag_report){.warning = warning}, fmt, args);
}

bool place_fault(const struct place *place, enum diag_code code, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    place_error(place, code, fmt, args);
    va_end(args);
    return false;
}

void place_warn(const struct place *place, enum diag_warning warning, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    place_warning(place, warning, fmt, args);
    va_end(args);
}

bool place_grows(const struct place *place, struct context *context, int64_t bytes)
{
    assert(bytes >= 0);
    if (context_may_grow(context, bytes))
        return true;
    bool total = context_budget(context) < bytes;
    place_fault(place, total ? DIAG_MEMORY_LIMIT : DIAG_EXPANSION_SIZE,
                "the graph takes more than %" PRId64 " bytes of memory",
                total ? context->limits.memory : context->may_grow);
    place_notes(place);
    return diag_help(place->diag, "raise the limit with %s.",
                     total ? "--max-memory" : "--limit=growth=N");
}
