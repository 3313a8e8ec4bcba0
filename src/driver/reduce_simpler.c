/*
 * reduce_simpler.c - make the part of a graph that is left simpler, as long as it fails
 *
 * Operations are bridged and attributes get their defaults.  Then extents get smaller.  Equal
 * extents of inputs and variables mostly stand for one number of the model, so all of them change
 * together, and the recorded inputs are cut in the same way.  Items of variables become 0, 1 or
 * signs, and names become short.
 */
#include "driver/reduce_graph.h"

#include "driver/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    ATTRIBUTES_MOST = 32, /* operations whose attributes are tried: each reads the model */
    NAMES_MOST = 256,     /* operations whose names are */
    LONG_NAME = 3         /* letters of a name that gets shorter */
};

/* --- names of a part -------------------------------------------------------------------------- */

/* Inputs and variables that operations read, each once: variables of one label are one. */
struct sources {
    const struct nnefc_value **at;
    int count;
};

static bool same_source(const struct nnefc_value *a, const struct nnefc_value *b)
{
    return a->id == b->id || (a->label && b->label && nnefc_label_equal(a->label, b->label));
}

/* The list is to be freed. */
static struct sources find_sources(const struct nnefc_model *model)
{
    const struct nnefc_operation_list *operations = nnefc_model_operations(model);
    struct sources sources = {0};

    for (int i = 0; i < operations->count; i++)
        for (int k = 0; k < operations->at[i]->operands->count; k++) {
            const struct nnefc_value *v = operations->at[i]->operands->at[k];
            bool found = v->kind != NNEFC_VALUE_EXTERNAL && v->kind != NNEFC_VALUE_VARIABLE;
            for (int at = 0; at < sources.count && !found; at++)
                found = same_source(sources.at[at], v);
            if (found)
                continue;
            sources.at = resize_items(sources.at, (size_t)sources.count + 1, sizeof *sources.at);
            sources.at[sources.count++] = v;
        }
    return sources;
}

/* Not of a literal, and "%7" is a number. */
static void add_tensor(struct names *names, const struct nnefc_value *value)
{
    if (value->kind != NNEFC_VALUE_CONSTANT && *value->name != '%')
        add_name_once(names, value->name);
}

/* Of all tensors that have one; the list is to be freed. */
static struct names find_names(const struct nnefc_model *model)
{
    const struct nnefc_operation_list *operations = nnefc_model_operations(model);
    struct names names = {0};

    for (int i = 0; i < operations->count; i++) {
        const struct nnefc_operation *o = operations->at[i];
        for (int k = 0; k < o->operands->count; k++)
            add_tensor(&names, o->operands->at[k]);
        for (int k = 0; k < o->results->count; k++)
            add_tensor(&names, o->results->at[k]);
    }
    return names;
}

static struct names find_labels(const struct nnefc_model *model)
{
    const struct nnefc_variable_list *variables = nnefc_model_variables(model);
    struct names names = {0};

    for (int i = 0; i < variables->count; i++)
        add_name_once(&names, variables->at[i]->label);
    return names;
}

/* --- ways that are taken ---------------------------------------------------------------------- */

static bool same_type(const struct nnefc_type *a, const struct nnefc_type *b)
{
    bool same = a->dtype == b->dtype && a->rank == b->rank;

    for (int i = 0; i < a->rank && same; i++)
        same = a->extent[i] == b->extent[i];
    return same;
}

/* Leave out operations, and set attributes to their defaults. */
static bool edit_operations(const struct graph_reduction *g, struct nnefc_model *model,
                            const bool *full)
{
    const size_t room = (size_t)g->nsimpler + 1;
    struct nnefc_attribute_edit *attributes = zeroed_items(room, sizeof *attributes);
    const char **bridges = zeroed_items(room, sizeof *bridges);
    struct nnefc_edit edit = {.size = sizeof edit, .attributes = attributes, .bridges = bridges};

    for (int i = 0; i < g->nsimpler; i++) {
        const struct simpler *way = &g->simpler[i];
        if (!full[i] && way->way == WAY_DEFAULT)
            attributes[edit.attribute_count++] =
                (struct nnefc_attribute_edit){way->name, way->to, NULL};
        else if (!full[i] && way->way == WAY_BRIDGE)
            bridges[edit.bridge_count++] = way->name;
    }
    const enum nnefc_status status = nnefc_model_edit(model, &edit);
    free(attributes);
    free(bridges);
    return status == NNEFC_OK;
}

