/*
 * special.c - the graphs of an open model: one for the extents, the items and the settings of a run
 *
 * They are kept, the last used first, as long as there are not too many and they do not take too
 * much memory.  Each has an arena of its own, which is freed with it.
 */
#include "api/open.h"

#include "api/prepare.h"
#include "api/special_key.h"
#include "api/weights.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "convert/onnx/import_value.h"
#include "convert/pnnx/import.h"
#include "exec/plan.h"
#include "file/store.h"
#include "ir/graph.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What they may take of the memory of the model, unless there is a limit for them. */
enum { PART_OF_MEMORY = 4 };

struct special {
    struct nnefc_model *model;
    struct shared_user *shared;
    struct context *context; /* with an arena of its own */
    struct text key;         /* what it was made for */
    uint64_t hash;           /* of the key */
    struct import_memory *memory;
    struct graph *graph;
    const int *from;           /* by parameter: that of the interface; NULL: of a later part */
    struct part_info *info;    /* NULL: of the model from its first node on */
    struct onnx_part part;     /* of a model of ONNX: where it ends */
    struct prepared *prepared; /* NULL: of the reference */
    struct special *newer, *older;
    struct special *same; /* the next one in the bucket of its hash */
    int64_t bytes;        /* all that it takes */
    int users;            /* runs that compute it, or one that makes it */
    bool made;
};

/* --- what is fed -------------------------------------------------------------------------- */

/* Has the run each input that a graph is made for?  False after a report of all others. */
static bool check_fed(const struct nnefc_run *run)
{
    const struct nnefc_model *model = run->model;
    bool ok = true;

    for (int i = 0; i < model->open.interface->ninput; i++)
        if (input_is_open(model, i) && !run_has_input(run->run, i))
            ok = run_miss_input(run->run, i);
    return ok;
}

static bool has_key(const struct special *special, const struct text *key)
{
    return special->key.size == key->size && memcmp(special->key.data, key->data, key->size) == 0;
}

/* --- the cache ---------------------------------------------------------------------------- */

static void unlink_special(struct special *special)
{
    struct loaded_open *open = &special->model->open;

    *(special->newer ? &special->newer->older : &open->newest) = special->older;
    *(special->older ? &special->older->newer : &open->oldest) = special->newer;
    special->newer = special->older = NULL;
}

static void link_newest(struct special *special)
{
    struct loaded_open *open = &special->model->open;

    special->older = open->newest;
    *(open->newest ? &open->newest->newer : &open->oldest) = special;
    open->newest = special;
}

static struct special **bucket_of(struct nnefc_model *model, uint64_t hash)
{
    return &model->open.by_hash[(hash >> 32) % SPECIAL_BUCKETS];
}

static void count_special(struct special *special, int change)
{
    struct loaded_open *open = &special->model->open;

    *(special->info ? &special->info->kept : &open->kept) += change;
    open->plans.kept += change;
    open->plans.bytes += change * special->bytes;
}

/* From now on it can be taken again. */
static void keep_special(struct special *special)
{
    struct special **bucket = bucket_of(special->model, special->hash);

    special->made = true;
    special->same = *bucket;
    *bucket = special;
    count_special(special, 1);
}

static void forget_special(struct special *special)
{
    struct special **at = bucket_of(special->model, special->hash);

    while (*at != special)
        at = &(*at)->same;
    *at = special->same;
    count_special(special, -1);
}

static void make_newest(struct special *special)
{
    if (special == special->model->open.newest)
        return;
    unlink_special(special);
    link_newest(special);
}

static void free_special(struct special *special)
{
    assert(special->users == 0);
    unlink_special(special);
    if (special->made)
        forget_special(special);
    if (special->context) { /* else memory ran out before it had one */
        prepared_drop(special->context, special->prepared);
        import_memory_free(special->context, special->memory);
    }
    shared_leave(special->shared);
    context_free(special->context);
    text_free(&special->key);
    free(special);
}

