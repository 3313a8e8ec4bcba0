/*
 * steps.c - where the time of a run goes: step by step of its plan, and by kind of step
 *
 * The time of a step is that of its fastest run: other runs may have waited for other programs. Of
 * a model in parts, a step that is taken several times in a run counts as often. Speeds are
 * compared with the peak of the processor, which is measured here.
 */
#include "driver/compute.h"

#include "driver/memory.h"
#include "nnefc/backend.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The time of a step, or of all steps of a kind. */
struct spent {
    const char *kind;
    int steps;
    double seconds;
    int64_t work;  /* additions and multiplications of sums of products */
    bool shortens; /* any of them needs fewer operations than `work`, as Winograd's algorithm */
};

struct profile {
    struct spent *kind; /* the one that took longest first */
    int nkind;
    struct spent all;
    double peak; /* operations a second */
};

static bool is_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Is it the same step, of another graph of the part? */
static bool is_again(const struct nnefc_step *a, const struct nnefc_step *b)
{
    return a->name && is_text(a->name, b->name) && is_text(a->operations, b->operations) &&
           is_text(a->kernel, b->kernel) && is_text(a->layout, b->layout);
}

/* Each step once, by all graphs that it is in; the caller frees them. */
static struct nnefc_step *merge_steps(const struct nnefc_step_list *list, int *count)
{
    struct nnefc_step *merged = zeroed_items((size_t)list->count + 1, sizeof *merged);

    *count = 0;
    for (int i = 0; i < list->count; i++) {
        const struct nnefc_step *step = list->at[i];
        int k = 0;
        while (k < *count && !is_again(&merged[k], step))
            k++;
        struct nnefc_step *to = &merged[k];
        if (k == *count) {
            merged[(*count)++] = *step;
            continue;
        }
        to->least =
            to->runs == 0 || (step->runs > 0 && step->least < to->least) ? step->least : to->least;
        to->work = step->work > to->work ? step->work : to->work;
        to->total += step->total;
        to->runs += step->runs;
    }
    return merged;
}

/* A step is one of its kind.  In a loop it is taken several times in a run, and in a graph for some
 * shapes only not in each run. */
static struct spent spent_by(const struct nnefc_step *step, int runs)
{
    double times = (double)step->runs / runs;

    assert(runs > 0);
    return (struct spent){step->kind, 1, times * step->least, (int64_t)(times * (double)step->work),
                          step->shortens};
}

static void add_to_total(struct spent *total, const struct spent *spent)
{
    total->steps += spent->steps;
    total->seconds += spent->seconds;
    total->work += spent->work;
    total->shortens |= spent->shortens;
}

/* The longest first. */
static int by_time(const void *a, const void *b)
{
    const struct spent *x = a, *y = b;

    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

/* The columns that steps and kinds share.  A speed is that of sums of products only. */
static void add_spent(struct record *to, const struct spent *spent, const struct profile *profile)
{
    double all = profile->all.seconds, speed = 0;

    assert(spent->seconds <= all * 1.000001);
    record_real(to, "minMs", 1e3 * spent->seconds);
    record_real(to, "share", all > 0 ? spent->seconds / all : 0);
    if (spent->work > 0 && spent->seconds > 0) {
        speed = (double)spent->work / spent->seconds;
        record_real(to, "gflops", speed * 1e-9);
        record_real(to, "ofPeak", speed / profile->peak);
    } else {
        record_null(to, "gflops");
        record_null(to, "ofPeak");
    }
    record_bool(to, "fewerOperations", spent->shortens);
}

/* All steps of a kind, or all steps. */
static void add_kind(struct record *to, const struct spent *kind, const struct profile *profile)
{
    record_text(to, "kind", kind->kind);
    record_integer(to, "steps", kind->steps);
    add_spent(to, kind, profile);
}

void steps_add(struct record *to, int threads, struct nnefc_run *run, int runs)
{
    struct profile profile = {.all = {.kind = "all"}, .peak = nnefc_peak_flops(threads)};
    int count;
    struct nnefc_step *step = merge_steps(nnefc_run_steps(run), &count);

    /* Add up the steps of each kind; there are few kinds. */
    profile.kind = zeroed_items((size_t)count, sizeof *profile.kind);
    for (int i = 0; i < count; i++) {
        struct spent spent = spent_by(&step[i], runs);
        int k = 0;
        while (k < profile.nkind && strcmp(profile.kind[k].kind, spent.kind) != 0)
            k++;
        if (k == profile.nkind)
            profile.kind[profile.nkind++].kind = spent.kind;
        add_to_total(&profile.kind[k], &spent);
        add_to_total(&profile.all, &spent);
    }
    qsort(profile.kind, (size_t)profile.nkind, sizeof *profile.kind, by_time);
    assert(profile.all.steps == count && profile.nkind <= count);

    record_text(to, "kernels", nnefc_kernels_name());
    record_real(to, "peakGflops", profile.peak * 1e-9);
    struct record *steps = record_list(to, "steps"), *kinds = record_list(to, "kinds");
    for (int i = 0; i < count; i++) {
        struct record *item = record_object(steps, NULL);
        struct spent spent = spent_by(&step[i], runs);
        record_text(item, "name", step[i].name);
        record_text(item, "operations", step[i].operations);
        record_known(item, "operationIndex",
                     step[i].operation < 0 ? NNEFC_UNKNOWN : step[i].operation);
        record_text(item, "kind", step[i].kind);
        record_text(item, "backend", step[i].backend);
        record_text(item, "kernel", step[i].kernel);
        record_text(item, "layout", step[i].layout);
        /* The mean of all runs; "minMs", which add_spent() adds, is that of the fastest. */
        record_real(item, "meanMs",
                    step[i].runs > 0 ? 1e3 * step[i].total / (double)step[i].runs : 0);
        add_spent(item, &spent, &profile);
    }
    for (int i = 0; i < profile.nkind; i++)
        add_kind(record_object(kinds, NULL), &profile.kind[i], &profile);
    add_kind(record_object(to, ".all"), &profile.all, &profile);
    free(profile.kind);
    free(step);
}
