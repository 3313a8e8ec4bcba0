/*
 * fuzz_text.c - any text is parsed in every way there is; what is printed of a text without errors
 *               is read back as the same
 */
#include "fuzz/text_target.h"

#include "diag/diag.h"
#include "diag/source.h"
#include "parser/parser.h"
#include "unit/parser/same_document.h"

static const struct parse_options ways[] = {
    {.dialect = PARSE_1_0},
    {.dialect = PARSE_PROVISIONAL},
    {.dialect = PARSE_1_0, .library = true},
    {.dialect = PARSE_PROVISIONAL, .library = true},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static struct document *parse(struct context *c, const char *text, size_t size,
                              const struct parse_options *options)
{
    return parse_text(c, sources_add(c->sources, "text", text, size), text, size, options);
}

/* The printed text is parsed as what it was printed from. */
static void read_back(const struct document *document, const struct text *printed, bool library)
{
    bool is_1_0 = document->dialect == DIALECT_1_0;
    struct parse_options options = {is_1_0 ? PARSE_1_0 : PARSE_PROVISIONAL, library};
    struct context *c = fuzz_context();
    struct document *again = parse(c, printed->data, printed->size, &options);
    struct text twice = {0};

    fuzz_expect(again && diag_error_count(c->diag) == 0, "what is printed has no errors");
    fuzz_expect(same_document(document, again), "what is printed is read back");
    document_print(again, &twice);
    fuzz_expect(twice.size == printed->size && memcmp(twice.data, printed->data, twice.size) == 0,
                "what is read back is printed the same");
    text_free(&twice);
    fuzz_context_free(c);
}

static void parse_and_print(const uint8_t *data, size_t size, const struct parse_options *options)
{
    struct context *c = fuzz_context();
    const struct document *document = parse(c, (const char *)data, size, options);
    int errors = diag_error_count(c->diag);
    struct text printed = {0};

    fuzz_expect(document || errors > 0 || options->library, "a text that is dropped has errors");
    if (document)
        document_print(document, &printed);
    if (document && errors == 0)
        read_back(document, &printed, options->library);
    text_free(&printed);
    fuzz_context_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parse_and_print(data, size, &(struct parse_options){0});
    parse_and_print(data, size, &ways[size % WAYS]);
    return 0;
}