static int64_t new_extent(const struct graph_reduction *g, const bool *full, int64_t extent)
{
    int64_t to = extent;

    for (int i = 0; i < g->nsimpler; i++)
        if (!full[i] && g->simpler[i].way == WAY_EXTENT && g->simpler[i].size == extent)
            to = g->simpler[i].less;
    return to;
}

/* Shapes and items of inputs and variables. */
static bool edit_sources(const struct graph_reduction *g, struct nnefc_model *model,
                         const bool *full)
{
    struct sources sources = find_sources(model);
    struct names labels = find_labels(model);
    struct nnefc_shape_edit *shapes = zeroed_items((size_t)sources.count + 1, sizeof *shapes);
    struct nnefc_items_edit *items = zeroed_items((size_t)g->nsimpler + 1, sizeof *items);
    struct nnefc_edit edit = {.size = sizeof edit, .shapes = shapes, .items = items};

    for (int i = 0; i < sources.count; i++) {
        const struct nnefc_value *v = sources.at[i];
        struct nnefc_type type = v->type;
        for (int k = 0; k < type.rank; k++)
            type.extent[k] = new_extent(g, full, type.extent[k]);
        if (same_type(&type, &v->type))
            continue;
        struct nnefc_shape_edit *shape = &shapes[edit.shape_count++];
        *shape = (struct nnefc_shape_edit){.tensor = v->name, .rank = type.rank};
        memcpy(shape->extent, type.extent, sizeof shape->extent);
    }
    for (int i = 0; i < g->nsimpler; i++) {
        const struct simpler *way = &g->simpler[i];
        if (!full[i] && way->way == WAY_ITEMS && index_of(&labels, way->name) >= 0)
            items[edit.items_count++] = (struct nnefc_items_edit){way->name, way->items};
    }
    const enum nnefc_status status = nnefc_model_edit(model, &edit);
    free(items);
    free(shapes);
    free(labels.at);
    free(sources.at);
    return status == NNEFC_OK;
}

/* New names of those that there are: B has others inside. */
static struct nnefc_rename *find_renames(const struct graph_reduction *g, const bool *full,
                                         enum way kind, const struct names *there, int *count)
{
    struct nnefc_rename *list = zeroed_items((size_t)g->nsimpler + 1, sizeof *list);

    *count = 0;
    for (int i = 0; i < g->nsimpler; i++) {
        const struct simpler *way = &g->simpler[i];
        if (!full[i] && way->way == kind && index_of(there, way->name) >= 0)
            list[(*count)++] = (struct nnefc_rename){way->name, way->to};
    }
    return list;
}

static bool edit_names(const struct graph_reduction *g, struct nnefc_model *model, const bool *full)
{
    struct names tensors = find_names(model), labels = find_labels(model);
    struct nnefc_edit edit = {.size = sizeof edit};
    struct nnefc_rename *of_tensors =
        find_renames(g, full, WAY_TENSOR, &tensors, &edit.tensor_count);
    struct nnefc_rename *of_labels = find_renames(g, full, WAY_LABEL, &labels, &edit.label_count);

    edit.tensors = of_tensors;
    edit.labels = of_labels;
    const enum nnefc_status status = nnefc_model_edit(model, &edit);
    free(of_tensors);
    free(of_labels);
    free(tensors.at);
    free(labels.at);
    return status == NNEFC_OK;
}

/* `from` has the planned inputs of a part; remove those that the part does not have any more.  The
 * order is the same, and so are the names in both models. */
