/* fragment.c - a fragment of a library is expanded outside any document */
#include "base/arena.h"
#include "lower/lower_priv.h"

#include <assert.h>

/* The importer bounds how far the graph may grow, so the bound of a document is not for it. */
bool lower_fragment(struct graph *graph, const struct library *library,
                    const struct fragment_call *call, struct value **results)
{
    const struct signature *sig = call->signature;
    struct context *context = graph->context;
    const int64_t may_grow = context->may_grow;
    const struct checked checked = {.sound = true, .context = context, .library = library};
    const struct lower_options options = {.maker = call->maker};
    struct lowering l = lowering_begin(&checked, &options, graph);
    struct call_frame frame = {.lowering = &l, .site = call->site};
    struct bound *args = arena_array_of(l.scratch, struct bound, sig->nparam);
    struct datum made = {0};
    bool ok = true;

    assert(call->maker && sig->fragment->has_body);
    context->may_grow = may_grow;
    for (int i = 0; i < sig->nparam && ok; i++) {
        const struct sig_param *param = &sig->params[i];
        bool is_default = call->args[i].kind == DATUM_NONE;
        assert(!is_default || param->has_default);
        args[i].value = is_default ? param->value : call->args[i];
        ok = cast_datum(&frame, param->type, param->span, &args[i].value);
    }
    ok = ok && invoke(&frame, &(struct invocation){.signature = sig, .args = args}, &made);
    assert(!ok || made.kind == DATUM_TENSOR || made.count == sig->nresult);
    for (int i = 0; i < sig->nresult && ok; i++)
        results[i] = made.kind == DATUM_TENSOR ? made.tensor : made.items[i].tensor;
    ok = ok && !has_faults(&l);
    lowering_end(&l);
    return ok;
}