void specials_free(struct nnefc_model *model)
{
    struct special *special = model->open.newest, *older;

    for (; special; special = older) {
        older = special->older;
        special->users = 0; /* of one that was in the making when memory ran out */
        free_special(special);
    }
    /* After the graphs: tensors of theirs were made of initializers. */
    onnx_initial_free(&model->onnx.options.initial);
    shared_free(model->open.shared);
}

bool plans_are_large(const struct nnefc_model *model)
{
    const struct limits *limits = &model->context->limits;
    int64_t most = limits->plan_memory ? limits->plan_memory : limits->memory / PART_OF_MEMORY;

    return model->open.plans.bytes > most;
}

void evict(struct nnefc_model *model, const struct part_info *info)
{
    const int *kept = info ? &info->kept : &model->open.kept;
    struct special *special = model->open.oldest, *newer;

    for (; special; special = newer) {
        bool many = *kept > model->context->limits.plans, large = plans_are_large(model);
        if (!many && !large)
            return;
        newer = special->newer;
        if (special->users > 0 || !(large || special->info == info))
            continue;
        free_special(special);
        model->open.plans.dropped++;
    }
}

static struct special *find_special(struct nnefc_model *model, const struct text *key)
{
    struct special *special = model->open.newest;

    if (special && special->made && has_key(special, key)) /* as in most trips of a loop */
        return special;
    uint64_t hash = hash_bytes(0, key->data, key->size);
    special = *bucket_of(model, hash);
    while (special && !(special->hash == hash && has_key(special, key)))
        special = special->same;
    return special;
}

struct nnefc_plans nnefc_model_plans(const struct nnefc_model *model)
{
    struct nnefc_plans plans = {0};

    if (model) {
        model_lock(model);
        plans = model->open.plans;
        plans.weight_bytes = shared_count(model->open.shared).bytes;
        model_unlock(model);
    }
    return plans;
}

/* Is there more of the model than its graph? */
static bool special_is_cut(const struct special *special)
{
    const struct loaded_open *open = &special->model->open;

    return special->part.graph &&
           onnx_order_node(open->order, special->part.graph, special->part.end);
}

/* --- making ------------------------------------------------------------------------------- */

/* Items that the graph goes by, as long as it is kept. */
static struct tensor *keep_items(const struct special *special, const struct tensor *from)
{
    struct arena *arena = special->context->arena;
    struct tensor *to = arena_new_of(arena, struct tensor);
    size_t size = tensor_bytes(from);

    *to = *from;
    to->release = NULL;
    to->data = arena_alloc(arena, size + 1);
    memcpy(to->data, from->data, size);
    return to;
}

/* The options of the model with what is fed: shapes by name, and items. */
static struct onnx_import_options options_for(const struct special *special,
                                              const struct nnefc_run *run)
{
    struct nnefc_model *model = special->model;
    struct onnx_import_options options = model->onnx.options;
    const struct graph *interface = model->open.interface;
    struct arena *arena = special->context->arena;
    struct shape_override *shapes =
        arena_array_of(arena, struct shape_override, interface->ninput + options.nshape + 1);
    struct onnx_bound *bounds =
        arena_array_of(arena, struct onnx_bound, interface->ninput + options.nbound + 1);
    int nshape = 0, nbound = 0;

    for (int i = 0; i < interface->ninput; i++) {
        const char *name = interface->inputs[i].name;
        if (input_decides(run, i)) {
            bounds[nbound++] =
                (struct onnx_bound){name, *keep_items(special, run_input(run->run, i))};
        } else if (input_is_open(model, i)) {
            shapes[nshape++] = (struct shape_override){name, run_input(run->run, i)->shape};
        }
    }
    for (int i = 0; i < options.nshape; i++)
        shapes[nshape++] = options.shapes[i];
    for (int i = 0; i < options.nbound; i++)
        bounds[nbound++] = options.bounds[i];
    options.shapes = shapes;
    options.nshape = nshape;
    options.bounds = bounds;
    options.nbound = nbound;
    options.nfed = 0;
    options.files = &model->memory;
    options.order = model->open.order;
    options.deciding = &model->open.deciding;
    options.kept = run->kept;
    options.nkept = run->nkept;
    return options;
}