static void leave_inputs(struct names *from, const struct names *before,
                         const struct nnefc_model *model)
{
    const struct nnefc_port_list *after = nnefc_model_inputs(model);
    const int count = from->count;
    int kept = 0;

    assert(before->count == count);
    for (int i = 0; i < count && kept < after->count; i++)
        if (strcmp(before->at[i], after->at[kept]->name) == 0)
            from->at[kept++] = from->at[i];
    from->count = kept;
}

static bool is_taken(const struct graph_reduction *g, const bool *full, enum way first)
{
    bool taken = false;

    for (int i = 0; i < g->nsimpler; i++)
        taken |= !full[i] && g->simpler[i].way >= first;
    return taken;
}

bool make_simpler(const struct graph_reduction *g, struct nnefc_model *model, const bool *full,
                  struct names *from)
{
    const struct nnefc_port_list *inputs = nnefc_model_inputs(model);
    struct names before = {0};

    for (int i = 0; i < inputs->count; i++)
        add_name(&before, inputs->at[i]->name);
    bool ok = edit_operations(g, model, full);
    if (ok)
        leave_inputs(from, &before, model);
    ok = ok && (!is_taken(g, full, WAY_EXTENT) || edit_sources(g, model, full));
    ok = ok && (!is_taken(g, full, WAY_TENSOR) || edit_names(g, model, full));
    free(before.at);
    return ok;
}

/* The items of `from` at the beginning along each axis. */
static struct nnefc_tensor *cut_tensor(const struct nnefc_tensor *from,
                                       const struct nnefc_type *type)
{
    const struct nnefc_type whole = nnefc_tensor_type(from);
    const size_t size = item_size(whole.dtype);
    struct nnefc_tensor *to = must_have(nnefc_tensor_new(type));

    for (int64_t i = 0; i < nnefc_tensor_count(to); i++) {
        int64_t rest = i, at = 0, stride = 1;
        for (int axis = type->rank - 1; axis >= 0; axis--) {
            at += rest % type->extent[axis] * stride;
            rest /= type->extent[axis];
            stride *= whole.extent[axis];
        }
        memcpy((unsigned char *)nnefc_tensor_data(to) + (size_t)i * size,
               (const unsigned char *)nnefc_tensor_items(from) + (size_t)at * size, size);
    }
    return to;
}

void cut_inputs(const struct nnefc_model *model, struct tensors *inputs)
{
    const struct nnefc_port_list *ports = nnefc_model_inputs(model);

    for (int i = 0; i < inputs->inputs * inputs->samples; i++) {
        const struct nnefc_type *type = &ports->at[i % inputs->inputs]->type;
        const struct nnefc_type whole = nnefc_tensor_type(inputs->at[i]);
        if (same_type(type, &whole))
            continue;
        struct nnefc_tensor *cut = cut_tensor(inputs->at[i], type);
        nnefc_tensor_free(inputs->at[i]);
        inputs->at[i] = cut;
    }
}

/* --- searching -------------------------------------------------------------------------------- */

static char *kept_text(const char *text)
{
    return text ? must_have(strdup(text)) : NULL;
}

/* A simplification that is not made yet; its texts are copied. */
static void add_simpler(struct graph_reduction *g, struct simpler way, const char *name,
                        const char *to)
{
    const size_t count = (size_t)g->nsimpler;

    g->simpler = resize_items(g->simpler, count + 1, sizeof *g->simpler);
    g->best_full = resize_items(g->best_full, count + 1, sizeof *g->best_full);
    g->full = resize_items(g->full, count + 1, sizeof *g->full);
    way.name = kept_text(name);
    way.to = kept_text(to);
    g->simpler[count] = way;
    g->best_full[count] = g->full[count] = true;
    g->nsimpler++;
}

static void drop_simpler(struct graph_reduction *g)
{
    const struct simpler *way = &g->simpler[--g->nsimpler];

    free(way->name);
    free(way->to);
}

void simpler_free(struct graph_reduction *g)
{
    while (g->nsimpler > 0)
        drop_simpler(g);
    free(g->simpler);
    free(g->best_full);
    free(g->full);
}

static enum answer try_full(void *data, const bool *kept)
{
    struct graph_reduction *g = data;
    const struct part_of part = {g->best, g->best_only, g->full};

