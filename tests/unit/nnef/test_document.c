/*
 * test_document.c - a graph written as a document is the graph again
 *
 * Every document of tests/ that computes something is lowered; the graph is written, and what is
 * written is read: writing that once more must give the same text, and it must compute the same
 * bytes.  What passes leave may be written with copies that are outputs of their own then.
 */
#include "support/t.h"
#include "support/again.h"
#include "support/doc.h"
#include "support/files.h"
#include "support/random_graph.h"

#include "base/arena.h"
#include "convert/nnef/document.h"
#include "diag/context.h"
#include "exec/run.h"
#include "lower/lower.h"
#include "op/op.h"
#include "parser/parser.h"

#include <string.h>

struct tally {
    bool rewrites;
    int written, provisional, custom;
};

/* A graph, and the document it is written as. */
struct written {
    struct context *context;
    struct graph *graph;
    struct text text;
};

static void write_graph(struct written *w, const struct library *library)
{
    const struct document_options options = {.library = library};
    const struct document *document = document_of_graph(w->graph, names_new(w->graph), &options);

    assert_non_null(document);
    document_print(document, &w->text);
}

/* Read what was written, and write it again. */
static struct written read_again(const struct doc *doc, const struct text *text)
{
    struct written w = {.context = context_new()};
    const struct parse_options parse = {.dialect = PARSE_1_0};
    const struct sema_options sema = {0};
    const struct lower_options lowering = {0};
    uint32_t base = sources_add(w.context->sources, "written.nnef", text->data, text->size);
    struct document *document = parse_text(w.context, base, text->data, text->size, &parse);
    const struct checked *checked = document ? sema_check(w.context, document, &sema) : NULL;

    w.graph = checked ? lower(checked, &lowering) : NULL;
    if (!w.graph) {
        print_error("%s is written as\n%s", doc->path, text->data);
        diag_print(w.context->diag, stderr, DIAG_STYLE_SHORT, false);
        fail();
    } else
        write_graph(&w, checked->library);
    return w;
}

/* --- documents ------------------------------------------------------------------------------- */

static const struct library *load_library(struct context *context)
{
    const struct library *library = library_load(context, DIALECT_1_0);

    assert_non_null(library);
    return library;
}

static bool has_custom(const struct graph *graph, const struct library *library)
{
    for (const struct node *n = graph->first; n; n = n->next)
        if (!library_find(library, n->op->name))
            return true;
    return false;
}

/* What was read has no data of its own. */
static void take_data(struct graph *graph, const struct graph *from)
{
    const struct source *data = from->variables.first;

    for (struct source *s = graph->variables.first; s; s = s->next, data = data->next)
        s->tensor = data->tensor;
}

static void there_and_back(void *to, const struct doc *doc, struct graph *graph,
                           const struct run *run)
{
    struct tally *tally = to;
    const struct library *library = load_library(graph->context);
    struct written first = {.graph = graph};

    tally->provisional += graph->provisional;
    tally->custom += !graph->provisional && has_custom(graph, library);
    if (graph->provisional || has_custom(graph, library))
        return;
    write_graph(&first, library);
    struct written second = read_again(doc, &first.text);
    if (!first.text.data || !second.text.data) {
        fail_msg("%s is written as nothing", doc->path);
        return;
    }
    if (!tally->rewrites && strcmp(first.text.data, second.text.data) != 0) {
        print_error("%s\n", doc->path);
        assert_string_equal(first.text.data, second.text.data);
    }
    take_data(second.graph, graph);
    again_computes_same(second.graph, run, graph);
    tally->written++;
    text_free(&first.text);
    text_free(&second.text);
    context_free(second.context);
}

static void watch(struct tally *tally, struct doc *doc)
{
    const struct doc_watcher watcher = {
        .computed = there_and_back, .to = tally, .rewrites = tally->rewrites};

    doc_watch(doc, &watcher);
    if (doc->complaints.size > 0)
        fail_msg("%s", doc->complaints.data);
}

static void try_document(void *to, const char *path)
{
    struct tally *tally = to;
    struct doc doc;

    doc_read(&doc, path);
    if (doc.has_values)
        watch(tally, &doc);
    doc_clear(&doc);
}

static void written_graphs_are_read_as_they_were(void **state)
{
    struct tally tally = {0};

    (void)state;
    assert_true(files_below("tests/op", ".nnef", try_document, &tally));
    assert_true(files_below("tests/lower", ".nnef", try_document, &tally));
    assert_true(files_below("tests/language", ".nnef", try_document, &tally));
    print_message("%d documents written, %d provisional, %d with custom operations\n",
                  tally.written, tally.provisional, tally.custom);
    assert_true(tally.written > 200);
}

static void try_random(struct tally *tally, uint64_t seed)
{
    struct random_graph *graph = random_graph_new(seed);
    struct text text = {0};
    struct doc doc;

    random_graph_text(graph, &text);
    doc_read_text(&doc, "graph.nnef", text.data);
    watch(tally, &doc);
    doc_clear(&doc);
    text_free(&text);
    random_graph_free(graph);
}

static void so_are_those_that_passes_rewrote(void **state)
{
    struct tally tally = {.rewrites = true};

    (void)state;
    assert_true(files_below("tests/op", ".nnef", try_document, &tally));
    assert_true(files_below("tests/passes", ".nnef", try_document, &tally));
    for (uint64_t seed = 1; seed <= 300; seed++)
        try_random(&tally, seed);
    print_message("%d rewritten documents written\n", tally.written);
    assert_true(tally.written > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_graphs_are_read_as_they_were),
        cmocka_unit_test(so_are_those_that_passes_rewrote),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
