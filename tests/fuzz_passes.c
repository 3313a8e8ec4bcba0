/*
 * fuzz_passes.c - passes rewrite random graphs, which must compute the same; docs/passes.md
 *
 *     fuzz_passes [--seed=S] [--count=N] [--print]
 *
 * It says how many graphs each pass has changed, those of a document with compounds kept and
 * expanded counted apart.  Graph k of a run with seed S is that of seed S + k - 1, so that
 * --seed=(S + k - 1) --count=1 has it again.  --print shows the documents instead.
 */
#include "base/text.h"
#include "pass/pass.h"
#include "support/doc.h"
#include "support/random_graph.h"
#include "support/seeds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_FAILURES = 10 };

struct tally {
    uint64_t passed, failed;
    int *changed; /* by pass */
};

static void read_text(struct doc *doc, const char *text)
{
    doc_read_text(doc, "graph.nnef", text);
    doc->scaled = true;
}

/* It says why in *complaints, if that is not NULL. */
static bool fails(const char *text, struct text *complaints, int *changed)
{
    struct doc doc;

    read_text(&doc, text);
    doc.changed = changed;
    bool failed = !doc_rewrite(&doc);
    if (failed && complaints)
        text_add(complaints, "%s", doc.complaints.data);
    doc_clear(&doc);
    return failed;
}

/* A part of a graph that is no document any more does not count. */
static bool still_fails(void *to, const char *text)
{
    struct doc doc;

    (void)to;
    read_text(&doc, text);
    bool valid = doc_run(&doc);
    doc_clear(&doc);
    return valid && fails(text, NULL, NULL);
}

static void show_failure(uint64_t seed, struct random_graph *graph, const char *complaints)
{
    struct text text = {0}, again = {0};

    printf("seed %" PRIu64 "\n%s", seed, complaints);
    random_graph_reduce(graph, still_fails, NULL);
    random_graph_text(graph, &text);
    fails(text.data, &again, NULL);
    printf("which is left of it:\n%s%s\n", again.data ? again.data : "", text.data);
    text_free(&text);
    text_free(&again);
}

static void try_seed(uint64_t seed, bool print, struct tally *tally)
{
    struct random_graph *graph = random_graph_new(seed);
    struct text text = {0}, complaints = {0};
    bool failed = false;

    random_graph_text(graph, &text);
    if (print)
        fputs(text.data, stdout);
    else
        failed = fails(text.data, &complaints, tally->changed);
    if (failed)
        show_failure(seed, graph, complaints.data);
    text_free(&text);
    text_free(&complaints);
    random_graph_free(graph);
    *(failed ? &tally->failed : &tally->passed) += 1;
}

static void show_tally(const struct tally *tally)
{
    for (int i = 0; i < pass_count(); i++)
        printf("%s: %d graphs changed\n", pass_at(i).name, tally->changed[i]);
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", tally->passed, tally->failed);
}

int main(int argc, char *argv[])
{
    struct tally tally = {0};
    struct seeds seeds;

    if (!seeds_read(argc, argv, "fuzz_passes", &seeds))
        return 2;
    tally.changed = calloc((size_t)pass_count(), sizeof(int));
    if (!tally.changed)
        return 2;
    for (uint64_t i = 0; i < seeds.count && tally.failed < MOST_FAILURES; i++)
        try_seed(seeds.first + i, seeds.print, &tally);
    if (!seeds.print)
        show_tally(&tally);
    free(tally.changed);
    return tally.failed > 0;
}
