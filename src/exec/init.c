/* init.c - roles of variables, and the range of values that suits each */
#include "exec/init.h"

#include "exec/random.h"
#include "ir/graph.h"
#include "op/op.h"
#include "sema/sema.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum role { ROLE_NONE, ROLE_FILTER, ROLE_SHIFT, ROLE_SCALE, ROLE_VARIANCE };

/* The search looks through so many operations with one operand, which may hand a tensor on. */
enum { MAX_STEPS = 4 };

struct role_word {
    const char *word;
    enum role role;
};

/* Endings of names of parameters. */
static const struct role_word parameter_words[] = {
    {"filter", ROLE_FILTER}, {"bias", ROLE_SHIFT},  {"mean", ROLE_SHIFT},
    {"offset", ROLE_SHIFT},  {"scale", ROLE_SCALE}, {"variance", ROLE_VARIANCE},
    {"alpha", ROLE_SHIFT},   {"A", ROLE_FILTER},    {"B", ROLE_FILTER},
    {NULL, ROLE_NONE},
};

/* Endings of labels, in networks that spell out their normalization. */
static const struct role_word label_words[] = {
    {"variance", ROLE_VARIANCE}, {"var", ROLE_VARIANCE}, {"gamma", ROLE_SCALE},
    {"scale", ROLE_SCALE},       {NULL, ROLE_NONE},
};

static enum role role_by_word(const char *text, const struct role_word *words)
{
    size_t len = strlen(text);

    for (; words->word; words++) {
        size_t ending = strlen(words->word);
        if (len >= ending && strcmp(text + len - ending, words->word) == 0)
            break;
    }
    return words->role;
}

/* The role by the name of the parameter that takes the value; an operation with one operand may
 * hand the value on. */
static enum role role_by_use(const struct value *value, const struct library *library, int steps)
{
    enum role role = ROLE_NONE;

    for (const struct use *use = value->uses; use && role == ROLE_NONE; use = use->next) {
        const struct node *node = use->node;
        const struct signature *signature = library_find(library, node->op->name);
        if (!signature && node->op->provisional)
            signature = library_find(library, node->op->provisional);

        /* An operand that is a list takes several places among the operands. */
        int operand = (int)(use - node->in), param = 0;
        if (!node->group)
            param = node->op->traits & OP_VARIADIC ? 0 : operand;
        for (int left = operand; node->group; param++) {
            left -= node->group[param] < 0 ? 1 : node->group[param];
            if (left < 0)
                break;
        }

        if (signature && param < signature->nparam)
            role = role_by_word(signature->params[param].name, parameter_words);
        if (role == ROLE_NONE && node->nin == 1 && steps > 0)
            role = role_by_use(&node->out[0], library, steps - 1);
    }
    return role;
}

void init_variable(const struct value *variable, const struct library *library, uint64_t seed,
                   struct tensor *tensor)
{
    const struct shape *shape = variable->shape;
    struct random random = random_stream(seed, variable->source->label);
    int64_t volume = shape_volume(shape);
    enum role role = role_by_use(variable, library, MAX_STEPS);

    assert(variable->kind == VALUE_VARIABLE);
    if (role == ROLE_NONE)
        role = role_by_word(variable->source->label, label_words);
    if (role == ROLE_NONE) /* a tensor with extents beside the channels' is a filter */
        role = volume > (shape->rank < 2 ? volume : shape->extent[1]) ? ROLE_FILTER : ROLE_SHIFT;

    switch (role) {
    case ROLE_NONE:
    case ROLE_FILTER: {
        /* fan-in: items of the filter that make one item of the result */
        int64_t fan_in = shape->rank < 2 ? 1 : shape_volume_range(shape, 1, shape->rank);
        double bound = sqrt(3 / (fan_in > 0 ? (double)fan_in : 1));
        random_fill(&random, tensor, -bound, bound);
        return;
    }
    case ROLE_SHIFT:
        random_fill(&random, tensor, -0.1, 0.1);
        return;
    case ROLE_SCALE: /* below 1, so that dozens of residual sums do not overflow */
        random_fill(&random, tensor, 0.4, 0.6);
        return;
    case ROLE_VARIANCE:
        random_fill(&random, tensor, 0.9, 1.1);
        return;
    }
}