/* A view of the weights of a variable, which graphs have in common. */
static struct tensor *share_weights(const struct special *special, const struct source *variable)
{
    struct shared_key key = shared_key(special->context->shared, "variable");
    struct tensor view = *variable->tensor;

    view.release = NULL;
    shared_key_number(&key, (int64_t)(uintptr_t)variable);
    struct tensor *shared = shared_find(&key);
    shared = shared ? shared : shared_put(&key, &view);
    shared_key_free(&key);
    return shared;
}

/* The graph of an NNEF text has the weights of the model. */
static void bind_weights(const struct special *special)
{
    const struct source *from = special->model->graph->variables.first;

    for (struct source *v = special->graph->variables.first; v; v = v->next, from = from->next) {
        assert(from && strcmp(from->label, v->label) == 0);
        v->tensor = share_weights(special, from);
    }
}

static void make_graph(struct special *special, const struct nnefc_run *run)
{
    struct nnefc_model *model = special->model;
    struct onnx_import_options options = options_for(special, run);

    if (model->onnx.file) {
        special->part = (struct onnx_part){.graph = model->onnx.file->graph};
        options.part = &special->part;
        special->graph =
            onnx_import(special->context, model->onnx.file, &options, &special->memory);
        return;
    }
    if (model->pnnx.document) {
        special->graph =
            pnnx_import(special->context, model->pnnx.document, &options, &special->memory);
        return;
    }
    struct checked checked = *model->checked;
    struct lower_options lowering = model->lower;
    checked.context = special->context;
    lowering.overrides = options.shapes;
    lowering.noverride = options.nshape;
    special->graph = lower(&checked, &lowering);
    if (special->graph)
        bind_weights(special);
}

/* Which parameter of the interface each parameter of the graph is. */
static const int *parameters_from(const struct special *special)
{
    const struct graph *graph = special->graph, *interface = special->model->open.interface;
    int *from = arena_array_of(special->context->arena, int, graph->ninput + 1);

    for (int i = 0; i < graph->ninput; i++)
        while (strcmp(interface->inputs[from[i]].name, graph->inputs[i].name) != 0) {
            from[i]++;
            assert(from[i] < interface->ninput);
        }
    return from;
}

static void add_binding(struct text *text, const char *name, const struct shape *shape,
                        bool decides)
{
    text_add(text, "%s'%s' %s%s", text->size ? ", " : "", name, SHAPE_TEXT(shape),
             decides ? " with its items" : "");
}

/* Say for what a graph could not be made: the shapes, and which inputs decide. */
static void note_binding(const struct nnefc_run *run)
{
    const struct graph *interface = run->model->open.interface;
    struct diag *diag = run->model->context->diag;
    struct text text = {0};

    for (int i = 0; i < interface->ninput; i++)
        if (input_is_open(run->model, i))
            add_binding(&text, interface->inputs[i].name, &run_input(run->run, i)->shape,
                        input_decides(run, i));
    if (text.size > 0)
        diag_note(diag, (struct span){0}, "this is for inputs %s", text.data);
    text_free(&text);
    for (int i = 0; i < interface->ninput; i++)
        if (run_has_begun(run->run, i)) {
            const char *name = interface->inputs[i].name;
            diag_note(diag, (struct span){0},
                      "state '%s' was not given, so that it begins as zeros of shape %s", name,
                      SHAPE_TEXT(&run_input(run->run, i)->shape));
            diag_help(diag, "give what it begins with: --input %s=FILE.", name);
        }
}

/* One that is not made yet. */
static struct special *new_special(struct nnefc_model *model, const struct text *key)
{
    struct special *special = heap_array(1, sizeof *special);