    (void)kept; /* the last ones of them */
    return try_part(g, &part);
}

/* Make as many simplifications from `first` on as possible. */
static void search_ways(struct graph_reduction *g, int first)
{
    if (g->nsimpler == first)
        return;
    memcpy(g->full, g->best_full, (size_t)g->nsimpler * sizeof *g->full);
    search_less(g->full + first, g->nsimpler - first, try_full, g);
}

/* The best part as it is now; NULL: it cannot be made again. */
static struct nnefc_model *load_best(const struct graph_reduction *g)
{
    const struct part_of part = {g->best, g->best_only, g->nsimpler > 0 ? g->best_full : NULL};
    struct names from = part_inputs(g, &part);
    struct nnefc_model *model = load_part(g, 0, &part, &from);

    free(from.at);
    return model;
}

/* --- operations and attributes ---------------------------------------------------------------- */

/* Does the last simplification, a default, change the model but no shape? */
static bool is_other(const struct graph_reduction *g, const struct part_of *best)
{
    const size_t count = (size_t)g->nsimpler;
    bool *full = zeroed_items(count, sizeof *full);
    const struct part_of part = {best->kept, best->only, full};
    struct names from = part_inputs(g, best);

    memset(full, true, (count - 1) * sizeof *full);
    struct nnefc_model *a = load_part(g, 0, best, &from), *b = load_part(g, 0, &part, &from);
    const struct nnefc_operation_list *x = a ? nnefc_model_operations(a) : NULL;
    const struct nnefc_operation_list *y = b ? nnefc_model_operations(b) : NULL;
    bool other = x && y && x->count == y->count;
    for (int i = 0; other && i < x->count; i++)
        for (int k = 0; k < x->at[i]->results->count; k++)
            other &= same_type(&x->at[i]->results->at[k]->type, &y->at[i]->results->at[k]->type);
    char *before = other ? nnefc_model_dump(a, NNEFC_STAGE_GRAPH) : NULL;
    char *after = other ? nnefc_model_dump(b, NNEFC_STAGE_GRAPH) : NULL;
    other = before && after && strcmp(before, after) != 0;
    free(before);
    free(after);
    nnefc_model_free(a);
    nnefc_model_free(b);
    free(from.at);
    free(full);
    return other;
}

static void add_defaults(struct graph_reduction *g, const struct part_of *best, int operation)
{
    const struct nnefc_operation *o = g->operations->at[operation];

    for (int i = 0; i < o->attributes->count && o->results->count > 0; i++) {
        add_simpler(g, (struct simpler){.way = WAY_DEFAULT}, o->results->at[0]->name,
                    o->attributes->at[i]->name);
        if (!is_other(g, best))
            drop_simpler(g);
    }
}

/* The only result has the type and shape of an operand, and the part does not show it. */
static void add_bridge(struct graph_reduction *g, const struct names *shown, int operation)
{
    const struct nnefc_operation *o = g->operations->at[operation];
    const struct nnefc_value *result = o->results->count == 1 ? o->results->at[0] : NULL;
    bool fits = false;

    for (int i = 0; i < o->operands->count && result && !fits; i++)
        fits = same_type(&o->operands->at[i]->type, &result->type);
    if (fits && index_of(shown, result->name) < 0 && strcmp(o->operation, "update") != 0)
        add_simpler(g, (struct simpler){.way = WAY_BRIDGE}, result->name, NULL);
}

void simplify(struct graph_reduction *g)
{
    const struct part_of best = {g->best, g->best_only, NULL};
    struct names shown = part_outputs(g, &best);

    for (int i = 0; i < g->operations->count && g->left <= ATTRIBUTES_MOST; i++)
        if (g->best[i])
            add_defaults(g, &best, i);
    for (int i = 0; i < g->operations->count; i++)
        if (g->best[i])
            add_bridge(g, &shown, i);
    free(shown.at);
    search_ways(g, 0);
}

/* --- extents ---------------------------------------------------------------------------------- */

