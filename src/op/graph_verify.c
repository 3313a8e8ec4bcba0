/* graph_verify.c - the invariants of graph.h, checked one by one */
#include "base/map.h"
#include "base/text.h"
#include "op/graph_print.h"
#include "op/op.h"

struct verifier {
    const struct graph *graph;
    struct map seen; /* values that are available at this point of the order */
    struct map names;
    uint64_t operands, uses;
    struct text *why;
};

static bool wrong(struct verifier *v, const char *what, const struct value *value)
{
    text_add(v->why, "%s: %s", VALUE_TEXT(value), what);
    return false;
}

static bool introduce_value(struct verifier *v, struct value *value)
{
    if (value->id >= v->graph->value_count)
        return wrong(v, "id out of range", value);
    if (map_get(&v->seen, value))
        return wrong(v, "made twice", value);
    map_set(&v->seen, value, value);
    if (!value->name)
        return true;
    if (map_get(&v->names, value->name))
        return wrong(v, "name used twice", value);
    map_set(&v->names, value->name, value);
    return true;
}

/* Every use in a list was met as an operand, so equal numbers mean equal sets. */
static bool count_uses(struct verifier *v, const struct value *value)
{
    for (const struct use *u = value->uses; u; u = u->next, v->uses++)
        if (u->value != value || *u->link != u)
            return wrong(v, "list of uses is broken", value);
    return true;
}

static bool verify_sources(struct verifier *v, const struct source_list *list, enum value_kind kind)
{
    bool ok = true;

    for (const struct source *s = list->first; s; s = s->next) {
        if (s->value->kind != kind || s->value->source != s)
            ok = wrong(v, "source and value do not mirror each other", s->value);
        ok = ok && introduce_value(v, s->value) && count_uses(v, s->value);
    }
    return ok;
}

static bool verify_operands(struct verifier *v, const struct node *node)
{
    for (uint32_t i = 0; i < node->nin; i++) {
        const struct use *use = &node->in[i];
        if (!map_get(&v->seen, use->value))
            return wrong(v, "used before it is made", use->value);
        if (use->node != node || *use->link != use)
            return wrong(v, "use is not in the list of uses", use->value);
    }
    v->operands += node->nin;
    return true;
}

static bool verify_results(struct verifier *v, struct node *node)
{
    for (uint32_t i = 0; i < node->nout; i++) {
        struct value *value = &node->out[i];
        if (value->kind != VALUE_RESULT || value->producer != node || value->port != i)
            return wrong(v, "result does not point to its producer", value);
        if (!introduce_value(v, value) || !count_uses(v, value))
            return false;
    }
    return true;
}

static bool verify_nodes(struct verifier *v)
{
    const struct node *prev = NULL;

    for (struct node *n = v->graph->first; n; prev = n, n = n->next)
        if (n->prev != prev || n->id >= v->graph->node_count || !verify_operands(v, n) ||
            !verify_results(v, n)) {
            if (!v->why->size)
                text_add(v->why, "node '%s': order or id is wrong", n->op->name);
            return false;
        }
    if (v->graph->last == prev && v->operands == v->uses)
        return true;
    text_add(v->why, "last node or number of uses is wrong");
    return false;
}

static bool verify_ports(struct verifier *v)
{
    const struct graph *g = v->graph;

    for (int i = 0; i < g->ninput; i++)
        if (g->inputs[i].value->kind != VALUE_EXTERNAL)
            return wrong(v, "input is no external", g->inputs[i].value);
    for (int i = 0; i < g->noutput; i++)
        if (!map_get(&v->seen, g->outputs[i].value))
            return wrong(v, "output is made by no node", g->outputs[i].value);
    return true;
}

bool graph_verify(const struct graph *graph, struct text *why)
{
    struct verifier v = {.graph = graph, .why = why};
    bool ok = verify_sources(&v, &graph->externals, VALUE_EXTERNAL) &&
              verify_sources(&v, &graph->variables, VALUE_VARIABLE) &&
              verify_sources(&v, &graph->constants, VALUE_CONSTANT) && verify_nodes(&v) &&
              verify_ports(&v);

    map_free(&v.seen);
    map_free(&v.names);
    return ok;
}