    if (!model->open.shared)
        model->open.shared = shared_new(model->context);
    /* In the list first, so that it is freed if memory runs out. */
    special->model = model;
    special->users = 1;
    link_newest(special);
    if (model->onnx.file)
        onnx_initial_begin(&model->onnx.options.initial, model->onnx.file, model->open.shared);
    special->shared = shared_join(model->open.shared);
    special->context = context_child(model->context, shared_pool(special->shared));
    special->context->shared = special->shared;
    text_add_bytes(&special->key, key->data, key->size);
    special->hash = hash_bytes(0, key->data, key->size);
    special->bytes = shared_count(model->open.shared).bytes - atomic_load(&model->context->used);
    return special;
}

/* Its graph, or none, was made: plan it.  NULL, with nothing left, if that failed. */
static struct special *plan_special(struct special *special, struct nnefc_run *run)
{
    struct nnefc_model *model = special->model;
    bool ok = special->graph;

    if (ok && run->backend) {
        special->prepared = prepared_new(run, special->graph);
        ok = special->prepared;
    }
    special->users = 0;
    if (!ok) {
        free_special(special);
        return NULL;
    }
    context_settle(special->context);
    special->bytes += atomic_load(&model->context->used) - shared_count(model->open.shared).bytes;
    if (special->prepared)
        special->bytes += plan_bytes(prepared_plan(special->prepared));
    keep_special(special);
    if (special->part.why)
        note_cut(model, &special->part);
    const struct file_view *file = model->home ? store_file(model->home) : NULL;
    if (file && model->open.plans.made == 0) /* weights were taken over */
        file_unload(file);
    model->open.plans.made += !(special->info && special->info->single); /* nobody takes it again */
    return special;
}

/* NULL after a report, or if inputs decide of which that was not known: then they are noted. */
static struct special *make_special(struct nnefc_run *run, const struct text *key)
{
    struct special *special = new_special(run->model, key);

    make_graph(special, run);
    if (special->graph)
        special->from = parameters_from(special);
    return plan_special(special, run);
}

/* --- parts -------------------------------------------------------------------------------- */

const struct onnx_part *special_part(const struct special *special)
{
    return &special->part;
}

const struct part_info *special_info(const struct special *special)
{
    return special->info;
}

struct graph *special_graph(const struct special *special)
{
    return special->graph;
}

const struct prepared *special_prepared(const struct special *special)
{
    return special->prepared;
}

void note_cut(struct nnefc_model *model, const struct onnx_part *part)
{
    struct loaded_open *open = &model->open;
    struct arena *arena = model->context->arena;
    const struct onnx_node *node = onnx_order_node(open->order, part->graph, part->end);

    for (int i = 0; i < open->ncut; i++)
        if (strcmp(open->cuts[i].place, part->place) == 0)
            return;
    open->cuts = arena_list(arena, open->cuts, open->ncut, sizeof *open->cuts);
    open->cuts[open->ncut++] = (struct nnefc_cut){.node = node->name,
                                                  .operation = node->op_type,
                                                  .place = text_format(arena, "%s", part->place),
                                                  .why = text_format(arena, "%s", part->why)};
    lists_forget(model->lists);
}

/* Was it made with these settings for tensors like these, none of which decides?  This is so in
 * most trips of a loop, and is told without a key. */
static bool is_made_for(const struct special *special, const struct nnefc_run *run,
                        const struct part_info *info, const struct onnx_slot *slots, int count)
{
    const struct settings settings = settings_of(run);

    if (!special || !special->made || special->info != info || info->single ||
        special->part.nslot != count || run->nkept > 0 ||
        memcmp(special->key.data, &settings, sizeof settings) != 0)
        return false;
    for (int i = 0; i < count; i++) {
        const struct onnx_slot *made = &special->part.slots[i];
        if (slots[i].list || made->list || made->known || slot_decides(info, &slots[i]) ||
            slots[i].type != made->type || !shape_equal(&slots[i].shape, &made->shape))
            return false;
    }
    return true;
}

