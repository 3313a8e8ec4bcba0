/*
 * compare_layers.c - computed tensors, compared as soon as both models have computed them
 *
 * Both models compute side by side, so that memory holds no more than a step of each needs. A
 * tensor is retained only if the models compute it in another order.
 */
#include "driver/comparison.h"
#include "driver/memory.h"

#include <assert.h>
#include <stdlib.h>

/* The order in which B computes the tensors. */
static int by_index_in_b(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;

    return (x->index[1] > y->index[1]) - (x->index[1] < y->index[1]);
}

/* The first difference, unless there was one before. */
static void note_first(struct comparison *c, const struct finding *finding, int step)
{
    struct layers *layers = &c->layers;

    if (layers->step > 0)
        return;
    layers->step = step;
    layers->before = layers->compared;
    layers->first = *finding;
    for (int which = 0; which < 2; which++)
        if (!c->subject[which].recorded)
            layers->made[which] =
                *nnefc_model_computed(c->subject[which].model)->at[finding->pair.index[which]];
}

/* Is the error larger than that of the one that --layers=all shows so far, if there is one? */
static bool is_farther(const struct finding *finding, const struct finding *than)
{
    return than->difference.count == 0 || !(finding->error <= than->error);
}

/* A step function.  Recorded results have only the last step. */
static enum nnefc_status compare_step(void *data, int step)
{
    struct comparison *c = data;
    struct layers *layers = &c->layers;
    bool recorded = c->subject[0].recorded || c->subject[1].recorded;
    int count = step == c->feeding->steps || !recorded ? c->computed.count : 0;
    enum nnefc_status status = NNEFC_OK;

    assert(step >= 1 && step <= c->feeding->steps);
    layers->compared = layers->unlike = 0;
    for (int i = 0; i < count && status == NNEFC_OK; i++) {
        const struct pair *pair = &c->computed.pair[i];
        bool computed = pair_is_whole(pair);
        /* Let both compute up to the pair and no further. */
        for (int which = 0; which < 2 && status == NNEFC_OK && pair_is_whole(pair); which++) {
            const struct subject *subject = &c->subject[which];
            if (subject->recorded)
                continue;
            status = nnefc_run_advance(subject->run, pair->index[which]);
            computed &= nnefc_run_computed(subject->run, pair->index[which]) != NULL;
        }
        if (status != NNEFC_OK || !computed) /* no output depends on this tensor */
            continue;
        struct finding finding = {0};
        status = finding_make(&finding, c, PART_COMPUTED, pair);
        if (status == NNEFC_DIFFERENT) {
            note_first(c, &finding, step);
            layers->named |= !pair->by_order;
        }
        if (c->all_layers && is_farther(&finding, &layers->all[i]))
            layers->all[i] = finding;
        layers->compared += status == NNEFC_OK;
        layers->unlike += status == NNEFC_DIFFERENT;
        if (status == NNEFC_DIFFERENT && (pair->by_order || c->all_layers))
            status = NNEFC_OK;
    }
    for (int which = 0; which < 2 && status == NNEFC_OK; which++)
        if (!c->subject[which].recorded)
            status = nnefc_run_step(c->subject[which].run);
    return status;
}

enum nnefc_status comparison_step_by_layers(struct comparison *c)
{
    const struct subject_pairs *pairs = &c->computed;
    bool recorded = c->subject[0].recorded || c->subject[1].recorded;
    int leader = c->subject[0].recorded; /* recorded results have no order of execution */
    enum nnefc_status status = NNEFC_OK;

    /* Put the pairs in the order of the leader, and count those of each kind. */
    c->computed = pairs_match(c->subject, PART_COMPUTED);
    c->layers.all = zeroed_items((size_t)pairs->count + 1, sizeof *c->layers.all);
    if (leader == 1)
        qsort(pairs->pair, (size_t)pairs->count, sizeof *pairs->pair, by_index_in_b);
    for (int i = 0; i < pairs->count; i++)
        for (int which = 0; which < 2; which++)
            c->layers.alone[which] += pairs->pair[i].index[!which] < 0;
    /* A tensor that B computes before its turn has to be retained until then. */
    for (int i = 0, last = -1; i < pairs->count && status == NNEFC_OK && !recorded; i++) {
        const struct pair *pair = &pairs->pair[i];
        if (pair_is_whole(pair) && pair->index[1] < last)
            status = nnefc_run_keep_computed(c->subject[1].run, pair->index[1]);
        else if (pair_is_whole(pair))
            last = pair->index[1];
    }
    if (status == NNEFC_OK)
        status =
            progress_steps(c->command, c->feeding->steps, c->subject[leader].run, compare_step, c);
    if (status == NNEFC_DIFFERENT && comparison_add(c, PART_VARIABLE) != NNEFC_OK)
        status = NNEFC_INTERNAL;
    return status;
}

enum nnefc_status comparison_judge_layers(struct comparison *c)
{
    struct layers *layers = &c->layers;
    bool differs = false;

    if (layers->step == 0)
        return NNEFC_OK;
    for (int i = 0; i < c->nfinding; i++)
        differs |= !finding_agrees(&c->findings[i]);
    if (differs || layers->named)
        return comparison_add(c, PART_VARIABLE);
    for (int which = 0; which < 2; which++)
        layers->alone[which] += layers->unlike;
    layers->step = 0;
    return NNEFC_OK;
}
