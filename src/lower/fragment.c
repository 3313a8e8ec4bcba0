/* fragment.c - a fragment of a library is expanded outside any document */
#include "base/arena.h"
#include "lower/lower_priv.h"

#include <assert.h>

static bool argument(struct call_frame *frame, const struct sig_param *param,
                     const struct datum *given, struct bound *arg)
{
    bool is_default = given->kind == DATUM_NONE;

    assert(!is_default || param->has_default);
    arg->value = is_default ? param->value : *given;
    return cast_datum(frame, param->type, param->span, &arg->value);
}

static bool invoke_fragment(struct call_frame *frame, const struct fragment_call *call,
                            struct value **results)
{
    const struct signature *sig = call->signature;
    struct bound *args = arena_array_of(frame->lowering->scratch, struct bound, sig->nparam);
    const struct invocation invocation = {.signature = sig, .args = args};
    struct datum made = {0};

    for (int i = 0; i < sig->nparam; i++)
        if (!argument(frame, &sig->params[i], &call->args[i], &args[i]))
            return false;
    if (!invoke(frame, &invocation, &made))
        return false;
    assert(made.kind == DATUM_TENSOR || made.count == sig->nresult);
    for (int i = 0; i < sig->nresult; i++)
        results[i] = made.kind == DATUM_TENSOR ? made.tensor : made.items[i].tensor;
    return true;
}

/* The importer bounds how far the graph may grow, so the bound of a document is not for it. */
bool lower_fragment(struct graph *graph, const struct library *library,
                    const struct fragment_call *call, struct value **results)
{
    struct context *context = graph->context;
    const int64_t may_grow = context->may_grow;
    const struct checked checked = {.sound = true, .context = context, .library = library};
    const struct lower_options options = {.maker = call->maker};
    struct lowering l = lowering_begin(&checked, &options, graph);
    struct call_frame frame = {.lowering = &l, .site = call->site};

    assert(call->maker && call->signature->fragment->has_body);
    context->may_grow = may_grow;
    bool ok = invoke_fragment(&frame, call, results) && !has_faults(&l);
    lowering_end(&l);
    return ok;
}