/* Copies of slots, which last as long as the special, with the items of tensors that decide. */
static struct onnx_slot *keep_slots(const struct special *special, const struct onnx_slot *slots,
                                    int count)
{
    struct onnx_slot *kept = arena_array_of(special->context->arena, struct onnx_slot, count + 1);

    for (int i = 0; i < count; i++) {
        const struct onnx_slot *slot = &slots[i];
        kept[i] = *slot;
        if (slot->list)
            kept[i].list = keep_slots(special, slot->list, slot->count);
        else
            kept[i].known =
                slot_decides(special->info, slot) ? keep_items(special, slot->known) : NULL;
    }
    return kept;
}

static struct special *make_part(struct nnefc_run *run, struct part_info *info,
                                 const struct onnx_slot *slots, int count, const struct text *key)
{
    struct nnefc_model *model = run->model;
    struct special *special = new_special(model, key);
    struct onnx_import_options options = model->onnx.options;

    special->info = info;
    special->part = (struct onnx_part){.graph = info->graph,
                                       .around = info->around,
                                       .caller = info->caller,
                                       .first = info->first,
                                       .single = info->single,
                                       .slots = keep_slots(special, slots, count),
                                       .nslot = count};
    options.nfed = 0;
    options.files = &model->memory;
    options.order = model->open.order;
    options.deciding = info->deciding;
    options.part = &special->part;
    options.kept = run->kept;
    options.nkept = info->around || info->caller ? 0 : run->nkept;
    special->graph = onnx_import(special->context, model->onnx.file, &options, &special->memory);
    return plan_special(special, run);
}

/* The same of a part: the first slots. */
static void note_slots(const struct nnefc_model *model, const struct part_info *info,
                       const struct onnx_slot *slots, int count)
{
    enum { SHOWN = 8 };
    struct text text = {0};

    for (int i = 0; i < count && i < SHOWN; i++)
        if (slots[i].list)
            text_add(&text, "%ssequence '%s' of %d", text.size ? ", " : "", slots[i].name,
                     slots[i].count);
        else
            add_binding(&text, slots[i].name, &slots[i].shape, slot_decides(info, &slots[i]));
    if (count > 0)
        diag_note(model->context->diag, (struct span){0}, "this is for %s%s", text.data,
                  count > SHOWN ? ", and others" : "");
    text_free(&text);
}

/* --- graphs of the model and of parts ----------------------------------------------------- */

/* What a graph is made for. */
struct wanted {
    struct nnefc_run *run;
    struct part_info *info; /* NULL: of the model from its first node on, for what the run is fed */
    const struct onnx_slot *slots;
    int count;
    bool lacks_input; /* set: an input that decides was not given */
};

/* The graph that was made before, or a new one, which is made anew each time that its inputs turn
 * out to decide; NULL after a report. */
static struct special *find_or_make(struct wanted *w)
{
    struct nnefc_model *model = w->run->model;
    struct part_info *info = w->info;
    const struct onnx_deciding *deciding = info ? info->deciding : &model->open.deciding;
    const struct diag *diag = model->context->diag;
    int errors = diag_error_count(diag), known;
    struct text *key = &model->open.key;
    struct special *special;

    do {
        known = deciding->count;
        w->lacks_input = !info && !check_fed(w->run);
        if (w->lacks_input)
            return NULL;
        special = model->open.newest;
        if (info && is_made_for(special, w->run, info, w->slots, w->count)) {
            model->open.plans.taken++;
            return special;
        }
        if (info)
            key_of_slots(key, w->run, info, w->slots, w->count);
        else
            key_of_inputs(key, w->run);
        special = info && info->single ? NULL : find_special(model, key);
        if (special) {
            model->open.plans.taken++;
            continue;
        }
        double begin = clock_seconds();
        special =
            info ? make_part(w->run, info, w->slots, w->count, key) : make_special(w->run, key);
        model->open.plans.seconds += clock_seconds() - begin;
    } while (!special && deciding->count > known && diag_error_count(diag) == errors);
    return special;
}

