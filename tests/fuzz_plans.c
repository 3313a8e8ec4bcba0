/*
 * fuzz_plans.c - the portable backend computes random graphs and random layers as the reference
 * does, also by the kernels for each kind of processor from NaN and infinities, which have to be
 * where the reference has them
 *
 *     fuzz_plans [--seed=S] [--count=N] [--print]
 *
 * Number k of a run with seed S is that of seed S + k - 1, so that --seed=(S + k - 1) --count=1 has
 * it again; seeds that are even are of random_graph.h, the others of random_layer.h.  --print shows
 * the documents instead.
 */
#include "base/text.h"
#include "kernel/kernels.h"
#include "support/doc.h"
#include "support/doc_backend.h"
#include "support/random_graph.h"
#include "support/random_layer.h"
#include "support/seeds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Says why not.  Where there is NaN, algorithms that spread it are left out, and passes, which may
 * let tiny factors become 0, rewrite what the reference computes, too. */
static bool computes(uint64_t seed, const char *text, enum corners corners)
{
    struct doc doc;

    doc_read_text(&doc, "graph.nnef", text);
    doc.scaled = true;
    doc.corners = corners;
    doc.exact = corners != CORNERS_NONE;
    doc.rewrites_both = corners != CORNERS_NONE;
    doc.seed = seed;
    bool ok = doc_run_planned(&doc);
    if (!ok)
        printf("seed %" PRIu64 ", %s%s\n%.*s\n", seed, kernels_variant(0)->name,
               corners == CORNERS_NONE ? "" : ", with NaN and infinities", MOST_SHOWN,
               doc.complaints.data ? doc.complaints.data : "");
    doc_clear(&doc);
    return ok;
}

static bool computes_by_all(uint64_t seed, const char *text)
{
    static const char *const variants[] = {"generic", "avx2", "avx512"};
    bool ok = computes(seed, text, CORNERS_NONE);

    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        setenv("NNEFC_KERNELS", variants[i], 1);
        /* A processor without these instructions takes other kernels. */
        if (strcmp(kernels_variant(0)->name, variants[i]) == 0)
            ok &= computes(seed, text, CORNERS_LARGE);
    }
    unsetenv("NNEFC_KERNELS");
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
        ok = computes_by_all(seed, text.data);
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
