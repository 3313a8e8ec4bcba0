/* match.c - finding shapes of several operations in a graph */
#include "pass/match.h"

#include <assert.h>
#include <math.h>

static bool is_near(double item, const struct pattern *pattern)
{
    return fabs(item - pattern->is) <= pattern->within * fabs(pattern->is);
}

static bool has_number(const struct value *value, const struct pattern *pattern)
{
    const struct tensor *items = value_items(value);
    int64_t volume = items ? shape_volume(&items->shape) : 0;

    for (int64_t i = 0; i < volume; i++)
        if (!is_near(tensor_item(items, i), pattern))
            return false;
    return volume > 0;
}

static bool take_slot(const struct pattern *pattern, struct value *value, struct match *match)
{
    assert(pattern->slot < MATCH_SLOTS);
    assert(pattern->slot < MATCH_SLOTS);
    if (pattern->slot && match->slot[pattern->slot] && match->slot[pattern->slot] != value)
        return false;
    match->slot[pattern->slot] = value;
    return (!pattern->fixed || value_items(value)) &&
           (!pattern->number || has_number(value, pattern));
}

static bool take_node(const struct node *node, struct match *match)
{
    for (int i = 0; i < match->count; i++)
        if (match->node[i] == node)
            return true;
    if (match->count == MATCH_NODES)
        return false;
    match->node[match->count++] = node;
    return true;
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

static bool fits_this(const struct pattern *pattern, struct value *value, struct match *match)
{
    if (!take_slot(pattern, value, match))
        return false;
    if (pattern->op == PATTERN_VALUE)
        return true;
    struct node *node = made_by(value, pattern->op);
    if (!node || value->port != 0 || !take_node(node, match))
        return false;
    struct match before = *match;
    if (operands_fit(pattern, node, false, match))
        return true;
    *match = before;
    return pattern->either_way && operands_fit(pattern, node, true, match);
}

/* Patterns are no deeper than somebody wrote them. */
static bool fits(const struct pattern *pattern, struct value *value, struct match *match)
{
    struct match before = *match;

    for (; pattern; pattern = pattern->otherwise) {
        if (fits_this(pattern, value, match))
            return true;
        *match = before;
    }
    return false;
}

static bool is_within(const struct node *node, const struct match *match)
{
    for (int i = 0; i < match->count; i++)
        if (match->node[i] == node)
            return true;
    return false;
}

static bool is_closed(const struct pass *pass, const struct match *match)
{
    for (int i = 1; i < match->count; i++)
        for (uint32_t k = 0; k < match->node[i]->nout; k++) {
            const struct value *value = &match->node[i]->out[k];
            if (value_stays(pass, value))
                return false;
            for (const struct use *u = value->uses; u; u = u->next)
                if (!is_within(u->node, match))
                    return false;
        }
    return true;
}

bool pattern_match(const struct pass *pass, const struct pattern *pattern, struct value *result,
                   struct match *match)
{
    *match = (struct match){.count = 0};
    return fits(pattern, result, match) && is_closed(pass, match);
}
