/*
 * fuzz_rewrite.c - passes rewrite whatever graph a text makes: it stays sound and can be run
 *
 * Which passes run is told by the bytes of the text: one of them, those by default or all.  What
 * the graph computes is compared by fuzz_passes.c, on graphs that do not make much of a rounding
 * error.
 */
#include "fuzz/text_target.h"

#include "base/arena.h"
#include "diag/diag.h"
#include "exec/run.h"
#include "ir/graph.h"
#include "lower/lower.h"
#include "pass/pass.h"
#include "support/same_graph.h"
#include "tensor/retained.h"

#include <string.h>

enum { ROUNDS = 50, FOLD_LIMIT = 256, MANY = 4 };

static unsigned sum_of(const struct fuzz_text *text)
{
    unsigned sum = 0;

    for (size_t i = 0; i < text->size; i++)
        sum = sum * 31 + (unsigned char)text->data[i];
    return sum;
}

static bool *choose(struct context *c, unsigned number)
{
    bool *enabled = arena_array_of(c->arena, bool, pass_count());
    bool all = number % MANY == 0, standard = number % MANY == 1;
    int one = (int)(number / MANY % (unsigned)pass_count());

    for (int i = 0; i < pass_count(); i++)
        enabled[i] = all || (standard ? pass_at(i).by_default : i == one);
    return enabled;
}

static void expect_same_interface(const struct graph *graph, const struct graph *before)
{
    struct text what = {0};
    bool same = same_interface(graph, before, false, &what);

    fuzz_expect(same, what.data);
    text_free(&what);
}

/* A run may find that limits are too small, for there may be other work than before. */
static void compute(const struct graph *graph)
{
    struct run *run = run_new(graph);

    if (run && fuzz_feed(run, graph))
        (void)run_step(run);
    run_free(run);
}

static void rewrite(struct graph *graph, unsigned number, struct retained_tensor **kept)
{
    struct context *c = graph->context;
    const struct graph before = *graph;
    const struct pass_options options = {
        .enabled = choose(c, number), .rounds = ROUNDS, .growth = FOLD_LIMIT, .verify = true};
    struct pass_report report;
    struct port *ports = arena_array_of(c->arena, struct port, before.noutput);
    struct graph shown = before;

    memcpy(ports, before.outputs, (size_t)before.noutput * sizeof *ports);
    shown.outputs = ports;
    if (!passes_run(graph, &options, kept, &report)) {
        int last = diag_count(c->diag) - 1;
        fuzz_expect(last >= 0, "passes run or have errors");
        fuzz_expect(diag_at(c->diag, last).code != DIAG_GRAPH_UNSOUND, diag_at(c->diag, last).text);
        return;
    }
    fuzz_expect(report.settled, "passes come to an end");
    expect_same_interface(graph, &shown);
    compute(graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fuzz_text document = {(const char *)data, size};
    unsigned number = sum_of(&document);
    struct context *c = fuzz_context();
    struct lower_options options = {.keep = number % 2 ? lower_keep_none : NULL};
    struct graph *graph = fuzz_lower(c, &document, NULL, &options);
    struct tensor *weights;
    struct retained_tensor *kept = NULL;

    if (graph) {
        int count = graph->variables.count;
        if (fuzz_weights(graph, &weights))
            rewrite(graph, number / 2, &kept);
        fuzz_weights_clear(weights, count);
        retained_tensors_free(c, kept);
    }
    fuzz_context_free(c);
    return 0;
}
