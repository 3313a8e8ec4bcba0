/* compile.c - the whole road from a text to tensors, within limits */
#include "fuzz/fuzz.h"

#include "base/arena.h"
#include "diag/diag.h"
#include "diag/source.h"
#include "exec/random.h"
#include "exec/run.h"
#include "ir/graph.h"
#include "lower/lower.h"
#include "parser/parser.h"
#include "sema/sema.h"

/* A kernel costs its items times those of a window or filter. */
enum { MAX_NODES = 24, STEPS = 2 };

static struct document *parse(struct context *c, const struct fuzz_text *text)
{
    uint32_t base = sources_add(c->sources, "graph.nnef", text->data, text->size);

    return parse_text(c, base, text->data, text->size, &(struct parse_options){0});
}

static bool parse_entries(const struct checked *checked, const struct fuzz_text *text,
                          struct quant_entry_list *entries)
{
    struct context *c = checked->context;
    uint32_t base = sources_add(c->sources, "graph.quant", text->data, text->size);

    *entries = parse_quant(c, base, text->data, text->size, checked->document->dialect);
    return sema_quant(checked, entries, &(struct sema_options){0}) &&
           diag_error_count(c->diag) == 0;
}

/* --- running ----------------------------------------------------------------------------- */

static bool fill(struct tensor *tensor, const struct value *value)
{
    struct random random = random_stream(value->id, "fuzz");

    if (!shape_known(value->shape) || !tensor_allocate(tensor, value->dtype, value->shape))
        return false;
    random_fill(&random, tensor, -1, 1);
    return true;
}

bool fuzz_weights(const struct graph *graph, struct tensor **weights)
{
    struct tensor *next =
        arena_array_of(graph->context->arena, struct tensor, graph->variables.count);
    bool ok = true;

    *weights = next;
    for (struct source *v = graph->variables.first; v; v = v->next, next++) {
        ok &= fill(next, v->value);
        v->tensor = next;
    }
    return ok;
}

void fuzz_weights_clear(struct tensor *weights, int count)
{
    for (int i = 0; i < count; i++)
        tensor_clear(&weights[i]);
}

bool fuzz_feed(struct run *run, const struct graph *graph)
{
    for (int i = 0; i < graph->ninput; i++) {
        struct tensor tensor;
        if (!fill(&tensor, graph->inputs[i].value))
            return false;
        run_set_input(run, i, &tensor);
    }
    return true;
}

static void check_results(const struct graph *graph, const struct run *run)
{
    for (int i = 0; i < graph->noutput; i++) {
        const struct tensor *tensor = run_tensor(run, graph->outputs[i].value);
        fuzz_expect(shape_equal(&tensor->shape, graph->outputs[i].value->shape),
                    "a result has its shape");
        for (int64_t k = 0; k < shape_volume(&tensor->shape); k++)
            (void)tensor_item(tensor, k);
    }
}

static void execute(const struct graph *graph)
{
    struct run *run = run_new(graph);
    bool ok = run && fuzz_feed(run, graph);

    if (run)
        run_set_threads(run, 1);
    for (int i = 0; ok && i < STEPS; i++) {
        ok = run_step(run);
        if (ok)
            check_results(graph, run);
    }
    run_free(run);
}

static void run_graph(const struct graph *graph)
{
    struct tensor *weights;

    if (fuzz_weights(graph, &weights))
        execute(graph);
    fuzz_weights_clear(weights, graph->variables.count);
}

/* --- lowering ---------------------------------------------------------------------------- */

static void use_graph(struct graph *graph)
{
    fuzz_inspect(graph);
    if (graph->node_count <= MAX_NODES)
        run_graph(graph);
}

static struct checked *check(struct context *c, struct document *document)
{
    struct checked *checked = sema_check(c, document, &(struct sema_options){0});
    struct text text = {0};

    bool sound = checked && checked->sound;

    fuzz_expect(!sound == (diag_error_count(c->diag) > 0), "a document is sound or has errors");
    if (sound)
        checked_print(checked, &text);
    text_free(&text);
    return checked;
}

struct graph *fuzz_lower(struct context *context, const struct fuzz_text *document,
                         const struct fuzz_text *quant, struct lower_options *options)
{
    struct document *parsed = parse(context, document);
    struct checked *checked = parsed ? check(context, parsed) : NULL;
    struct quant_entry_list *entries = arena_array_of(context->arena, struct quant_entry_list, 1);

    if (checked && checked->sound && quant && parse_entries(checked, quant, entries)) {
        options->quant = entries;
        options->quantization = quant->size & 4 ? QUANTIZATION_INTEGERS : QUANTIZATION_APPLY;
    }
    struct graph *graph = checked ? lower(checked, options) : NULL;
    fuzz_expect(graph || diag_error_count(context->diag) > 0,
                "a document is lowered or has errors");
    return graph;
}

void fuzz_compile(const struct fuzz_text *document, const struct fuzz_text *quant, bool expand_all)
{
    struct context *c = fuzz_context();
    struct lower_options options = {.keep = expand_all ? lower_keep_none : NULL};
    struct graph *graph = fuzz_lower(c, document, quant, &options);

    if (graph)
        use_graph(graph);
    fuzz_context_free(c);
}