/* The graph for what the run is fed; NULL after a report. */
static struct special *need_special(struct nnefc_run *run)
{
    struct nnefc_model *model = run->model;
    struct diag *diag = model->context->diag;
    int errors = diag_error_count(diag), known = model->open.deciding.count;
    struct wanted wanted = {.run = run};
    struct special *special = find_or_make(&wanted);

    if (model->open.deciding.count > known)
        lists_forget(model->lists);
    if (!special && diag_error_count(diag) > errors && !wanted.lacks_input)
        note_binding(run);
    return special;
}

struct special *part_take(struct nnefc_run *run, struct part_info *info,
                          const struct onnx_slot *slots, int count)
{
    struct nnefc_model *model = run->model;
    int64_t made = model->open.plans.made;
    struct wanted wanted = {.run = run, .info = info, .slots = slots, .count = count};
    struct special *special = find_or_make(&wanted);

    if (!special) {
        note_slots(model, info, slots, count);
        return NULL;
    }
    special->users++;
    make_newest(special);
    if (model->open.plans.made != made)
        evict(model, info);
    return special;
}

/* What is made for items that are never the same is not kept. */
void part_release(struct special *special)
{
    special->users--;
    if (special->users == 0 && special->part.single)
        free_special(special);
}

/* --- runs --------------------------------------------------------------------------------- */

bool run_generalise(struct nnefc_run *run)
{
    bool ok = !run->special || !run->run || run_set_graph(run->run, NULL, NULL, NULL);

    if (run->special) {
        run->special->users--;
        run->special = NULL;
        run->prepared = NULL;
        run->in_parts = false;
        run->stepped = false;
    }
    return ok;
}

/* Does the model have a tensor of that name, outside of branches and bodies?  Names are interned.
 */
static bool has_tensor(const struct nnefc_model *model, const char *name)
{
    const struct onnx_graph *graph = model->onnx.file->graph;
    bool found = false;

    for (const struct onnx_value_info *i = graph->input.first; i; i = i->next)
        found |= i->name == name;
    for (const struct onnx_node *n = graph->node.first; n; n = n->next)
        for (int i = 0; i < n->output.count; i++)
            found |= n->output.item[i] == name;
    return found;
}

/* What is kept goes by its name; false after a report.  Of a model in parts it is a result of one.
 */
static bool keep_all(const struct nnefc_run *run)
{
    const struct graph *graph = graph_of_run(run->run);
    bool cut = special_is_cut(run->special);

    for (int i = 0; i < run->nkept; i++) {
        const struct value *value = cut ? NULL : run_find_value(graph, run->kept[i]);
        if (cut && has_tensor(run->model, run->kept[i]))
            continue;
        if (!value)
            return diag_file_error(run->model->context->diag, NULL, DIAG_INPUT_UNKNOWN,
                                   "graph '%s' has no tensor '%s' to keep", graph->name,
                                   run->kept[i]);
        run_keep(run->run, value);
    }
    return true;
}

bool run_specialise(struct nnefc_run *run)
{
    struct text *key = &run->model->open.key;

    if (!check_fed(run) || !open_names_agree(run))
        return false;
    key_of_inputs(key, run);
    if (run->special && has_key(run->special, key))
        return true;
    struct special *special = need_special(run);
    if (!special)
        return false;
    if (!run_generalise(run))
        return false;
    special->users++;
    run->special = special;
    make_newest(special);
    evict(run->model, NULL);
    run->prepared = special->prepared;
    const struct graph *graph =
        special->prepared ? prepared_graph(special->prepared) : special->graph;
    run->in_parts = special_is_cut(special);
    run_set_partial(run->run, run->in_parts);
    run_own_outputs(run->run, run->in_parts ? computed_pool(run) : NULL);
    bool ok = run_set_graph(run->run, graph, special->from,
                            special->prepared ? prepared_plan(special->prepared) : NULL) &&
              keep_all(run);
    run_set_threads(run->run, run->threads);
    diag_move(run->model->context->diag, run->diag);
    if (ok && run->measured && run->prepared)
        execution_measure(run_execution(run->run));
    if (!ok)
        run_generalise(run);
    return ok;
}
