/* pass.c - the table of passes, and running them until nothing changes */
#include "pass/pass.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "diag/context.h"
#include "op/graph_print.h"
#include "pass/pass_priv.h"
#include "tensor/retained.h"

#include <assert.h>
#include <string.h>

#define PASS(id, title, standard, plans) extern const struct pass_desc pass_##id;
#include "pass/pass_list.def"
#undef PASS

const struct pass_desc *const pass_table[] = {
#define PASS(id, title, standard, plans) &pass_##id,
#include "pass/pass_list.def"
#undef PASS
};

static const struct pass_info infos[] = {
#define PASS(id, title, standard, plans) \
    {.name = title, .by_default = standard, .for_plans = plans},
#include "pass/pass_list.def"
#undef PASS
};

int pass_count(void)
{
    return (int)(sizeof infos / sizeof infos[0]);
}

struct pass_info pass_at(int index)
{
    struct pass_info info = infos[index];

    assert(index >= 0 && index < pass_count());
    info.purpose = pass_table[index]->purpose;
    return info;
}

int pass_find(const char *name)
{
    for (int i = 0; i < pass_count(); i++)
        if (strcmp(infos[i].name, name) == 0)
            return i;
    return -1;
}

/* One pass over all nodes, those that are made meanwhile not included. */
static bool sweep(struct pass *pass, const struct pass_desc *desc)
{
    if (desc->begin)
        desc->begin(pass);
    for (struct node *n = pass->graph->first, *next; n && desc->visit && !pass->failed; n = next) {
        next = n->next;
        pass->at = n;
        pass->graph->before = n;
        desc->visit(pass, n);
    }
    pass->at = pass->graph->before = NULL;
    if (desc->end && !pass->failed)
        desc->end(pass);
    return !pass->failed;
}

/* A graph that a pass broke is our own mistake. */
static bool is_sound(const struct passes *passes, int index)
{
    struct text why = {0};
    bool sound = graph_verify(passes->graph, &why);

    if (!sound)
        diag_file_error(passes->graph->context->diag, NULL, DIAG_GRAPH_UNSOUND,
                        "the pass '%s' broke the graph: %s", infos[index].name, why.data);
    text_free(&why);
    return sound;
}

static bool run_one(struct passes *passes, int index, int *changes)
{
    struct pass pass = {
        .graph = passes->graph, .options = passes->options, .all = passes, .index = index};
    bool ok = sweep(&pass, pass_table[index]);

    *changes += pass.changes;
    passes->report->changes[index] += pass.changes;
    return ok && (!passes->options->verify || !pass.changes || is_sound(passes, index));
}

static bool run_round(struct passes *passes, int *changes)
{
    passes->report->nremark = 0;
    const struct pass_options *options = passes->options;

    for (int i = 0; i < pass_count(); i++) {
        if (atomic_load(&passes->graph->context->cancelled) ||
            (options->enabled[i] && !run_one(passes, i, changes)))
            return false;
        if (options->progress)
            options->progress(options->progress_data, i + 1, pass_count());
    }
    return true;
}

static void note_tensors(struct map *needed, const struct source_list *list)
{
    for (const struct source *s = list->first; s; s = s->next)
        if (s->tensor)
            map_set(needed, s->tensor, s);
}

/* What one computed constant was made into another of is not needed for long. */
static void drop_tensors(const struct passes *passes)
{
    struct map needed = {0};

    note_tensors(&needed, &passes->graph->variables);
    note_tensors(&needed, &passes->graph->constants);
    retained_tensors_prune(passes->graph->context, passes->kept, &needed);
    map_free(&needed);
}

/* As they stand: what was made later may stand before. */
static void number_nodes(struct graph *graph)
{
    graph->node_count = 0;
    for (struct node *n = graph->first; n; n = n->next)
        n->id = graph->node_count++;
}

bool passes_run(struct graph *graph, const struct pass_options *options,
                struct retained_tensor **kept, struct pass_report *report)
{
    struct passes passes = {.graph = graph, .options = options, .kept = kept, .report = report};
    bool ok = true, changed = false;

    *report =
        (struct pass_report){.changes = arena_array_of(graph->context->arena, int, pass_count())};
    passes_begin(&passes);
    while (ok && !report->settled && report->rounds < options->rounds) {
        int changes = 0;
        ok = run_round(&passes, &changes);
        report->rounds++;
        report->settled = changes == 0;
        changed = changed || changes;
        if (ok && changes)
            drop_tensors(&passes);
    }
    passes_end(&passes);
    if (changed)
        number_nodes(graph);
    return ok;
}
