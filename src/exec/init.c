/* init.c - roles of variables, and the range of values that suits each */
#include "exec/init.h"

#include "exec/random.h"
#include "ir/graph.h"
#include "op/op.h"
#include "sema/sema.h"

#include <math.h>
#include <string.h>

enum role { ROLE_NONE, ROLE_FILTER, ROLE_SHIFT, ROLE_SCALE, ROLE_VARIANCE };

/* How many operations that only hand a tensor on are looked through. */
enum { MAX_STEPS = 4 };

struct role_word {
    const char *word;
    enum role role;
};

/* Names of parameters end so. */
static const struct role_word parameter_words[] = {
    {"filter", ROLE_FILTER}, {"bias", ROLE_SHIFT},  {"mean", ROLE_SHIFT},
    {"offset", ROLE_SHIFT},  {"scale", ROLE_SCALE}, {"variance", ROLE_VARIANCE},
    {"alpha", ROLE_SHIFT},   {"A", ROLE_FILTER},    {"B", ROLE_FILTER},
    {NULL, ROLE_NONE},
};

/* Labels of networks that spell out their normalization end so. */
static const struct role_word label_words[] = {
    {"variance", ROLE_VARIANCE}, {"var", ROLE_VARIANCE}, {"gamma", ROLE_SCALE},
    {"scale", ROLE_SCALE},       {NULL, ROLE_NONE},
};

static bool ends_with(const char *text, const char *word)
{
    size_t len = strlen(text), fused = strlen(word);

    return len >= fused && strcmp(text + len - fused, word) == 0;
}

static enum role role_by_word(const char *text, const struct role_word *words)
{
    while (words->word && !ends_with(text, words->word))
        words++;
    return words->role;
}

static const struct signature *signature_of(const struct node *node, const struct library *library)
{
    const struct signature *signature = library_find(library, node->op->name);

    if (!signature && node->op->provisional)
        signature = library_find(library, node->op->provisional);
    return signature;
}

/* Which tensor parameter takes operand `index`. */
static int parameter_index(const struct node *node, int index)
{
    int param = 0;

    if (!node->group)
        return node->op->traits & OP_VARIADIC ? 0 : index;
    for (int end = 0;; param++) {
        end += node->group[param] < 0 ? 1 : node->group[param];
        if (index < end)
            return param;
    }
}

/* "" if there is no signature to tell. */
static const char *parameter_name(const struct use *use, const struct library *library)
{
    const struct signature *signature = signature_of(use->node, library);
    int index = parameter_index(use->node, (int)(use - use->node->in));

    return signature && index < signature->nparam ? signature->params[index].name : "";
}

/* What the operations that read a value take it for; those with one operand may hand it on. */
static enum role role_by_use(const struct value *value, const struct library *library, int steps)
{
    enum role role = ROLE_NONE;

    for (const struct use *use = value->uses; use && role == ROLE_NONE; use = use->next) {
        role = role_by_word(parameter_name(use, library), parameter_words);
        if (role == ROLE_NONE && use->node->nin == 1 && steps > 0)
            role = role_by_use(&use->node->out[0], library, steps - 1);
    }
    return role;
}

/* A tensor with extents beside the channels' is a filter. */
static enum role role_by_shape(const struct shape *shape)
{
    int64_t channels = shape->rank < 2 ? shape_volume(shape) : shape->extent[1];

    return shape_volume(shape) > channels ? ROLE_FILTER : ROLE_SHIFT;
}

static enum role role_of(const struct value *variable, const struct library *library)
{
    enum role role = role_by_use(variable, library, MAX_STEPS);

    if (role == ROLE_NONE)
        role = role_by_word(variable->source->label, label_words);
    return role == ROLE_NONE ? role_by_shape(variable->shape) : role;
}

/* Items of the filter that make one item of the result. */
static double fan_in(const struct shape *shape)
{
    int64_t volume = shape->rank < 2 ? 1 : shape_volume_range(shape, 1, shape->rank);

    return volume > 0 ? (double)volume : 1;
}

void init_variable(const struct value *variable, const struct library *library, uint64_t seed,
                   struct tensor *tensor)
{
    struct random random = random_stream(seed, variable->source->label);
    double bound;

    switch (role_of(variable, library)) {
    case ROLE_NONE:
    case ROLE_FILTER:
        bound = sqrt(3 / fan_in(variable->shape));
        random_fill(&random, tensor, -bound, bound);
        return;
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
