/* parser.c - runs the generated scanner and grammar over one text */
#include "parser/scan_priv.h"

#include "base/arena.h"

#include <string.h>

#include "nnef.lex.h"

static const char byte_order_mark[] = "\xef\xbb\xbf";

enum { LARGEST_TEXT = 1 << 30 }; /* the scanner counts in `int` */

bool parser_require_1_0(struct parser *p, struct span span, const char *what)
{
    if (parser_in_1_0(p) || p->library)
        return true;
    diag_error(p->diag, span, DIAG_DIALECT, "%s not available in provisional NNEF", what);
    parser_hint_at_dialect(p);
    return false;
}

void parser_hint_at_dialect(struct parser *p)
{
    if (p->misread) {
        bool now = parser_in_1_0(p);

        diag_help(p->diag, "this is %s: leave out --std=%s.", now ? "provisional NNEF" : "NNEF 1.0",
                  now ? "1.0" : "provisional");
        p->stop = p->failed = true;
    }
    if (p->hinted || !p->guessed)
        return;
    p->hinted = true;
    if (parser_in_1_0(p)) {
        diag_note(p->diag, p->document->version,
                  "read as NNEF 1.0 because of the ';' after the version; remove it or use "
                  "--std=provisional if this is provisional NNEF");
        return;
    }
    diag_note(p->diag, p->document->version,
              "read as provisional NNEF because ';' is missing after the version");
    diag_help(p->diag, "write 'version 1.0;' if this is NNEF 1.0.");
    p->stop |= p->has_semicolons;
    p->failed |= p->has_semicolons;
}

/* The version number is followed by ';' in NNEF 1.0 and by no such thing in provisional NNEF. */
static enum dialect dialect_of(const struct parser *p, uint32_t version_end)
{
    uint32_t number = scan_past_blank(p, version_end);
    uint32_t at = number;
    while (parser_byte(p, at) && strchr("0123456789.", parser_byte(p, at)))
        at++;
    uint32_t end = at;

    if (end == number || parser_byte(p, scan_past_blank(p, end)) == ';')
        return DIALECT_1_0;
    return DIALECT_PROVISIONAL;
}

/* Strings may hold them, but rarely do. */
static bool has_semicolons(const struct parser *p, uint32_t at)
{
    while (parser_byte(p, at) && parser_byte(p, at) != ';')
        at = scan_past_blank(p, at + 1);
    return parser_byte(p, at) == ';';
}

static void choose_dialect(struct parser *p, enum parse_dialect wanted)
{
    uint32_t begin = scan_past_blank(p, p->at);
    /* Behind `version` where the text begins with it, else `at` itself. */
    static const char version[] = "version";
    uint32_t end = scan_past_word(p, begin);
    bool found = end - begin == strlen(version) &&
                 memcmp(p->text + (begin - p->base), version, strlen(version)) == 0;
    uint32_t version_end = found ? end : begin;
    struct span here = {begin, scan_past_word(p, begin)};

    p->document->dialect = wanted == PARSE_PROVISIONAL ? DIALECT_PROVISIONAL : DIALECT_1_0;
    p->guessed = version_end != begin && wanted == PARSE_AUTO;
    if (version_end != begin) {
        enum dialect told = dialect_of(p, version_end);
        p->misread = !p->guessed && !p->library && told != p->document->dialect;
        p->document->dialect = p->guessed ? told : p->document->dialect;
        p->has_semicolons = has_semicolons(p, begin);
    }
    if (version_end != begin || p->library)
        return;
    p->versionless = wanted == PARSE_AUTO;
    if (p->versionless)
        diag_error(p->diag, here, DIAG_VERSION, "text does not begin with 'version 1.0'");
    else
        diag_warning(p->diag, here, WARNING_MISSING_VERSION,
                     "text does not begin with 'version 1.0'");
}

/* Editors leave it; the standard does not allow it, and it does no harm. */
static void skip_byte_order_mark(struct parser *p)
{
    size_t size = strlen(byte_order_mark);

    if (p->size < size || memcmp(p->text, byte_order_mark, size) != 0)
        return;
    p->fed = size;
    p->at += (uint32_t)size;
    diag_warning(p->diag, (struct span){p->base, p->at}, WARNING_BYTE_ORDER_MARK,
                 "byte order mark at the beginning of the text");
    diag_fix(p->diag, (struct span){p->base, p->at}, "");
}

static void run(struct parser *p)
{
    if (nnef_flex_lex_init_extra(p, &p->scanner))
        arena_out_of_memory();
    bool accepted = nnef_yyparse(p) == 0;
    nnef_flex_lex_destroy(p->scanner);
    ast_report_pending(p);
    p->document->cut = !accepted || p->stop;
    p->document->partial = p->document->cut || p->failed;
    if (!p->quant && accepted && !p->failed && !p->graph_seen && !p->library)
        diag_error(p->diag, p->last_span, DIAG_GRAPH_COUNT, "document without a graph");
    p->document->faults = diag_error_count(p->diag) - p->errors;
}

/* False, after a report, if the text is too long to be read. */
static bool begin(struct parser *p, struct context *context, uint32_t base, const char *text,
                  size_t size)
{
    int nesting = context->limits.nesting;

    p->context = context;
    p->diag = context->diag;
    p->document = arena_new_of(context->arena, struct document);
    p->nesting = nesting < UINT16_MAX ? nesting : UINT16_MAX;
    p->text = text;
    p->size = size;
    p->base = p->at = base;
    p->last_span = (struct span){base, base};
    p->errors = diag_error_count(p->diag);
    if (size > LARGEST_TEXT)
        return diag_error(p->diag, (struct span){base, base}, DIAG_NOT_SUPPORTED,
                          "text of %zu bytes, expected at most %d", size, LARGEST_TEXT);
    skip_byte_order_mark(p);
    return true;
}

struct document *parse_text(struct context *context, uint32_t base, const char *text, size_t size,
                            const struct parse_options *options)
{
    struct parser p = {.library = options->library};

    if (!begin(&p, context, base, text, size))
        return NULL;
    if (foreign_text(&p, p.at))
        return NULL;
    choose_dialect(&p, options->dialect);
    run(&p);
    bool useful = p.document->graph || p.document->fragments.first || p.document->version.end;
    return useful ? p.document : NULL;
}

struct quant_entry_list parse_quant(struct context *context, uint32_t base, const char *text,
                                    size_t size, enum dialect dialect)
{
    struct parser p = {.quant = true};

    if (!begin(&p, context, base, text, size))
        return p.entries;
    p.document->dialect = dialect;
    run(&p);
    for (struct quant_entry *e = p.entries.first; e; e = e->next)
        e->faulty = p.document->faults > 0;
    return p.entries;
}
