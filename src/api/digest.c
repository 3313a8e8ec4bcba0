/*
 * digest.c - digests of the nodes of a graph (include/nnefc/diff.h)
 *
 * A node has three digests: of itself, of all that it depends on, and of all that depends on it.
 */
#include "api/api_priv.h"
#include "api/diff.h"
#include "base/hash.h"
#include "base/text.h"
#include "op/op_build.h"
#include "parser/parser.h"

#include <string.h>

uint64_t digest_text(uint64_t hash, const char *text)
{
    return text ? hash_bytes(hash, text, strlen(text)) : hash_mix(hash, 1);
}

/* Equal shapes of several graphs are different copies. */
uint64_t digest_source(const struct value *value)
{
    const struct shape *shape = value->shape;
    uint64_t hash = hash_mix((uint64_t)value->kind << 32 | value->dtype, (uint64_t)shape->rank + 2);

    for (int i = 0; i < shape->rank; i++)
        hash = hash_mix(hash, (uint64_t)shape->extent[i]);
    if (value->kind == VALUE_CONSTANT) {
        const struct tensor *tensor = value->source->tensor;
        hash = hash_bytes(hash, tensor_place(tensor), tensor_size(tensor));
    }
    return hash;
}

/* Attributes of custom operations are data of the language; their printed form is compared. */
static uint64_t digest_alone(const struct graph *graph, const struct node *node)
{
    uint64_t hash = digest_text(attrs_hash(node), node->op->name);

    for (const struct op_attr *a = node->op->attrs; a && a->name; a++) {
        struct text text = {0};
        if (a->kind != ATTR_VALUES && a->kind != ATTR_DATUM)
            continue;
        struct datum value = op_attr_datum(graph, node, a);
        datum_print(&value, &text);
        hash = digest_text(digest_text(hash, a->name), text.data);
        text_free(&text);
    }
    hash = hash_mix(hash, (uint64_t)node->generic << 32 | node->nout);
    return hash_mix(hash, node->nin);
}

void digests_begin(struct digests *digests, const struct graph *graph, struct arena *arena)
{
    digests->alone = arena_array_of(arena, uint64_t, graph->node_count);
    digests->value = arena_array_of(arena, uint64_t, graph->value_count);
    digests->use = arena_array_of(arena, uint64_t, graph->node_count);
    for (const struct node *n = graph->first; n; n = n->next)
        digests->alone[n->id] = digest_alone(graph, n);
}

void digests_values(struct digests *digests, const struct graph *graph)
{
    for (const struct node *n = graph->first; n; n = n->next) {
        uint64_t hash = digests->alone[n->id];
        for (uint32_t i = 0; i < n->nin; i++)
            hash = hash_mix(hash, digests->value[n->in[i].value->id]);
        for (uint32_t i = 0; i < n->nout; i++)
            digests->value[n->out[i].id] = hash_mix(hash, i);
    }
}

/* Readers of a result have no order, so their digests are summed.  The digests of sources that a
 * node reads distinguish it from other nodes with the same operator. */
void digests_uses(struct digests *digests, const struct graph *graph)
{
    for (int i = 0; i < graph->noutput; i++)
        if (graph->outputs[i].value->kind == VALUE_RESULT)
            digests->use[graph->outputs[i].value->producer->id]++;
    for (const struct node *n = graph->last; n; n = n->prev) {
        uint64_t hash = digests->use[n->id] + (n->op->traits & OP_EFFECT ? 1 : 0);
        if (hash == 0) /* this digest cannot identify a node that nothing reads */
            continue;
        hash = hash_mix(hash, digests->alone[n->id]);
        for (uint32_t i = 0; i < n->nin; i++)
            if (n->in[i].value->kind != VALUE_RESULT)
                hash = hash_mix(hash_mix(hash, i), digests->value[n->in[i].value->id]);
        for (uint32_t i = 0; i < n->nin; i++)
            if (n->in[i].value->kind == VALUE_RESULT)
                digests->use[n->in[i].value->producer->id] +=
                    hash_mix(hash, (uint64_t)i << 32 | n->in[i].value->port) | 1;
        digests->use[n->id] = hash;
    }
}

/* --- the quantization file ------------------------------------------------------------------- */

void quant_by_name(const struct nnefc_model *model, struct map *entries)
{
    const struct quant_entry *first = model->graph->quantized ? NULL : model->quant.entries.first;

    for (const struct quant_entry *e = first; e; e = e->next)
        map_set(entries, e->name, e);
}

/* Arguments stand in any order, so their digests are summed. */
static uint64_t digest_entry(uint64_t hash, const struct quant_entry *entry)
{
    uint64_t sum = 0;

    for (const struct expr *arg = entry->call->call.args; arg; arg = arg->next) {
        struct text text = {0};
        expr_print(arg->named.value, DIALECT_1_0, &text);
        sum += digest_text(digest_text(1, arg->named.name), text.data);
        text_free(&text);
    }
    return hash_mix(digest_text(hash, entry->call->call.callee), sum);
}

/* The digest with the entry, if any, of the tensor. */
static uint64_t digest_quantized(uint64_t hash, const struct map *entries,
                                 const struct value *value)
{
    const struct quant_entry *entry = value->name ? map_get(entries, value->name) : NULL;

    return entry ? digest_entry(hash, entry) : hash;
}

/* --- for clients ----------------------------------------------------------------------------- */

static uint64_t digest_stored(const struct map *entries, const struct value *value)
{
    return digest_quantized(digest_source(value), entries, value);
}

/* For clients, a variable is identified by its label, a parameter by its number. */
void list_digests(const struct nnefc_model *model, struct list *list)
{
    const struct graph *graph = model->graph;
    struct digests digests;
    struct map entries = {0};
    uint64_t number = 0;

    if (!graph)
        return;
    quant_by_name(model, &entries);
    digests_begin(&digests, graph, list->arena);
    for (const struct node *n = graph->first; n; n = n->next)
        for (uint32_t i = 0; i < n->nout; i++)
            digests.alone[n->id] =
                digest_quantized(hash_mix(digests.alone[n->id], i), &entries, &n->out[i]);
    for (const struct source *s = graph->externals.first; s; s = s->next)
        digests.value[s->value->id] = hash_mix(digest_stored(&entries, s->value), number++);
    for (const struct source *s = graph->variables.first; s; s = s->next)
        digests.value[s->value->id] = digest_text(digest_stored(&entries, s->value), s->label);
    for (const struct source *s = graph->constants.first; s; s = s->next)
        digests.value[s->value->id] = digest_stored(&entries, s->value);
    digests_values(&digests, graph);
    for (const struct node *n = graph->first; n; n = n->next)
        LIST_ADD(list, (struct nnefc_digest){.alone = digests.alone[n->id],
                                             .whole = n->nout > 0 ? digests.value[n->out[0].id]
                                                                  : digests.alone[n->id]});
    map_free(&entries);
}
