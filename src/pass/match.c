/* match.c - finding shapes of several operations in a graph */
#include "pass/match.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* What a way that does not fit has to restore; nodes behind the count do not matter. */
struct before {
    struct value *slot[MATCH_SLOTS];
    int count;
};

static struct before before_of(const struct match *match)
{
    struct before before = {.count = match->count};

    memcpy(before.slot, match->slot, sizeof before.slot);
    return before;
}

static void restore(struct match *match, const struct before *before)
{
    memcpy(match->slot, before->slot, sizeof before->slot);
    match->count = before->count;
}

/* Nodes that the match goes through, each once. */
static bool has_node(const struct match *match, const struct node *node)
{
    for (int i = 0; i < match->count; i++)
        if (match->node[i] == node)
            return true;
    return false;
}

static bool fits(const struct pattern *pattern, struct value *value, struct match *match);

static bool operands_fit(const struct pattern *pattern, const struct node *node, bool swapped,
                         struct match *match)
{
    for (uint32_t i = 0; i < PATTERN_OPERANDS; i++) {
        uint32_t k = swapped && i < 2 ? 1 - i : i;
        if (pattern->in[i] && (k >= node->nin || !fits(pattern->in[i], node->in[k].value, match)))
            return false;
    }
    return true;
}

/* Does the value fit the pattern, its slot included?  Patterns after `otherwise` are not tried.
 * What was matched before is lost if not. */
static bool fits_this(const struct pattern *pattern, struct value *value, struct match *match)
{
    struct value **slot = &match->slot[pattern->slot];
    const struct tensor *items = pattern->fixed || pattern->number ? value_items(value) : NULL;
    int64_t volume = items && pattern->number ? shape_volume(&items->shape) : 0;

    assert(pattern->slot >= 0 && pattern->slot < MATCH_SLOTS);
    if (pattern->slot && *slot && *slot != value)
        return false;
    *slot = value;
    if ((pattern->fixed && !items) || (pattern->number && volume == 0))
        return false;
    for (int64_t i = 0; i < volume; i++)
        if (!(fabs(tensor_item(items, i) - pattern->is) <= pattern->within * fabs(pattern->is)))
            return false;
    if (pattern->op == PATTERN_VALUE)
        return true;
    struct node *node = value->producer;
    if (!has_node(match, node)) {
        if (match->count == MATCH_NODES)
            return false;
        match->node[match->count++] = node;
    }
    if (!pattern->either_way)
        return operands_fit(pattern, node, false, match);
    const struct before before = before_of(match);
    if (operands_fit(pattern, node, false, match))
        return true;
    restore(match, &before);
    return operands_fit(pattern, node, true, match);
}

/* Most values fail by the operation that makes them, or because they have no items. */
static bool may_fit(const struct pattern *pattern, const struct value *value)
{
    if (pattern->op == PATTERN_VALUE)
        return value->kind != VALUE_RESULT || !(pattern->fixed || pattern->number);
    return value->port == 0 && made_by(value, pattern->op);
}

/* The first way from there on that the value may fit; NULL: there is none. */
static const struct pattern *next_way(const struct pattern *pattern, const struct value *value)
{
    while (pattern && !may_fit(pattern, value))
        pattern = pattern->otherwise;
    return pattern;
}

static bool operands_may_fit(const struct pattern *pattern, const struct node *node, bool swapped)
{
    for (uint32_t i = 0; i < PATTERN_OPERANDS; i++) {
        uint32_t k = swapped && i < 2 ? 1 - i : i;
        if (pattern->in[i] && (k >= node->nin || !next_way(pattern->in[i], node->in[k].value)))
            return false;
    }
    return true;
}

/* Does a look at the operands leave some way?  Most nodes fail here. */
static bool has_way(const struct pattern *pattern, const struct value *value)
{
    for (; (pattern = next_way(pattern, value)); pattern = pattern->otherwise)
        if (pattern->op == PATTERN_VALUE || operands_may_fit(pattern, value->producer, false) ||
            (pattern->either_way && operands_may_fit(pattern, value->producer, true)))
            return true;
    return false;
}

/* Recursion is no deeper than the patterns of passes. */
static bool fits(const struct pattern *pattern, struct value *value, struct match *match)
{
    for (; (pattern = next_way(pattern, value)); pattern = pattern->otherwise) {
        if (pattern->op == PATTERN_VALUE) { /* which changes its slot only */
            struct value *const other = match->slot[pattern->slot];
            if (fits_this(pattern, value, match))
                return true;
            match->slot[pattern->slot] = other;
            continue;
        }
        const struct before before = before_of(match);
        if (fits_this(pattern, value, match))
            return true;
        restore(match, &before);
    }
    return false;
}

bool pattern_match(const struct pass *pass, const struct pattern *pattern, struct value *result,
                   struct match *match)
{
    if (!has_way(pattern, result))
        return false;
    restore(match, &(struct before){.count = 0});
    if (!fits(pattern, result, match))
        return false;
    /* Nothing outside needs what is computed on the way; node[0] makes the result. */
    for (int i = 1; i < match->count; i++)
        for (uint32_t k = 0; k < match->node[i]->nout; k++) {
            const struct value *value = &match->node[i]->out[k];
            bool inside = !value_stays(pass, value);
            for (const struct use *u = value->uses; u && inside; u = u->next)
                inside = has_node(match, u->node);
            if (!inside)
                return false;
        }
    return true;
}

bool pattern_replace(struct pass *pass, struct node *node, const struct pattern *pattern,
                     enum op_id op)
{
    struct match match;

    if (!pattern_match(pass, pattern, &node->out[0], &match))
        return false;
    assert(match.slot[1]);
    const struct recipe recipe = {.op = op_plain(op), .in = {match.slot[1]}};
    return value_may_replace(match.slot[1], &node->out[0]) &&
           pass_replace(pass, &node->out[0], pass_make(pass, &recipe));
}
