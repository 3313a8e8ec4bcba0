/*
 * missing.c - operators of an ONNX model that nothing imports
 *
 * All of them are told at once, each with its first node, before anything is made.  A graph within
 * may never be read, such as the branch of a condition that is known: if only such graphs have
 * them, they are told when the first one is met.
 */
#include "base/arena.h"
#include "base/text.h"
#include "convert/onnx/import_priv.h"
#include "convert/onnx/operators.h"
#include "diag/context.h"

struct missing_operator {
    const struct onnx_node *node; /* the first one */
    const char *place;
    int count; /* of nodes */
    struct missing_operator *next;
};

bool is_missing(const struct resolved_node *node)
{
    return !node->function && !node->row;
}

void missing_note(struct import *import, const char *where, const struct resolved_node *node)
{
    struct missing *missing = &import->missing;
    const char *key = operator_key(import, node->node->domain, node->node->op_type, "");
    struct missing_operator *o = map_get(&missing->by_type, key);
    missing->in_graph |= !*where;
    if (o) {
        o->count++;
        return;
    }
    o = arena_new_of(import->builder.context->arena, struct missing_operator);
    *o = (struct missing_operator){node->node, node_place(import, where, node), 1, NULL};
    map_set(&missing->by_type, key, o);
    *(missing->last ? missing->last : &missing->first) = o;
    missing->last = &o->next;
}

bool missing_report(struct import *import)
{
    struct missing *missing = &import->missing;

    for (const struct missing_operator *o = missing->told ? NULL : missing->first; o; o = o->next) {
        bool standard = is_standard_domain(o->node->domain);
        const char *count = text_format(import->builder.context->arena, " (%d nodes)", o->count);
        const char *why = onnx_refusal(o->node->domain, o->node->op_type);
        import_fault(import, DIAG_NOT_IN_NNEF, "%s: operator '%s'%s%s%s is not supported%s%s%s",
                     o->place, o->node->op_type, standard ? "" : " of domain '",
                     standard ? "" : o->node->domain, standard ? "" : "'",
                     o->count > 1 ? count : "", why ? ": " : "", why ? why : "");
    }
    missing->told = true;
    return !missing->first;
}
