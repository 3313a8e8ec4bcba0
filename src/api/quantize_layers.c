/*
 * quantize_layers.c - how much each layer harms, and what is done with those that do
 *
 * They stay numbers, or get an input of 16 bits if that is nearly as good and is allowed.
 */
#include "api/quantize.h"

#include "base/arena.h"
#include "ir/graph.h"

#include <math.h>

bool quantizing_measure_layers(struct quantizing *q, struct found *f)
{
    quantizing_enable(q, false);
    for (int i = 0; i < q->plan->layers; i++) {
        struct quantize_layer *layer = &q->plan->layer[i];
        f->alone[i] = QUANTIZED_MOST_SNR;
        if (layer->kept)
            continue;
        layer->enabled = true;
        if (!quantizing_measure(q, f->sums, &f->alone[i]))
            return false;
        layer->enabled = false;
    }
    quantizing_enable(q, true);
    f->order = quantizing_sort(q, f->alone);
    f->snr = f->way[f->best].snr;
    return true;
}

int *quantizing_sort(const struct quantizing *q, const double *alone)
{
    int *order = arena_array_of(q->model->context->arena, int, q->plan->layers + 1);

    for (int i = 0; i < q->plan->layers; i++) {
        int at = i;
        for (; at > 0 && alone[order[at - 1]] > alone[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return order;
}

/* --- budget ---------------------------------------------------------------------------------- */

/* What is left to be spent, and what for. */
struct spending {
    struct quantizing *q;
    struct found *f;
    bool wants;  /* an SNR; else whatever raises it */
    bool widens; /* inputs of layers may have 16 bits */
    double left; /* of the multiply-adds */
};

/* What is tried for a layer, and the SNR that it gives. */
enum change { LAYER_WIDENED, LAYER_FREED };

/* A range of 16 bits need not leave out anything. */
static const struct way all_of_it = {.rule = RANGE_MINMAX, .percent = 100};

static int group_of(const struct quantizing *q, const struct quantize_layer *layer)
{
    return (int)(quantize_group_of(q->plan, layer) - q->plan->group);
}

/* Multiply-adds that would no longer be of 8 bits: all layers that read a tensor have its bits. */
static double cost_of(const struct quantizing *q, const struct quantize_layer *layer,
                      enum change change)
{
    const struct quantize_group *group = quantize_group_of(q->plan, layer);
    double share = 0;

    if (change == LAYER_FREED)
        return group && group->wide ? 0 : quantized_share(q, layer);
    for (int i = 0; i < q->plan->layers; i++) {
        const struct quantize_layer *other = &q->plan->layer[i];
        if (other->enabled && quantize_group_of(q->plan, other) == group)
            share += quantized_share(q, other);
    }
    return share;
}

static void make(struct spending *s, struct quantize_layer *layer, enum change change)
{
    if (change == LAYER_FREED)
        layer->enabled = false;
    else
        quantizing_set_group(s->q, group_of(s->q, layer), &all_of_it, true);
}

static void undo(struct spending *s, struct quantize_layer *layer, enum change change,
                 const struct quantize_group *before)
{
    if (change == LAYER_FREED)
        layer->enabled = true;
    else
        *quantize_group_of(s->q->plan, layer) = *before;
}

/* The SNR with that change, which is undone; that of now if it is none, or is beyond the budget. */
static bool try_change(struct spending *s, struct quantize_layer *layer, enum change change,
                       double *snr)
{
    const struct quantize_group *group = quantize_group_of(s->q->plan, layer);
    const struct quantize_group before = group ? *group : (struct quantize_group){0};

    *snr = s->f->snr;
    if ((change == LAYER_WIDENED && (!s->widens || before.wide)) ||
        cost_of(s->q, layer, change) > s->left)
        return true;
    make(s, layer, change);
    const bool ok = quantizing_measure(s->q, s->f->sums, snr);
    undo(s, layer, change, &before);
    return ok;
}

static void spend(struct spending *s, struct quantize_layer *layer, enum change change, double snr)
{
    s->left -= cost_of(s->q, layer, change);
    make(s, layer, change);
    s->f->snr = snr;
}

/* Give one layer what it needs: 16 bits, if they give half of what numbers would. */
static bool spend_on(struct spending *s, struct quantize_layer *layer)
{
    const double before = s->f->snr;
    double widened, freed;

    if (!try_change(s, layer, LAYER_WIDENED, &widened) ||
        !try_change(s, layer, LAYER_FREED, &freed))
        return false;
    if (widened > before && widened - before >= (freed - before) / 2)
        spend(s, layer, LAYER_WIDENED, widened);
    else if (freed > before ||
             (s->wants && cost_of(s->q, layer, LAYER_FREED) <= s->left && freed != before))
        spend(s, layer, LAYER_FREED, freed);
    return true;
}

/* Corrections of biases for inputs of 16 bits, all at once. */
static bool correct_wide(struct quantizing *q)
{
    struct quantize_group *group = q->plan->group;
    struct quantize_group *before =
        arena_array_of(q->model->context->arena, struct quantize_group, q->plan->groups + 1);

    for (int i = 0; i < q->plan->groups; i++) {
        before[i] = group[i];
        quantizing_set_group(q, i, &all_of_it, true);
    }
    const bool ok = quantizing_correct(q);
    for (int i = 0; i < q->plan->groups; i++)
        group[i] = before[i];
    return ok;
}

static bool is_done(const struct spending *s)
{
    return s->wants && s->f->snr >= s->q->how.min_snr;
}

bool quantizing_spend(struct quantizing *q, struct found *f)
{
    /* Noise of a layer that is so much less than that of all does not matter. */
    const double unheard = 25;
    struct spending s = {.q = q, .f = f, .wants = q->how.min_snr > 0};

    s.left = (q->how.budget > 0 ? q->how.budget : s.wants ? 100 : 0) / 100;
    s.widens = !q->plan->numbers && q->how.activations == NNEFC_ACTIVATIONS_MIXED;
    if (s.left > 0 && !is_done(&s) && s.widens && q->plan->correct && !correct_wide(q))
        return false;
    /* With an SNR to reach, those of 16 bits may become numbers at last. */
    for (int turn = 0; turn < (s.wants ? 2 : 1) && s.left > 0; turn++)
        for (int i = 0; i < q->plan->layers && !is_done(&s); i++) {
            struct quantize_layer *layer = &q->plan->layer[f->order[i]];
            if (!s.wants && f->alone[f->order[i]] > f->snr + unheard)
                break;
            if (layer->enabled && !spend_on(&s, layer))
                return false;
        }
    return quantizing_measure(q, f->sums, &f->snr);
}
