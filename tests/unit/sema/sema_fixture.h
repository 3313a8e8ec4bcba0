/* sema_fixture.h - documents in strings, checked */
#ifndef NNEFC_TESTS_SEMA_FIXTURE_H
#define NNEFC_TESTS_SEMA_FIXTURE_H

#include "base/text.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "diag/source.h"
#include "parser/parser.h"
#include "sema/sema.h"
#include "support/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXTENDED                                   \
    "version 1.0;\n"                               \
    "extension KHR_enable_fragment_definitions;\n" \
    "extension KHR_enable_operator_expressions;\n"

struct fixture {
    struct context *context;
    struct diag *diag;
    struct text text; /* of the document; must outlive the sources */
};

static struct fixture *fixture_new(void)
{
    struct fixture *f = calloc(1, sizeof *f);

    if (!f)
        abort();
    f->context = context_new();
    f->diag = f->context->diag;
    return f;
}

static void fixture_free(struct fixture *f)
{
    context_free(f->context);
    text_free(&f->text);
    free(f);
}

static inline int begin(void **state)
{
    *state = fixture_new();
    return 0;
}

static inline int end(void **state)
{
    fixture_free(*state);
    return 0;
}

/* Parse and check a document; NULL if it has faults.  Once in a fixture. */
static inline struct checked *check(struct fixture *f, const char *text)
{
    const struct parse_options parse = {0};
    const struct sema_options options = {0};

    text_add(&f->text, "%s", text);
    uint32_t base = sources_add(f->context->sources, "test.nnef", f->text.data, f->text.size);
    struct document *document = parse_text(f->context, base, f->text.data, f->text.size, &parse);
    struct checked *checked = document ? sema_check(f->context, document, &options) : NULL;
    return checked && checked->sound ? checked : NULL;
}

/* The same for the body of a graph with the parameter x, a tensor of scalars, and the result y. */
static inline struct checked *check_statements(struct fixture *f, const char *statements)
{
    struct text text = {0};

    text_add(&text, EXTENDED "fragment use(x: tensor<scalar>) -> (y: tensor<scalar>)\n{\n");
    text_add(&text, "    y = x + 0.0;\n}\n");
    text_add(&text, "graph net(x) -> (y)\n{\n    x = external(shape = [2,3]);\n%s\n}\n",
             statements);
    struct checked *checked = check(f, text.data);
    text_free(&text);
    return checked;
}

/* The codes of all errors, in their order: "N0079 N0090". */
static inline const char *codes(struct fixture *f)
{
    static char list[400];
    size_t size = 0;

    list[0] = '\0';
    for (int i = 0; i < diag_count(f->diag); i++) {
        struct diag_report report = diag_at(f->diag, i);
        if (report.severity == SEVERITY_ERROR && size < sizeof list - 10)
            size += (size_t)snprintf(list + size, sizeof list - size, "%s%s", size ? " " : "",
                                     diag_info(report.code)->code);
    }
    return list;
}

/* Everything reported, as people see it. */
static inline bool is_reported(struct fixture *f, const char *part, bool expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    diag_print(f->diag, to, DIAG_STYLE_FULL, false);
    fclose(to);
    bool found = strstr(text, part) != NULL;
    if (found != expected)
        print_error("%sfound: %s\nin: %s\n", found ? "" : "not ", part, text);
    free(text);
    return found;
}

static inline void assert_reported(struct fixture *f, const char *part)
{
    assert_true(is_reported(f, part, true));
}

#endif