/* The distinct extents above 1 of inputs and variables, to be freed. */
static int64_t *find_extents(const struct nnefc_model *model, int *count)
{
    struct sources sources = find_sources(model);
    int64_t *list = zeroed_items((size_t)sources.count * NNEFC_MAX_RANK + 1, sizeof *list);

    *count = 0;
    for (int i = 0; i < sources.count; i++)
        for (int k = 0; k < sources.at[i]->type.rank; k++) {
            const int64_t extent = sources.at[i]->type.extent[k];
            int at = 0;
            while (at < *count && list[at] != extent)
                at++;
            if (at == *count && extent > 1)
                list[(*count)++] = extent;
        }
    free(sources.at);
    return list;
}

static bool try_extent(struct graph_reduction *g, int64_t size, int64_t less)
{
    add_simpler(g, (struct simpler){.way = WAY_EXTENT, .size = size, .less = less}, NULL, NULL);
    memcpy(g->full, g->best_full, (size_t)g->nsimpler * sizeof *g->full);
    g->full[g->nsimpler - 1] = false;
    return try_full(g, NULL) == ANSWER_FAILS;
}

/* Each extent becomes 1, or else it is halved until the part fails. */
static void shrink_extents(struct graph_reduction *g, const struct nnefc_model *model)
{
    int count;
    int64_t *extents = find_extents(model, &count);

    for (int i = 0; i < count; i++) {
        bool fails = !try_extent(g, extents[i], 1);
        for (int64_t less = extents[i] / 2; less > 1 && fails; less /= 2)
            fails = try_extent(g, extents[i], less);
    }
    free(extents);
}

/* --- items ------------------------------------------------------------------------------------ */

static bool is_replaced(const struct graph_reduction *g, const char *label)
{
    bool replaced = false;

    for (int i = 0; i < g->nsimpler && !replaced; i++)
        replaced = !g->best_full[i] && g->simpler[i].way == WAY_ITEMS &&
                   strcmp(g->simpler[i].name, label) == 0;
    return replaced;
}

static void replace_items(struct graph_reduction *g, const struct nnefc_model *model)
{
    struct names labels = find_labels(model);

    for (int items = NNEFC_ITEMS_ZEROS; items <= NNEFC_ITEMS_SIGNS; items++) {
        const int first = g->nsimpler;
        for (int i = 0; i < labels.count; i++)
            if (!is_replaced(g, labels.at[i]))
                add_simpler(g, (struct simpler){.way = WAY_ITEMS, .items = (enum nnefc_items)items},
                            labels.at[i], NULL);
        search_ways(g, first);
    }
    free(labels.at);
}

/* --- names ------------------------------------------------------------------------------------ */

/* "a" to "z", "a1", ...: the next name that is not in use. */
static void next_name(char name[16], int *number, const struct names *there)
{
    do {
        const int round = *number / 26, letter = 'a' + *number % 26;
        ++*number;
        if (round == 0)
            snprintf(name, 16, "%c", letter);
        else
            snprintf(name, 16, "%c%d", letter, round);
    } while (index_of(there, name) >= 0);
}

static void add_short_names(struct graph_reduction *g, enum way way, const struct names *there)
{
    char name[16];
    int number = 0;

    for (int i = 0; i < there->count; i++) {
        if (strlen(there->at[i]) < LONG_NAME)
            continue;
        next_name(name, &number, there);
        if (strlen(name) < strlen(there->at[i]))
            add_simpler(g, (struct simpler){.way = way}, there->at[i], name);
    }
}

static void shorten_names(struct graph_reduction *g, const struct nnefc_model *model)
{
    struct names tensors = find_names(model), labels = find_labels(model);
    const int first = g->nsimpler;

    add_short_names(g, WAY_LABEL, &labels);
    add_short_names(g, WAY_TENSOR, &tensors);
    search_ways(g, first);
    free(tensors.at);
    free(labels.at);
}

void simplify_form(struct graph_reduction *g)
{
    struct nnefc_model *model = load_best(g);

    if (!model)
        return;
    shrink_extents(g, model);
    replace_items(g, model);
    if (g->left <= NAMES_MOST)
        shorten_names(g, model);
    nnefc_model_free(model);
}
