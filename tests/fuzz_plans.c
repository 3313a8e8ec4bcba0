/*
 * fuzz_plans.c - the portable backend computes random graphs and random layers as the reference
 * does
 *
 *     fuzz_plans [--seed=S] [--count=N] [--print]
 *
 * Number k of a run with seed S is that of seed S + k - 1, so that --seed=(S + k - 1) --count=1 has
 * it again; seeds that are even are of random_graph.h, the others of random_layer.h.  --print shows
 * the documents instead.
 */
#include "base/text.h"
#include "support/doc.h"
#include "support/doc_backend.h"
#include "support/random_graph.h"
#include "support/random_layer.h"
#include "support/seeds.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_FAILURES = 10, MOST_SHOWN = 3000 };

static void make_text(uint64_t seed, struct text *to)
{
    if (seed % 2) {
        random_layer_text(seed, to);
        return;
    }
    struct random_graph *graph = random_graph_new(seed);
    random_graph_text(graph, to);
    random_graph_free(graph);
}

/* Says why not. */
static bool computes(uint64_t seed, const char *text)
{
    struct doc doc;

    doc_read_text(&doc, "graph.nnef", text);
    doc.scaled = true;
    bool ok = doc_run_planned(&doc);
    if (!ok)
        printf("seed %" PRIu64 "\n%.*s\n", seed, MOST_SHOWN,
               doc.complaints.data ? doc.complaints.data : "");
    doc_clear(&doc);
    return ok;
}

static bool try_seed(uint64_t seed, bool print)
{
    struct text text = {0};
    bool ok = true;

    make_text(seed, &text);
    if (print)
        fputs(text.data, stdout);
    else
        ok = computes(seed, text.data);
    text_free(&text);
    return ok;
}

int main(int argc, char *argv[])
{
    uint64_t failed = 0, done = 0;
    struct seeds seeds;

    if (!seeds_read(argc, argv, "fuzz_plans", &seeds))
        return 2;
    for (; done < seeds.count && failed < MOST_FAILURES; done++)
        failed += !try_seed(seeds.first + done, seeds.print);
    if (!seeds.print)
        printf("%" PRIu64 " passed, %" PRIu64 " failed\n", done - failed, failed);
    return failed > 0;
}
