/* check_call.c - invocations (NNEF 1.0.5, section 3.3.2) */
#include "sema/report_priv.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

/* For faults of their own, where nobody knows the parameters. */
static void check_arguments(struct checker *c, struct expr *call)
{
    for (struct expr *arg = call->call.args; arg; arg = arg->next)
        check_expr(c, arg->kind == EXPR_NAMED ? arg->named.value : arg);
}

/* The stack may move: callers keep the index, not a pointer. */
int push_bindings(struct checker *c, int count)
{
    int base = c->binding_count;

    assert(count >= 0);
    for (int i = 0; i < count; i++) {
        if (c->binding_count == c->binding_room)
            c->binding = heap_list(c->binding, c->binding_room++, sizeof *c->binding);
        c->binding[c->binding_count++] = (struct binding){0};
    }
    return base;
}

/* The body of one of our extensions invokes another, unless it is of the standard. */
static void note_helper(struct checker *c, const struct signature *callee)
{
    struct signature *caller = map_get(&c->operations, c->signature->name);
    struct helper *helper;

    for (const struct helper *h = caller->helpers; h; h = h->next)
        if (h->signature == callee)
            return;
    if (callee == caller || library_find(c->library, callee->name))
        return;
    helper = arena_new_of(c->arena, struct helper);
    *helper = (struct helper){callee, caller->helpers};
    caller->helpers = helper;
}

/* Arguments of an unknown operation are checked all the same, for faults of their own. */
const struct type *check_call(struct checker *c, struct expr *call)
{
    struct signature *s = map_get(&c->operations, call->call.callee);

    assert(call->kind == EXPR_CALL);
    if (!s) {
        const char *name = call->call.callee;
        struct span span = callee_span(call);
        bool tract = strncmp(name, "tract_", 6) == 0;
        if (tract && !c->foreign_reported) { /* once: who wrote one of them wrote more */
            c->foreign_reported = true;
            diag_error(c->diag, span, DIAG_FOREIGN_DIALECT,
                       "'%s' is an operation of tract, expected a standard one or a fragment",
                       name);
            diag_help(c->diag, "export the model as NNEF of Khronos: with torch_to_nnef, for the "
                               "target 'KhronosNNEF'.");
        } else if (!tract && !is_skipped(c, name)) {
            report_unknown_operation(c, call);
        }
        check_arguments(c, call);
        c->poisoned = true;
        return poison();
    }
    s->invoked |= s != c->signature;
    if (c->standard)
        note_helper(c, s);
    call->call.signature = s;
    if (is_poison(s->type)) {
        c->poisoned = true;
        check_arguments(c, call);
        return poison();
    }
    int base = push_bindings(c, s->nparam);
    bool complete = bind_arguments(c, call, s, base);
    const struct type *generic = bind_generic(c, call, base, complete);
    c->poisoned |= s->faulty || !complete || (s->generic && is_poison(generic));
    bind_check(c, call, s, base, generic);
    check_introduction(c, call, base);
    c->binding_count = base;
    return s->generic ? type_substitute(c->types, s->type, generic) : s->type;
}
