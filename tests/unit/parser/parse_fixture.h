/* parse_fixture.h - one text after another, each parsed in a compilation of its own */
#ifndef NNEFC_TESTS_UNIT_PARSER_PARSE_FIXTURE_H
#define NNEFC_TESTS_UNIT_PARSER_PARSE_FIXTURE_H

#include "base/text.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "diag/source.h"
#include "parser/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/t.h"

struct fixture {
    struct context *context;
    struct parse_options options;
    struct document *document;
    struct text text; /* what was parsed last */
    struct text printed;
};

static inline int setup(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    assert_non_null(*state);
    return 0;
}

static inline int teardown(void **state)
{
    struct fixture *f = *state;

    context_free(f->context);
    text_free(&f->text);
    text_free(&f->printed);
    free(f);
    return 0;
}

/* Parse with at most `nesting` levels, 0 for the standard. */
static inline struct document *parse_nested(struct fixture *f, const char *text, size_t size,
                                            int nesting)
{
    context_free(f->context);
    f->context = context_new();
    if (nesting)
        f->context->limits.nesting = nesting;
    uint32_t base = sources_add(f->context->sources, "g.nnef", text, size);
    f->document = parse_text(f->context, base, text, size, &f->options);
    return f->document;
}

static inline struct document *parse(struct fixture *f, const char *text)
{
    return parse_nested(f, text, strlen(text), 0);
}

/* Parse assignments as the body of a graph of NNEF 1.0. They begin on line 4. */
static inline struct document *parse_body(struct fixture *f, const char *body)
{
    text_free(&f->text);
    text_add(&f->text, "version 1.0;\ngraph g(x) -> (y)\n{\n%s\n}\n", body);
    return parse(f, f->text.data);
}

static inline struct document *parse_provisional_body(struct fixture *f, const char *body)
{
    text_free(&f->text);
    text_add(&f->text, "version 1.0\ngraph g(x) -> (y)\n{\n%s\n}\n", body);
    return parse(f, f->text.data);
}

/* The value of the first assignment of the graph as it is printed. */
static inline const char *print_value(struct fixture *f)
{
    assert_non_null(f->document);
    assert_non_null(f->document->graph);
    assert_non_null(f->document->graph->body.first);
    text_free(&f->printed);
    expr_print(f->document->graph->body.first->value, f->document->dialect, &f->printed);
    return f->printed.data;
}

static inline const char *print_document(struct fixture *f)
{
    assert_non_null(f->document);
    text_free(&f->printed);
    document_print(f->document, &f->printed);
    return f->printed.data;
}

/* Report `index` as "line:column N0001 text". */
static inline const char *report(struct fixture *f, int index)
{
    assert_true(index < diag_count(f->context->diag));
    struct diag_report r = diag_at(f->context->diag, index);
    struct location where = {0};
    text_free(&f->printed);
    if (sources_locate(f->context->sources, r.at.begin, &where))
        text_add(&f->printed, "%d:%d ", where.line, where.column);
    text_add(&f->printed, "%s %s", diag_info(r.code)->code, r.text);
    return f->printed.data;
}

static inline void assert_clean(struct fixture *f)
{
    if (diag_count(f->context->diag))
        fail_msg("unexpected report: %s", report(f, 0));
}

/* There is that one report and no other. */
static inline void assert_report(struct fixture *f, const char *expected)
{
    assert_string_equal(report(f, 0), expected);
    if (diag_count(f->context->diag) > 1)
        fail_msg("further report: %s", report(f, 1));
}

#endif
