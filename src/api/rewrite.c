/* rewrite.c - passes over the graph of a model (passes.h) */
#include "api/weights.h"
#include "base/num.h"

#include <assert.h>
#include <string.h>

/* --- which of them ------------------------------------------------------------------------ */

/* A candidate for the pass that is meant; NULL behind the last. */
static const char *name_at(int index, const void *data)
{
    (void)data;
    return index < pass_count() ? pass_at(index).name : NULL;
}

/* Switch the passes that the words of a list name: "all", "none", "default", or a pass.  False
 * after a report; the other words hold even so. */
static bool mark(const struct nnefc_model *model, const char *list, bool value, bool *enabled)
{
    bool ok = true;

    for (size_t size; *list; list += size + (list[size] == ',')) {
        size = strcspn(list, ",");
        const char *word = arena_strndup(model->context->arena, list, size);
        bool all = strcmp(word, "all") == 0, standard = strcmp(word, "default") == 0;
        int index = pass_find(word);
        for (int i = 0; i < pass_count(); i++)
            if (all || i == index || (standard && pass_at(i).by_default))
                enabled[i] = value;
        if (all || standard || index >= 0 || strcmp(word, "none") == 0)
            continue;
        const char *nearest = num_nearest(word, name_at, NULL);
        ok = misuse(model, "there is no pass '%s'%s%s%s", word, nearest ? ", perhaps '" : "",
                    nearest ? nearest : "", nearest ? "' is meant" : "");
    }
    return ok;
}

/* Passes leave alone whatever the quantization file says something about. */
static bool is_pinned(const void *data, const struct value *value)
{
    const struct nnefc_model *model = data;

    for (const struct quant_entry *e = model->quant.entries.first; e; e = e->next)
        if (e->name == value->name)
            return true;
    return false;
}

/* Of the passes of one round. */
static void tell_progress(void *data, int done, int total)
{
    model_progress(data, NNEFC_WORK_PASSES, done, total);
}

/* --- running them ------------------------------------------------------------------------- */

/* Rewriting changes the model's own graph, so no run may have a plan of it. */
bool api_model_rewrite(struct nnefc_model *model, const struct nnefc_rewrite *how)
{
    if (!graph_is_there(model, "rewritten"))
        return false;
    struct nnefc_rewrite taken;
    if (!how)
        return misuse(model, "there is nothing that says how to rewrite the model");
    if (!settings_take(model, how, &taken, sizeof taken))
        return false;
    if (taken.growth < 0)
        return misuse(model, "constants cannot grow by %lld items", (long long)taken.growth);
    how = &taken;
    bool *enabled = arena_array_of(model->context->arena, bool, pass_count());

    if (model->runs)
        return misuse(model, "a model cannot be rewritten while there are runs of it");
    if (!mark(model, how->passes ? how->passes : "default", true, enabled) ||
        !mark(model, how->without ? how->without : "", false, enabled))
        return false;
    model->passes = (struct pass_report){.settled = true}; /* if none of them is run */
    if (model->graph->provisional) /* passes know the operations of NNEF 1.0 */
        return true;
    bool has_entries = model->quant.entries.first && !model->graph->quantized;
    const struct pass_options options = {.enabled = enabled,
                                         .rounds = PASS_ROUNDS,
                                         .growth = how->growth ? how->growth : PASS_GROWTH,
                                         .prune_inputs = how->prune_inputs,
                                         .remarks = true,
                                         .verify = how->verify,
                                         .pinned = has_entries ? is_pinned : NULL,
                                         .pin_data = model,
                                         .progress = tell_progress,
                                         .progress_data = model};
    /* Lists of the graph are out of date now. */
    model->computed = NULL;
    model->ncomputed = 0;
    lists_forget(model->lists);
    return weights_load(model) && passes_run(model->graph, &options, &model->kept, &model->passes);
}

/* --- what they did ------------------------------------------------------------------------ */

int nnefc_model_pass_changes(const struct nnefc_model *model, int pass)
{
    return model && model->passes.changes && pass >= 0 && pass < pass_count()
               ? model->passes.changes[pass]
               : 0;
}

int nnefc_model_pass_rounds(const struct nnefc_model *model)
{
    return model ? model->passes.rounds : 0;
}

bool nnefc_model_settled(const struct nnefc_model *model)
{
    return model && model->passes.settled;
}

/* Of the last round: what passes would have changed, and why they did not. */
void list_remarks(const struct nnefc_model *model, struct list *list)
{
    for (int i = 0; i < model->passes.nremark; i++) {
        const struct pass_remark *remark = &model->passes.remarks[i];
        assert(remark->pass >= 0 && remark->pass < pass_count());
        LIST_ADD(list, (struct nnefc_remark){pass_at(remark->pass).name, remark->operation,
                                             remark->name, remark->reason});
    }
}
