/* plan_sound.c - what must be true of every plan: lifetimes, found from its steps alone */
#include "support/plan_sound.h"

#include "base/text.h"
#include "exec/planner.h"

#include <stdlib.h>

struct life {
    int first, last; /* steps */
};

static void lengthen(struct life *life, int at)
{
    if (life->last < at)
        life->last = at;
}

/* Parts live as long as the whole is in use. */
static struct life *life_of(const struct plan *plan, struct life *life, int buffer)
{
    return &life[buffer_root(plan, buffer)];
}

/* Fills in *life; false if something is read that nobody has written. */
static bool follow_step(const struct plan *plan, int at, struct life *life)
{
    const struct step *step = &plan->steps[at];
    bool ok = true;

    for (int i = 0; i < step->nin; i++) {
        struct life *in = life_of(plan, life, step->in[i]);
        ok &= plan->buffers[step->in[i]].place != PLACE_ARENA || in->first < at;
        lengthen(in, at);
    }
    for (int i = 0; i < step->nout; i++) {
        ok &= plan->buffers[step->out[i]].place == PLACE_ARENA;
        struct life *out = life_of(plan, life, step->out[i]);
        out->first = out->first < at ? out->first : at;
        lengthen(out, at);
    }
    return ok;
}

/* A result may take the place of an operand that ends with its step. */
static bool is_handed_over(const struct plan *plan, int from, int to, const struct life *life)
{
    const struct step *step = &plan->steps[life[to].first];

    return life[from].last == life[to].first && step->reused != STEP_NONE &&
           step->in[step->reused] == from && step->out[0] == to;
}

static bool lie_apart(const struct buffer *a, const struct buffer *b)
{
    return a->size == 0 || b->size == 0 || a->offset + a->size <= b->offset ||
           b->offset + b->size <= a->offset;
}

static bool may_both_be(const struct plan *plan, int a, int b, const struct life *life)
{
    bool at_a_time = life[a].first <= life[b].last && life[b].first <= life[a].last;

    return !at_a_time || lie_apart(&plan->buffers[a], &plan->buffers[b]) ||
           is_handed_over(plan, a, b, life) || is_handed_over(plan, b, a, life);
}

/* Rows of a part may lie apart from each other. */
static bool begins_within(const struct plan *plan, const struct buffer *part, struct text *why)
{
    const struct buffer *whole = &plan->buffers[part->whole];
    bool ok = whole->whole == STEP_NONE && part->offset >= whole->offset &&
              part->offset + part->size <= whole->offset + whole->size;

    if (!ok)
        text_add(why, "a part is not in the buffer that it is part of");
    return ok;
}

static bool is_placed(const struct plan *plan, int buffer, const struct life *life,
                      struct text *why)
{
    const struct buffer *b = &plan->buffers[buffer];

    if (b->place != PLACE_ARENA)
        return true;
    if (b->whole != STEP_NONE)
        return begins_within(plan, b, why);
    if (life[buffer].first == STEP_FOREVER)
        return true;
    if (b->offset % BUFFER_ALIGNMENT != 0 || b->offset + b->size > plan->tensors) {
        text_add(why, "buffer %d is not in the arena, or not aligned", buffer);
        return false;
    }
    for (int other = 0; other < buffer; other++)
        if (plan->buffers[other].place == PLACE_ARENA && plan->buffers[other].whole == STEP_NONE &&
            !may_both_be(plan, buffer, other, life)) {
            text_add(why, "buffers %d and %d of steps %d and %d overlap", other, buffer,
                     life[other].first, life[buffer].first);
            return false;
        }
    return true;
}

static bool find_lives(const struct plan *plan, struct life *life, struct text *why)
{
    for (int i = 0; i < plan->nbuffer; i++)
        life[i] = (struct life){STEP_FOREVER, STEP_NONE};
    for (int i = 0; i < plan->nstep; i++)
        if (!follow_step(plan, i, life)) {
            text_add(why, "step %d reads what is not there, or writes what is not its own", i);
            return false;
        }
    for (uint32_t i = 0; i < plan->graph->value_count; i++)
        if (plan->shown[i] != NO_BUFFER)
            lengthen(life_of(plan, life, plan->shown[i]), STEP_FOREVER - 1);
    return true;
}

bool plan_is_sound(const struct plan *plan, struct text *why)
{
    struct life *life = calloc((size_t)plan->nbuffer + 1, sizeof *life);
    bool ok = life && find_lives(plan, life, why);

    for (int i = 0; ok && i < plan->nbuffer; i++)
        ok = is_placed(plan, i, life, why);
    free(life);
    return ok;
}

bool plan_shortens(const struct plan *plan)
{
    for (int i = 0; i < plan->nstep; i++)
        if (plan->steps[i].kernel->shortens)
            return true;
    return false;
}
