/*
 * fuzz_plans.c - the portable backend computes random graphs and random layers as the reference
 * does, also by the kernels for each kind of processor from NaN and infinities: layers have these
 * where the reference has them, and graphs have one of them there; and integers of quantized
 * values the same by all of these and by any number of threads
 *
 *     fuzz_plans [--seed=S] [--count=N] [--print]
 *
 * Number k of a run with seed S is that of seed S + k - 1, so that --seed=(S + k - 1) --count=1 has
 * it again; seeds that are even are of random_graph.h, every other one of the others of
 * random_layer.h and of random_quantized.h.  --print shows the documents instead.
 */
#include "base/text.h"
#include "kernel/kernels.h"
#include "support/doc.h"
#include "support/doc_backend.h"
#include "support/random_graph.h"
#include "support/random_layer.h"
#include "support/random_quantized.h"
#include "support/seeds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FAILURES = 10, MOST_SHOWN = 3000, MOST_THREADS = 4 };

static bool is_layer(uint64_t seed)
{
    return seed % 2;
}

static void make_text(uint64_t seed, struct text *to)
{
    if (is_layer(seed)) {
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
    doc.corners_change = !is_layer(seed);
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

static const char *const variants[] = {"generic", "avx2", "avx2_vnni", "avx512", "avx512_vnni"};

/* A processor without these instructions takes other kernels. */
static bool select_kernels(const char *variant)
{
    setenv("NNEFC_KERNELS", variant, 1);
    return strcmp(kernels_variant(0)->name, variant) == 0;
}

static bool computes_integers(uint64_t seed, const char *text, int64_t apart, int threads)
{
    struct doc doc;

    doc_read_text(&doc, "graph.nnef", text);
    doc.exact = true;
    doc.apart = apart;
    doc.threads = threads;
    bool ok = doc_run_planned(&doc);
    if (!ok)
        printf("seed %" PRIu64 ", %s, %d threads\n%.*s\n", seed, kernels_variant(0)->name, threads,
               MOST_SHOWN, doc.complaints.data ? doc.complaints.data : "");
    doc_clear(&doc);
    return ok;
}

static bool try_quantized(uint64_t seed, bool print)
{
    struct text text = {0};
    int64_t apart = random_quantized_text(seed, &text);
    bool ok = true;

    if (print)
        fputs(text.data, stdout);
    for (size_t i = 0; i < sizeof variants / sizeof variants[0] && !print; i++)
        for (int threads = 1; select_kernels(variants[i]) && threads <= MOST_THREADS; threads++)
            ok &= computes_integers(seed, text.data, apart, threads);
    unsetenv("NNEFC_KERNELS");
    text_free(&text);
    return ok;
}

static bool computes_by_all(uint64_t seed, const char *text)
{
    bool ok = computes(seed, text, CORNERS_NONE);

    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        if (select_kernels(variants[i]))
            ok &= computes(seed, text, CORNERS_LARGE);
    unsetenv("NNEFC_KERNELS");
    return ok;
}

static bool try_seed(uint64_t seed, bool print)
{
    struct text text = {0};
    bool ok = true;

    if (seed % 4 == 3)
        return try_quantized(seed, print);
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
