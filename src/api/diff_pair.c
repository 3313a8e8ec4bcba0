/*
 * diff_pair.c - which nodes and sources of two graphs are the same
 *
 * Nodes or sources with equal keys pair.  Sources pair first, because the keys of nodes depend on
 * them.  Then nodes pair by several keys in turn, the most specific one first, then by the pairs
 * around them.  Last, the sources that such nodes read pair.  Each step is linear, or sorts.
 */
#include "api/api_priv.h"
#include "api/diff.h"
#include "base/hash.h"
#include "op/op.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    READERS_SEEN = 64, /* most readers of a value that are looked at */
    SKIPPED = 4,       /* most single nodes that are skipped */
    ROUNDS = 8,        /* most rounds over the graph to find pairs next to pairs */
};

/* --- equal keys ------------------------------------------------------------------------------ */

static int compare_keys(const void *a, const void *b)
{
    const struct diff_key *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

void diff_match(struct diff_key *keys[2], const int counts[2],
                void (*pair)(void *data, int a, int b), void *data)
{
    int i = 0, k = 0;

    qsort(keys[0], (size_t)counts[0], sizeof *keys[0], compare_keys);
    qsort(keys[1], (size_t)counts[1], sizeof *keys[1], compare_keys);
    while (i < counts[0] && k < counts[1]) {
        uint64_t a = keys[0][i].key, b = keys[1][k].key;
        if (a == b && a != 0)
            pair(data, keys[0][i].index, keys[1][k].index);
        i += a <= b;
        k += b <= a;
    }
}

const struct value *diff_twin(const struct diff_pairs *pairs, int which, const struct value *value)
{
    const struct diff_side *side = &pairs->side[which], *other = &pairs->side[!which];

    if (value->kind != VALUE_RESULT)
        return side->twin[value->id];
    int mate = side->mate[side->place[value->producer->id]];
    if (mate < 0 || value->port >= other->node[mate]->nout)
        return NULL;
    return &other->node[mate]->out[value->port];
}

/* Custom operations of two models have descriptors of their own. */
bool diff_same_op(const struct node *a, const struct node *b)
{
    return a->op == b->op || strcmp(a->op->name, b->op->name) == 0;
}

/* --- sources --------------------------------------------------------------------------------- */

/* The keys of sources, in the order in which they are used. */
enum source_key { SOURCE_LABEL, SOURCE_NAME, SOURCE_ITEMS, SOURCE_TYPE, SOURCE_KEYS };

/* Constants pair by the nodes that read them.  With equal keys, parameters pair in their order;
 * variables have no key by type. */
static uint64_t source_key(const struct diff_pairs *pairs, const struct value *value,
                           enum source_key kind)
{
    const struct source *source = value->source;
    bool variable = value->kind == VALUE_VARIABLE;

    switch (kind) {
    case SOURCE_LABEL:
        return variable && !(pairs->ignore & NNEFC_IGNORE_LABELS) && source->label
                   ? digest_text(1, source->label)
                   : 0;
    case SOURCE_NAME:
        return value->name && !(pairs->ignore & NNEFC_IGNORE_NAMES)
                   ? digest_text(value->kind, value->name)
                   : 0;
    case SOURCE_ITEMS:
        return variable && pairs->data && source->tensor
                   ? hash_bytes(digest_source(value), tensor_place(source->tensor),
                                tensor_size(source->tensor))
                   : 0;
    case SOURCE_TYPE:
        return variable ? 0 : digest_source(value);
    case SOURCE_KEYS:
        break;
    }
    return 0;
}

static void join_values(struct diff_pairs *pairs, const struct value *a, const struct value *b)
{
    pairs->side[0].twin[a->id] = b;
    pairs->side[1].twin[b->id] = a;
}

static void pair_sources(void *data, int a, int b)
{
    struct diff_pairs *pairs = data;

    join_values(pairs, pairs->side[0].source[a], pairs->side[1].source[b]);
}

static void match_sources(struct diff_pairs *pairs, enum source_key kind)
{
    struct arena_mark mark = arena_mark(pairs->arena);
    struct diff_key *keys[2];
    int counts[2] = {0};

    for (int which = 0; which < 2; which++) {
        const struct diff_side *side = &pairs->side[which];
        int known = side->nexternal + side->nvariable;
        keys[which] = arena_array_of(pairs->arena, struct diff_key, known);
        for (int i = 0; i < known; i++)
            if (!side->twin[side->source[i]->id])
                keys[which][counts[which]++] =
                    (struct diff_key){source_key(pairs, side->source[i], kind), i};
    }
    diff_match(keys, counts, pair_sources, pairs);
    arena_rewind(pairs->arena, mark);
}

/* Both sources of a pair have one digest.  A source without a partner, or a constant, has the
 * digest of its type and items. */
static void digest_sources(struct diff_pairs *pairs)
{
    for (int which = 0; which < 2; which++) {
        struct diff_side *side = &pairs->side[which];
        for (int i = 0; i < side->nsource; i++) {
            const struct value *value = side->source[i], *twin = side->twin[value->id];
            side->digest.value[value->id] =
                twin ? hash_mix(1, which ? twin->id : value->id) : digest_source(value);
        }
    }
}

/* --- nodes ----------------------------------------------------------------------------------- */

/* The keys of nodes, in the order in which they are used: by everything that they depend on, by
 * everything that depends on them, by name. */
enum node_key { NODE_MADE_NAMED, NODE_USED_NAMED, NODE_MADE, NODE_USED, NODE_NAME_OP, NODE_NAME };

static uint64_t node_key(const struct diff_pairs *pairs, const struct diff_side *side,
                         const struct node *node, enum node_key kind)
{
    const char *name =
        node->nout > 0 && !(pairs->ignore & NNEFC_IGNORE_NAMES) ? node->out[0].name : NULL;
    uint64_t made = node->nout > 0 ? side->digest.value[node->out[0].id] : 0;
    uint64_t used = side->digest.use[node->id];

    switch (kind) {
    case NODE_MADE_NAMED:
        return name ? digest_text(made, name) : 0;
    case NODE_USED_NAMED:
        return name && used ? digest_text(used, name) : 0;
    case NODE_MADE:
        return made;
    case NODE_USED:
        return used;
    case NODE_NAME_OP:
        return name ? digest_text(digest_text(1, node->op->name), name) : 0;
    case NODE_NAME:
        return name ? digest_text(1, name) : 0;
    }
    return 0;
}

static void pair_nodes(void *data, int a, int b)
{
    struct diff_pairs *pairs = data;

    assert(pairs->side[0].mate[a] < 0 && pairs->side[1].mate[b] < 0);
    pairs->side[0].mate[a] = b;
    pairs->side[1].mate[b] = a;
}

static void match_nodes(struct diff_pairs *pairs, enum node_key kind)
{
    struct arena_mark mark = arena_mark(pairs->arena);
    struct diff_key *keys[2];
    int counts[2] = {0};

    for (int which = 0; which < 2; which++) {
        const struct diff_side *side = &pairs->side[which];
        keys[which] = arena_array_of(pairs->arena, struct diff_key, side->count);
        for (int i = 0; i < side->count; i++)
            if (side->mate[i] < 0)
                keys[which][counts[which]++] =
                    (struct diff_key){node_key(pairs, side, side->node[i], kind), i};
    }
    diff_match(keys, counts, pair_nodes, pairs);
    arena_rewind(pairs->arena, mark);
}

/* --- nodes by the pairs around them ---------------------------------------------------------- */

static bool is_single(const struct diff_side *side, const struct node *node)
{
    return side->mate[side->place[node->id]] < 0;
}

/* Does a pair read both, as the same operand? */
static bool share_reader(const struct diff_pairs *pairs, const struct node *a, const struct node *b)
{
    int seen = 0;

    if (a->nout == 0 || b->nout == 0)
        return false;
    for (const struct use *use = b->out[0].uses; use && seen < READERS_SEEN; use = use->next) {
        int mate = pairs->side[1].mate[pairs->side[1].place[use->node->id]];
        ptrdiff_t index = use - use->node->in;
        const struct node *reader = mate < 0 ? NULL : pairs->side[0].node[mate];
        seen++;
        if (reader && index < (ptrdiff_t)reader->nin && reader->in[index].value == &a->out[0])
            return true;
    }
    const struct graph *x = pairs->side[0].graph, *y = pairs->side[1].graph;
    for (int i = 0; i < x->noutput && i < y->noutput && i < READERS_SEEN; i++)
        if (x->outputs[i].value == &a->out[0] && y->outputs[i].value == &b->out[0])
            return true;
    return false;
}

/* How similar a node of A has to be to one of B. */
enum likeness {
    LIKE_OPERATOR, /* of the same operator */
    LIKE_ALL,      /* with the same attributes, too */
    LIKE_PLACE,    /* read by a pair, or by nodes that are alike in all */
};

static bool alike(const struct diff_pairs *pairs, const struct node *a, const struct node *b)
{
    return pairs->side[0].digest.alone[a->id] == pairs->side[1].digest.alone[b->id];
}

static bool is_like(const struct diff_pairs *pairs, const struct node *a, const struct node *b,
                    enum likeness how)
{
    if (how == LIKE_OPERATOR)
        return diff_same_op(a, b);
    if (how == LIKE_ALL)
        return alike(pairs, a, b);
    if (share_reader(pairs, a, b))
        return true;
    return a->nout > 0 && b->nout > 0 && a->out[0].uses && b->out[0].uses &&
           alike(pairs, a->out[0].uses->node, b->out[0].uses->node);
}

/* A single node of A that reads a value as its operand `index`, and is like a node of B. */
static const struct node *find_reader(const struct diff_pairs *pairs, const struct value *value,
                                      uint32_t index, const struct node *b, enum likeness how)
{
    int seen = 0;

    for (const struct use *use = value->uses; use && seen < READERS_SEEN; use = use->next, seen++)
        if (index < use->node->nin && use == &use->node->in[index] &&
            is_single(&pairs->side[0], use->node) && is_like(pairs, use->node, b, how))
            return use->node;
    return NULL;
}

/* The same if single nodes may stand between: some of B before it, or one of A. */
static const struct node *find_near(const struct diff_pairs *pairs, const struct node *b,
                                    uint32_t index)
{
    const struct value *before = b->in[index].value, *value = diff_twin(pairs, 1, before);
    const struct node *a = value ? find_reader(pairs, value, index, b, LIKE_PLACE) : NULL;

    for (int i = 0; !value && i < SKIPPED; i++) {
        if (before->kind != VALUE_RESULT || before->producer->nin == 0)
            return NULL;
        before = before->producer->in[0].value;
        value = diff_twin(pairs, 1, before);
        a = value ? find_reader(pairs, value, index, b, LIKE_ALL) : NULL;
    }
    if (a || !value)
        return a;
    int seen = 0;
    for (const struct use *use = value->uses; use && !a && seen < SKIPPED; use = use->next, seen++)
        if (is_single(&pairs->side[0], use->node) && use->node->nout > 0)
            a = find_reader(pairs, &use->node->out[0], index, b, LIKE_ALL);
    return a;
}

/* The node of A in the place of a node of B: it reads the same operand. */
static const struct node *find_mate(const struct diff_pairs *pairs, const struct node *b, bool near)
{
    const struct node *a = NULL;

    for (uint32_t i = 0; i < b->nin && i < READERS_SEEN && !a; i++) {
        const struct value *value = diff_twin(pairs, 1, b->in[i].value);
        a = value ? find_reader(pairs, value, i, b, LIKE_OPERATOR) : NULL;
    }
    for (uint32_t i = 0; near && i < b->nin && i < READERS_SEEN && !a; i++)
        a = find_near(pairs, b, i);
    return a;
}

/* Pairs of single nodes behind pairs, in the order of B; whether there is any. */
static bool pair_behind(struct diff_pairs *pairs, bool near)
{
    bool found = false;

    for (int i = 0; i < pairs->side[1].count; i++) {
        if (pairs->side[1].mate[i] >= 0)
            continue;
        const struct node *a = find_mate(pairs, pairs->side[1].node[i], near);
        if (a)
            pair_nodes(pairs, pairs->side[0].place[a->id], i);
        found |= a != NULL;
    }
    return found;
}

/* The nodes that made two values, if both are single and of one operator, or `any` that reads as
 * many operands. */
static bool pair_makers(struct diff_pairs *pairs, const struct value *a, const struct value *b,
                        bool any)
{
    if (a->kind != VALUE_RESULT || b->kind != VALUE_RESULT || a->port != b->port ||
        !is_single(&pairs->side[0], a->producer) || !is_single(&pairs->side[1], b->producer) ||
        !(diff_same_op(a->producer, b->producer) || (any && a->producer->nin == b->producer->nin)))
        return false;
    pair_nodes(pairs, pairs->side[0].place[a->producer->id], pairs->side[1].place[b->producer->id]);
    return true;
}

/* Pairs of single nodes before pairs and outputs; whether there is any. */
static bool pair_before(struct diff_pairs *pairs, bool any)
{
    const struct diff_side *a = &pairs->side[0], *b = &pairs->side[1];
    bool found = false;

    for (int i = 0; a->graph->noutput == b->graph->noutput && i < a->graph->noutput; i++)
        found |= pair_makers(pairs, a->graph->outputs[i].value, b->graph->outputs[i].value, any);
    for (int i = b->count - 1; i >= 0; i--) {
        const struct node *y = b->node[i], *x = b->mate[i] < 0 ? NULL : a->node[b->mate[i]];
        for (uint32_t k = 0; x && x->nin == y->nin && k < y->nin; k++)
            found |= pair_makers(pairs, x->in[k].value, y->in[k].value, any);
    }
    return found;
}

/* Pair sources that pairs of nodes read as the same operand.  Literals need no pairs: their items
 * are compared. */
static void pair_read(struct diff_pairs *pairs)
{
    const struct diff_side *a = &pairs->side[0], *b = &pairs->side[1];

    for (int i = 0; i < b->count; i++) {
        const struct node *y = b->node[i], *x = b->mate[i] < 0 ? NULL : a->node[b->mate[i]];
        for (uint32_t k = 0; x && x->nin == y->nin && k < y->nin; k++) {
            const struct value *u = x->in[k].value, *v = y->in[k].value;
            if (u->kind != VALUE_RESULT && u->kind == v->kind && !a->twin[u->id] &&
                !b->twin[v->id] && !value_is_literal(u) && !value_is_literal(v))
                join_values(pairs, u, v);
        }
    }
}

/* --- all of it ------------------------------------------------------------------------------- */

static void begin_side(struct diff_side *side, struct arena *arena)
{
    const struct graph *graph = side->graph;
    const struct source_list *const lists[] = {&graph->externals, &graph->variables,
                                               &graph->constants};

    side->nexternal = graph->externals.count;
    side->nvariable = graph->variables.count;
    side->node = arena_array_of(arena, const struct node *, graph->node_count);
    side->place = arena_array_of(arena, int, graph->node_count);
    side->mate = arena_array_of(arena, int, graph->node_count);
    side->twin = arena_array_of(arena, const struct value *, graph->value_count);
    side->source = arena_array_of(arena, const struct value *, graph->value_count);
    for (int i = 0; i < 3; i++)
        for (const struct source *s = lists[i]->first; s; s = s->next)
            side->source[side->nsource++] = s->value;
    for (const struct node *n = graph->first; n; n = n->next) {
        side->place[n->id] = side->count;
        side->mate[side->count] = -1;
        side->node[side->count++] = n;
    }
    digests_begin(&side->digest, graph, arena);
}

void diff_pairs_find(struct diff_pairs *pairs)
{
    begin_side(&pairs->side[0], pairs->arena);
    begin_side(&pairs->side[1], pairs->arena);
    for (int kind = 0; kind < SOURCE_KEYS; kind++)
        match_sources(pairs, (enum source_key)kind);
    digest_sources(pairs);
    for (int which = 0; which < 2; which++) {
        digests_values(&pairs->side[which].digest, pairs->side[which].graph);
        digests_uses(&pairs->side[which].digest, pairs->side[which].graph);
    }
    for (int kind = 0; kind <= NODE_NAME_OP; kind++)
        match_nodes(pairs, (enum node_key)kind);
    bool found = true;
    for (int i = 0; i < ROUNDS && found; i++) {
        found = pair_behind(pairs, false);
        found |= pair_before(pairs, false);
    }
    match_nodes(pairs, NODE_NAME);
    pair_behind(pairs, true);
    pair_before(pairs, true);
    pair_read(pairs);
}
