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

static const struct {
    const struct pass_desc *desc;
    struct pass_info info; /* without the purpose */
} table[] = {
#define PASS(id, title, standard, plans) \
    {&pass_##id, {.name = title, .by_default = standard, .for_plans = plans}},
#include "pass/pass_list.def"
#undef PASS
};

int pass_count(void)
{
    return (int)(sizeof table / sizeof table[0]);
}

struct pass_info pass_at(int index)
{
    struct pass_info info = table[index].info;

    assert(index >= 0 && index < pass_count());
    info.purpose = table[index].desc->purpose;
    return info;
}

int pass_find(const char *name)
{
    for (int i = 0; i < pass_count(); i++)
        if (strcmp(table[i].info.name, name) == 0)
            return i;
    return -1;
}

bool pass_is_run(const struct pass *pass, const struct pass_desc *desc)
{
    int index = 0;

    while (table[index].desc != desc)
        index++;
    return pass->options->enabled[index];
}

/* Which operators the pass visits, by their ids; custom ones stand behind all others. */
static void list_visited(const struct pass_desc *desc, bool visited[OP_COUNT + 1])
{
    memset(visited, desc->ops[0] == 0, OP_COUNT + 1);
    static_assert(OP_external == 0, "ends the list, since no node has it");
    for (int i = 0; i < PASS_OPS && desc->ops[i]; i++)
        visited[desc->ops[i]] = true;
}

/* Which operators there are; nodes that go later do not matter. */
static void note_operators(struct passes *passes)
{
    const struct graph *graph = passes->graph;

    memset(passes->has, 0, sizeof passes->has);
    for (const struct node *n = graph->first; n; n = n->next)
        passes->has[n->op->id] = true;
    passes->noted = graph->node_count;
}

/* May the graph have nodes of one of these operators? */
static bool has_any(struct passes *passes, const enum op_id ops[PASS_OPS])
{
    bool found = ops[0] == 0;

    if (passes->noted != passes->graph->node_count)
        note_operators(passes);
    for (int i = 0; i < PASS_OPS && ops[i]; i++)
        found |= passes->has[ops[i]];
    return found;
}

/* From that node on; NULL: none. */
static struct node *next_visited(struct node *node, const bool visited[OP_COUNT + 1])
{
    while (node && (!visited[node->op->id] || node->op->traits & OP_RANDOM))
        node = node->next;
    return node;
}

static void visit_nodes(struct passes *passes, const struct pass_desc *desc, struct pass *pass)
{
    struct graph *graph = passes->graph;
    bool visited[OP_COUNT + 1];

    list_visited(desc, visited);
    const struct arena_mark visit = arena_mark(passes->scratch);
    struct node *n = next_visited(graph->first, visited), *next;
    for (; n && !pass->failed; n = next_visited(next, visited)) {
        next = n->next;
        pass->at = graph->before = n;
        const char *why = desc->visit(pass, n);
        if (why)
            pass_left(pass, n, why);
        arena_rewind(passes->scratch, visit);
    }
    pass->at = graph->before = NULL;
}

/* One pass over the nodes that are there before it, but for random ones: these read nothing, are
 * not known before the run, and stay apart.  False after a report. */
static bool sweep_once(struct passes *passes, const struct pass_desc *desc, struct pass *pass)
{
    const struct arena_mark sweep = arena_mark(passes->scratch);

    if (desc->begin)
        desc->begin(pass);
    if (desc->visit && has_any(passes, desc->ops))
        visit_nodes(passes, desc, pass);
    if (desc->end && !pass->failed)
        desc->end(pass);
    arena_rewind(passes->scratch, sweep);
    return !pass->failed;
}

static bool run_one(struct passes *passes, int index, int *changes)
{
    struct graph *graph = passes->graph;
    struct pass pass = {.graph = graph, .options = passes->options, .all = passes, .index = index};
    const bool left_out = !has_any(passes, table[index].desc->needs);
    const int64_t remarks = passes->report->nremark;

    if (left_out && !passes->options->verify)
        return true;
    const bool swept = sweep_once(passes, table[index].desc, &pass);
    *changes += pass.changes;
    passes->report->changes[index] += pass.changes;
    const bool differs = pass.changes || (left_out && passes->report->nremark != remarks);
    if (!swept || !passes->options->verify || !differs)
        return swept;
    /* A graph that a pass broke is our own mistake. */
    struct text why = {0};
    bool sound = !left_out && graph_verify(graph, &why);
    if (!sound)
        diag_file_error(graph->context->diag, NULL, DIAG_GRAPH_UNSOUND,
                        "the pass '%s' broke the graph: %s", table[index].info.name,
                        left_out ? "it found something without what it needs" : why.data);
    text_free(&why);
    return sound;
}

/* A round ends behind the last pass that changed something in the round before, unless it changes
 * something itself: later passes have seen the graph as it is. */
static bool run_round(struct passes *passes, int *changes)
{
    const struct pass_options *options = passes->options;
    int last = passes->last;

    passes->report->nremark = 0;
    for (int i = 0; i < pass_count() && (i <= last || *changes || options->remarks); i++) {
        int before = *changes;
        if (context_cancelled(passes->graph->context) ||
            (options->enabled[i] && !run_one(passes, i, changes)))
            return false;
        if (*changes > before)
            passes->last = i;
        if (options->progress)
            options->progress(options->progress_data, i + 1, pass_count());
    }
    return true;
}

/* Passes make one computed constant into another: nothing needs the first any longer. */
static void drop_tensors(const struct passes *passes)
{
    const struct graph *graph = passes->graph;
    const struct source_list *const lists[] = {&graph->variables, &graph->constants};
    struct map needed = {0};

    if (!*passes->kept)
        return;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (const struct source *s = lists[i]->first; s; s = s->next)
            if (s->tensor)
                map_set(&needed, s->tensor, s);
    retained_tensors_prune(graph->context, passes->kept, &needed);
    map_free(&needed);
}

/* Number the nodes as they stand: what was made later may stand before. */
static void number_nodes(struct graph *graph)
{
    graph->node_count = 0;
    for (struct node *n = graph->first; n; n = n->next)
        n->id = graph->node_count++;
}

bool passes_run(struct graph *graph, const struct pass_options *options,
                struct retained_tensor **kept, struct pass_report *report)
{
    struct passes passes = {
        .graph = graph, .options = options, .kept = kept, .report = report, .last = pass_count()};
    bool ok = true, changed = false;

    assert(options->enabled && kept);
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

bool pass_run_once(struct graph *graph, const struct pass_desc *desc, void *data,
                   struct retained_tensor **kept)
{
    const struct pass_options options = {.rounds = 1};
    struct pass_report report = {0};
    struct passes passes = {.graph = graph, .options = &options, .kept = kept, .report = &report};
    struct pass pass = {.graph = graph, .options = &options, .all = &passes, .data = data};

    passes_begin(&passes);
    bool ok = sweep_once(&passes, desc, &pass);
    passes_end(&passes);
    number_nodes(graph);
    return ok;
}
