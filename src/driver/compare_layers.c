/*
 * compare_layers.c - computed tensors, compared as soon as both models have them
 *
 * The two steps go on side by side, so that no more is in memory than a step of each needs: only a
 * tensor that the models compute in another order is kept.
 */
#include "driver/comparison.h"

#include <assert.h>
#include <stdlib.h>

/* Recorded results have no order of execution. */
static int leader(const struct comparison *c)
{
    return c->subject[0].recorded ? 1 : 0;
}

/* The order in which B computes. */
static int by_index_in_b(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;

    return (x->index[1] > y->index[1]) - (x->index[1] < y->index[1]);
}

/* The pairs in the order of the leader, and how many there are of each kind. */
static bool list_layers(struct comparison *c)
{
    struct subject_pairs *pairs = &c->computed;

    if (!pairs_match(pairs, c->subject, PART_COMPUTED))
        return false;
    if (leader(c) == 1)
        qsort(pairs->pair, (size_t)pairs->count, sizeof *pairs->pair, by_index_in_b);
    for (int i = 0; i < pairs->count; i++)
        for (int which = 0; which < 2; which++)
            c->layers.alone[which] += pairs->pair[i].index[!which] < 0;
    return true;
}

/* What B has computed before its turn comes must be there then. */
static enum nnefc_status keep_early(const struct comparison *c)
{
    enum nnefc_status status = NNEFC_OK;
    int last = -1;

    if (c->subject[0].recorded || c->subject[1].recorded)
        return NNEFC_OK;
    for (int i = 0; i < c->computed.count && status == NNEFC_OK; i++) {
        const struct pair *pair = &c->computed.pair[i];
        if (pair_is_whole(pair) && pair->index[1] < last)
            status = nnefc_run_keep_computed(c->subject[1].run, pair->index[1]);
        else if (pair_is_whole(pair))
            last = pair->index[1];
    }
    return status;
}

/* Let both compute the pair, each no further than that, and compare. */
static enum nnefc_status compare_layer(struct comparison *c, const struct pair *pair)
{
    struct layers *layers = &c->layers;
    enum nnefc_status status = NNEFC_OK;
    bool computed = true;

    for (int which = 0; which < 2 && status == NNEFC_OK; which++) {
        const struct subject *subject = &c->subject[which];
        if (subject->recorded)
            continue;
        status = nnefc_run_advance(subject->run, pair->index[which]);
        computed &= nnefc_run_computed(subject->run, pair->index[which]) != NULL;
    }
    if (status != NNEFC_OK || !computed) /* no output depends on it, if it is not computed */
        return status;
    layers->compared++;
    status = finding_make(&layers->first, c, PART_COMPUTED, pair);
    for (int which = 0; which < 2 && status == NNEFC_DIFFERENT; which++)
        if (!c->subject[which].recorded)
            layers->made[which] =
                *nnefc_model_computed(c->subject[which].model)->at[pair->index[which]];
    return status;
}

/* Only the last step of recorded results is known. */
static enum nnefc_status compare_step(struct comparison *c, int step)
{
    bool recorded = c->subject[0].recorded || c->subject[1].recorded;
    int count = step == c->feeding->steps || !recorded ? c->computed.count : 0;
    enum nnefc_status status = NNEFC_OK;

    assert(step >= 1 && step <= c->feeding->steps);
    c->layers.compared = 0;
    for (int i = 0; i < count && status == NNEFC_OK; i++)
        if (pair_is_whole(&c->computed.pair[i]))
            status = compare_layer(c, &c->computed.pair[i]);
    if (status == NNEFC_DIFFERENT)
        c->layers.step = step;
    for (int which = 0; which < 2 && status == NNEFC_OK; which++)
        if (!c->subject[which].recorded)
            status = nnefc_run_step(c->subject[which].run);
    return status;
}

enum nnefc_status comparison_step_by_layers(struct comparison *c)
{
    enum nnefc_status status = list_layers(c) ? keep_early(c) : NNEFC_INTERNAL;
    struct nnefc_run *run = c->subject[leader(c)].run;
    struct progress progress;

    progress_begin(&progress, c->command->quiet, c->feeding->steps);
    nnefc_run_set_progress(run, progress_show, &progress);
    for (int step = 1; step <= c->feeding->steps && status == NNEFC_OK; step++) {
        progress.step = step;
        status = compare_step(c, step);
    }
    progress_end(&progress);
    if (status == NNEFC_DIFFERENT && comparison_add(c, PART_VARIABLE) != NNEFC_OK)
        status = NNEFC_INTERNAL;
    nnefc_run_set_progress(run, NULL, NULL);
    return status;
}
