/* parser.c - runs the generated scanner and grammar over one text */
#include "parser/scan_priv.h"

#include "base/arena.h"
#include "base/num.h"

#include <assert.h>
#include <string.h>

#include "nnef.lex.h"

static const char byte_order_mark[] = "\xef\xbb\xbf";

enum { LARGEST_TEXT = 1 << 30 }; /* bytes; the generated scanner counts in `int` */

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

/* Whether the text from `at` on has a ';', which is rarely in a string. */
static bool has_semicolons(const struct parser *p, uint32_t at)
{
    while (parser_byte(p, at) && parser_byte(p, at) != ';')
        at = scan_past_blank(p, at + 1);
    return parser_byte(p, at) == ';';
}

/*
 * Choose the dialect of a text.  The version number is followed by ';' in NNEF 1.0, and by none in
 * provisional NNEF.  A version is required unless the user named the dialect.
 */
static void choose_dialect(struct parser *p, enum parse_dialect wanted)
{
    static const char version[] = "version";
    uint32_t begin = scan_past_blank(p, p->at), end = scan_past_word(p, begin);
    bool found = end - begin == strlen(version) &&
                 memcmp(p->text + (begin - p->base), version, strlen(version)) == 0;

    assert(wanted <= PARSE_PROVISIONAL);
    p->document->dialect = wanted == PARSE_PROVISIONAL ? DIALECT_PROVISIONAL : DIALECT_1_0;
    p->guessed = found && wanted == PARSE_AUTO;
    if (found) {
        uint32_t number = scan_past_blank(p, end), behind = number;
        while (parser_byte(p, behind) && strchr("0123456789.", parser_byte(p, behind)))
            behind++;
        bool semicolon = parser_byte(p, scan_past_blank(p, behind)) == ';';
        enum dialect stated = behind == number || semicolon ? DIALECT_1_0 : DIALECT_PROVISIONAL;
        p->misread = !p->guessed && !p->library && stated != p->document->dialect;
        p->document->dialect = p->guessed ? stated : p->document->dialect;
        p->has_semicolons = has_semicolons(p, begin);
    }
    if (found || p->library)
        return;
    p->versionless = wanted == PARSE_AUTO;
    if (p->versionless)
        diag_error(p->diag, (struct span){begin, end}, DIAG_VERSION,
                   "text does not begin with 'version 1.0'");
    else
        diag_warning(p->diag, (struct span){begin, end}, WARNING_MISSING_VERSION,
                     "text does not begin with 'version 1.0'");
}

/* Parse the text, and note in the document what a reader may rely on after errors. */
static void run(struct parser *p)
{
    assert(p->document && p->at >= p->base);
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

/* Prepare a parse.  False after a report if the text is too long. */
static bool begin(struct parser *p, struct context *context, uint32_t base, const char *text,
                  size_t size)
{
    size_t mark = strlen(byte_order_mark);

    p->context = context;
    p->diag = context->diag;
    p->document = arena_new_of(context->arena, struct document);
    assert(context->limits.nesting <= UINT16_MAX); /* struct expr stores a depth in 16 bits */
    p->nesting = (int)num_min(context->limits.nesting, UNMEASURED_NESTING);
    p->text = text;
    p->size = size;
    p->base = p->at = base;
    p->last_span = (struct span){base, base};
    p->errors = diag_error_count(p->diag);
    if (size > LARGEST_TEXT)
        return diag_error(p->diag, (struct span){base, base}, DIAG_NOT_SUPPORTED,
                          "text of %zu bytes, expected at most %d", size, LARGEST_TEXT);
    /* The standard does not allow a byte order mark, but editors write one and it is harmless. */
    if (size >= mark && memcmp(text, byte_order_mark, mark) == 0) {
        p->fed = mark;
        p->at += (uint32_t)mark;
        diag_warning(p->diag, (struct span){base, p->at}, WARNING_BYTE_ORDER_MARK,
                     "byte order mark at the beginning of the text");
        diag_fix(p->diag, (struct span){base, p->at}, "");
    }
    return true;
}

struct document *parse_text(struct context *context, uint32_t base, const char *text, size_t size,
                            const struct parse_options *options)
{
    struct parser p = {.library = options->library};

    if (!begin(&p, context, base, text, size) || foreign_text(&p, p.at))
        return NULL;
    choose_dialect(&p, options->dialect);
    run(&p);
    /* Without any of these there is nothing that the semantic check could add. */
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

bool is_identifier(const char *name)
{
    static const char allowed[] = "0123456789"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz_";

    assert(name);
    if (!*name || (*name >= '0' && *name <= '9') || name[strspn(name, allowed)] ||
        grammar_has_keyword(name))
        return false;
    for (int type = TYPE_NAME_INTEGER; type <= TYPE_NAME_STRING; type++)
        if (strcmp(type_name_text((enum type_name)type, DIALECT_1_0), name) == 0)
            return false;
    for (int builtin = BUILTIN_SHAPE_OF; builtin <= BUILTIN_STRING; builtin++)
        if (strcmp(builtin_text((enum builtin)builtin, DIALECT_1_0), name) == 0)
            return false;
    return true;
}
