/* diag_print.c - reports for people (full, short) and for programs (JSON) */
#include "base/diag_priv.h"
#include "base/utf8.h"

#include <string.h>

struct printer {
    const struct diag *diag;
    FILE *to;
    bool colour;
};

static const char *severity_name(enum diag_severity severity)
{
    switch (severity) {
    case SEVERITY_NOTE:
        return "note";
    case SEVERITY_WARNING:
        return "warning";
    case SEVERITY_ERROR:
        return "error";
    }
    return "";
}

static const char *severity_colour(enum diag_severity severity)
{
    switch (severity) {
    case SEVERITY_NOTE:
        return "\033[1;36m";
    case SEVERITY_WARNING:
        return "\033[1;35m";
    case SEVERITY_ERROR:
        return "\033[1;31m";
    }
    return "";
}

static bool locate(const struct diag *d, uint32_t offset, struct location *where)
{
    return offset > 0 && d->sources && sources_locate(d->sources, offset, where);
}

static void print_excerpt(const struct printer *p, const struct location *where, struct span at)
{
    diag_print_excerpt(p->to, where, at.end > at.begin ? at.end - at.begin : 0, p->colour);
}

/* " [-Wname]", in the way in which it would be asked for. */
static void print_warning(const struct printer *p, const struct diag_report *said)
{
    const char *error = said->severity == SEVERITY_ERROR ? "error=" : "";

    if (said->warning != WARNING_NONE)
        fprintf(p->to, " [-W%s%s]", error, diag_warning_info(said->warning)->name);
}

/* "error[N0000]: text", or "note: text". */
static void print_text(const struct printer *p, const struct diag_report *said)
{
    fputs(p->colour ? severity_colour(said->severity) : "", p->to);
    fputs(severity_name(said->severity), p->to);
    if (said->severity != SEVERITY_NOTE || said->code == DIAG_TOO_MANY_ERRORS)
        fprintf(p->to, "[%s]", diag_info(said->code)->code);
    fprintf(p->to, ":%s ", p->colour ? "\033[0m" : "");
    diag_print_clean(p->to, said->text);
    print_warning(p, said);
    putc('\n', p->to);
}

static void print_place(const struct printer *p, const char *file, const struct location *where)
{
    fputs(p->colour ? "\033[1m" : "", p->to);
    diag_print_clean(p->to, file);
    if (where)
        fprintf(p->to, ":%d:%d", where->line, where->column);
    fprintf(p->to, ":%s ", p->colour ? "\033[0m" : "");
}

static void print_note(const struct printer *p, const struct note *note)
{
    struct location where;
    bool placed = locate(p->diag, note->at.begin, &where);

    if (placed)
        print_place(p, where.file, &where);
    else
        fputs("    ", p->to);
    print_text(p, &(struct diag_report){.severity = SEVERITY_NOTE, .text = note->text});
    if (placed)
        print_excerpt(p, &where, note->at);
}

static void print_report(const struct printer *p, const struct report *r, bool full)
{
    struct location where;
    bool placed = locate(p->diag, r->said.at.begin, &where);

    if (placed)
        print_place(p, where.file, &where);
    else if (r->said.file)
        print_place(p, r->said.file, NULL);
    print_text(p, &r->said);
    if (!full)
        return;
    if (placed)
        print_excerpt(p, &where, r->said.at);
    if (r->help) {
        fputs(p->colour ? "    \033[1;32mhelp:\033[0m " : "    help: ", p->to);
        diag_print_clean(p->to, r->help);
        putc('\n', p->to);
    }
    for (const struct note *note = r->notes.first; note; note = note->next)
        print_note(p, note);
}

static void json_character(FILE *to, const char *bytes, size_t size, uint32_t c)
{
    if (c == '"' || c == '\\')
        fprintf(to, "\\%c", (char)c);
    else if (c == UTF8_INVALID)
        fputs("\\ufffd", to);
    else if (c < 0x20 || c == 0x7F)
        fprintf(to, "\\u%04x", (unsigned)c);
    else
        fwrite(bytes, 1, size, to);
}

static void json_string(FILE *to, const char *text)
{
    size_t size = text ? strlen(text) : 0;

    if (!text) {
        fputs("null", to);
        return;
    }
    putc('"', to);
    for (size_t at = 0, bytes; at < size; at += bytes) {
        uint32_t c;
        bytes = utf8_decode(text + at, size - at, &c);
        json_character(to, text + at, bytes, c);
    }
    putc('"', to);
}

/* "file":..,"line":..,"column":..,"endLine":..,"endColumn":..,"message":.. */
static void json_place(const struct printer *p, const char *file, struct span at, const char *text)
{
    struct location begin, end;
    bool placed = locate(p->diag, at.begin, &begin) && locate(p->diag, at.end, &end);

    fputs("\"file\":", p->to);
    json_string(p->to, placed ? begin.file : file);
    if (placed)
        fprintf(p->to, ",\"line\":%d,\"column\":%d,\"endLine\":%d,\"endColumn\":%d", begin.line,
                begin.column, end.line, end.column);
    else
        fputs(",\"line\":null,\"column\":null,\"endLine\":null,\"endColumn\":null", p->to);
    fputs(",\"message\":", p->to);
    json_string(p->to, text);
}

static void json_report(const struct printer *p, const struct report *r)
{
    const struct diag_info *info = diag_info(r->said.code);

    fprintf(p->to, "{\"code\":\"%s\",\"severity\":\"%s\",", info->code,
            severity_name(r->said.severity));
    json_place(p, r->said.file, r->said.at, r->said.text);
    fputs(",\"notes\":[", p->to);
    for (const struct note *note = r->notes.first; note; note = note->next) {
        fputs(note == r->notes.first ? "{" : ",{", p->to);
        json_place(p, NULL, note->at, note->text);
        putc('}', p->to);
    }
    fputs("],\"help\":", p->to);
    json_string(p->to, r->help);
    fprintf(p->to, ",\"section\":\"%s\"}\n", info->section);
}

static void print_one(const struct printer *p, const struct report *r, enum diag_style style)
{
    switch (style) {
    case DIAG_STYLE_FULL:
        print_report(p, r, true);
        return;
    case DIAG_STYLE_SHORT:
        print_report(p, r, false);
        return;
    case DIAG_STYLE_JSON:
        json_report(p, r);
        return;
    }
}

void diag_print(struct diag *diag, FILE *to, enum diag_style style, bool colour)
{
    struct printer p = {diag, to, colour};
    const struct report stop = {.said = {.severity = SEVERITY_NOTE,
                                         .code = DIAG_TOO_MANY_ERRORS,
                                         .text = "too many errors, stopping"}};

    for (; diag->printed < diag->count; diag->printed++)
        print_one(&p, &diag->report[diag->printed], style);
    if (!diag_full(diag) || diag->stop_printed)
        return;
    print_one(&p, &stop, style);
    diag->stop_printed = true;
}
