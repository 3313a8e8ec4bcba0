/*
 * dynamic_sample.c - the graph of a model at other extents; see dynamic.h
 *
 * An extent that is left open varies in steps of its unit, the least power of two by which it can
 * be larger at all: a network that halves and doubles its input takes multiples only.  A few steps
 * in a row show what depends on remainders, one far away shows what begins only there.
 */
#include "convert/onnx/dynamic.h"

#include "base/arena.h"
#include "base/text.h"
#include "diag/context.h"
#include "ir/site.h"
#include "lower/lower.h"
#include "op/op.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { LARGEST_UNIT = 64, NEAR_STEPS = 61 };

/* Extents far away; the largest of which there is a graph. */
static const int far_extents[] = {4093, 1021, 251, 61};
enum { FARS = sizeof far_extents / sizeof *far_extents };

/* Extents that are small, where files have a way of their own: one image, a short sentence. */
static const int small_extents[] = {1, 2, 3, 5, 7, 16, 31};
enum { SMALLS = sizeof small_extents / sizeof *small_extents };

/* Steps of one symbol alone, before the one far away; steps of all of them at once. */
static const int steps_alone[] = {1, 2, 3, 5};
static const int steps_together[] = {2, 7, NEAR_STEPS};

enum {
    ALONE = sizeof steps_alone / sizeof *steps_alone,
    TOGETHER = sizeof steps_together / sizeof *steps_together,
};

static const struct graph *graph_of(const struct dynamic *d)
{
    return d->sample[0].graph;
}

/* --- open axes ------------------------------------------------------------------------------ */

static const struct port *find_input(const struct dynamic *d, const char *name)
{
    const struct graph *graph = graph_of(d);

    for (int i = 0; i < graph->ninput; i++)
        if (strcmp(graph->inputs[i].name, name) == 0)
            return &graph->inputs[i];
    return NULL;
}

static int64_t extent_of(const struct dynamic *d, const struct onnx_symbol *symbol)
{
    return find_input(d, symbol->input)->value->shape->extent[symbol->axis];
}

/* For diag_help_names(): the names of the inputs. */
static const char *input_at(int index, const void *data)
{
    const struct graph *graph = data;

    return index < graph->ninput ? graph->inputs[index].name : NULL;
}

/* Is there such an input, and such an axis of it? */
static bool check_axis(const struct dynamic *d, const struct onnx_symbol *wanted)
{
    const struct port *input = find_input(d, wanted->input);
    struct diag *diag = d->context->diag;

    if (input) {
        const struct shape *shape = input->value->shape;
        return (wanted->axis >= 0 && wanted->axis < shape->rank) ||
               diag_error(diag, input->span, DIAG_SHAPE_ASKED,
                          "'%s' has shape %s and no axis %d to leave open", input->name,
                          SHAPE_TEXT(shape), wanted->axis);
    }
    diag_error(diag, d->open->span, DIAG_INPUT_UNKNOWN,
               "graph '%s' has no parameter '%s' to leave an extent open of", graph_of(d)->name,
               wanted->input);
    return diag_help_names(diag, wanted->input, input_at, graph_of(d));
}

/* The number of a symbol, which is made if there is none of that name; -1 after a report. */
static int symbol_for(struct dynamic *d, const struct onnx_symbol *wanted)
{
    int found = 0;

    while (found < d->nsymbol && strcmp(d->symbol[found].name, wanted->name) != 0)
        found++;
    if (found == d->nsymbol)
        d->symbol[d->nsymbol++] = *wanted;
    const struct onnx_symbol *first = &d->symbol[found];
    if (extent_of(d, first) == extent_of(d, wanted))
        return found;
    diag_error(d->context->diag, find_input(d, wanted->input)->span, DIAG_SHAPE_ASKED,
               "axis %d of '%s' and axis %d of '%s' are both called '%s', but are %" PRId64
               " and %" PRId64,
               first->axis, first->input, wanted->axis, wanted->input, wanted->name,
               extent_of(d, first), extent_of(d, wanted));
    return -1;
}

/* Each axis is left open once, and axes of one name have one extent. */
static bool make_symbols(struct dynamic *d)
{
    const struct onnx_symbol *item = d->open->item;
    bool ok = true;

    for (int i = 0; i < d->open->count; i++)
        ok &= check_axis(d, &item[i]);
    for (int i = 0; i < d->open->count && ok; i++) {
        d->symbol_of[i] = symbol_for(d, &item[i]);
        ok = d->symbol_of[i] >= 0;
        for (int k = 0; k < i && ok; k++)
            if (item[k].axis == item[i].axis && strcmp(item[k].input, item[i].input) == 0)
                ok = diag_error(d->context->diag, find_input(d, item[i].input)->span,
                                DIAG_SHAPE_ASKED,
                                "axis %d of '%s' is left open twice, as '%s' and as '%s'",
                                item[i].axis, item[i].input, item[k].name, item[i].name);
    }
    return ok;
}

/* --- the graph again ------------------------------------------------------------------------ */

/* The graph with other extents of the open axes; NULL after reports. */
static struct graph *graph_at(const struct dynamic *d, const int64_t *extent,
                              struct lower_trace *trace)
{
    const struct onnx_open *open = d->open;
    struct arena *arena = d->context->arena;
    struct shape_override *list =
        arena_array_of(arena, struct shape_override, open->nshape + open->count);
    int count = open->nshape;

    for (int i = 0; i < count; i++)
        list[i] = open->shapes[i];
    for (int i = 0; i < open->count; i++) {
        const struct onnx_symbol *wanted = &open->item[i];
        int k = 0;
        while (k < count && strcmp(list[k].name, wanted->input) != 0)
            k++;
        if (k == count) /* the shape of the input as it is in the model */
            list[count++] =
                (struct shape_override){wanted->input, *find_input(d, wanted->input)->value->shape};
        assert(wanted->axis < list[k].shape.rank);
        list[k].shape.extent[wanted->axis] = extent[d->symbol_of[i]];
    }
    *trace = (struct lower_trace){.arena = arena};
    return open->graph_at(open->source, list, count, trace);
}

/*
 * NULL with the first error in *reason, whose text is NULL if there was none. All reports are taken
 * back: warnings were given when the model was loaded.
 */
static struct graph *try_at(const struct dynamic *d, const int64_t *extent,
                            struct lower_trace *trace, struct diag_report *reason)
{
    struct diag *diag = d->context->diag;
    int before = diag_count(diag);

    *reason = (struct diag_report){.text = NULL};
    struct graph *graph = graph_at(d, extent, trace);
    for (int i = diag_count(diag) - 1; i >= before; i--)
        if (diag_at(diag, i).severity == SEVERITY_ERROR)
            *reason = diag_at(diag, i);
    diag_take_back(diag, before);
    return graph;
}

/* --- samples -------------------------------------------------------------------------------- */

/* Reports why sample k differs from sample 0, at a place; always false. */
static bool cannot_open(const struct dynamic *d, int k, struct place place, const char *why)
{
    place.diag = d->context->diag;
    place_fault(&place, DIAG_NOT_IN_ONNX, "%s cannot be left open: %s", dynamic_text(d, k), why);
    place_notes(&place);
    return false;
}

/* Operators of fragments without body are made anew each time. */
static bool same_node(const struct node *a, const struct node *b)
{
    if ((a->op != b->op && strcmp(a->op->name, b->op->name) != 0) || a->id != b->id ||
        a->nin != b->nin || a->nout != b->nout)
        return false;
    for (uint32_t i = 0; i < a->nin; i++)
        if (a->in[i].value->id != b->in[i].value->id ||
            a->in[i].value->kind != b->in[i].value->kind)
            return false;
    return true;
}

/* Sample `k` has the same nodes in the same order as sample 0. */
static bool check_nodes(const struct dynamic *d, int k)
{
    const struct graph *a = graph_of(d), *b = d->sample[k].graph;
    const struct node *x = a->first, *y = b->first;

    while (x && y && same_node(x, y)) {
        x = x->next;
        y = y->next;
    }
    if (!x && !y && a->value_count == b->value_count)
        return true;
    const struct node *differs = x && y ? x : a->last;
    struct place place = {.span = d->open->span};
    if (differs)
        place = (struct place){.site = differs->site, .span = differs->span};
    return cannot_open(d, k, place, "what is computed here depends on it");
}

/* Reports why a graph has no such extents. */
static bool impossible(struct dynamic *d, const int64_t *extent, const struct diag_report *reason)
{
    struct text numbers = {0};

    d->sample[d->nsample].extent = extent;
    for (int i = 0; i < d->nsymbol; i++)
        if (extent[i] != d->sample[0].extent[i])
            text_add(&numbers, "%s%" PRId64, numbers.size > 0 ? " and " : "", extent[i]);
    diag_error(d->context->diag, reason->at, DIAG_NOT_IN_ONNX,
               "%s cannot be left open: with extent %s, %s", dynamic_text(d, d->nsample),
               numbers.data, reason->text);
    text_free(&numbers);
    return false;
}

/* A copy of the extents of sample 0. */
static int64_t *new_extents(const struct dynamic *d)
{
    int64_t *extent = arena_array_of(d->context->arena, int64_t, d->nsymbol);

    for (int i = 0; i < d->nsymbol; i++)
        extent[i] = d->sample[0].extent[i];
    return extent;
}

/* Variables of a file have their items already, which may be computed from extents. */
static bool same_items(const struct source *a, const struct source *b)
{
    if (!a->tensor || !b->tensor || tensor_place(a->tensor) == tensor_place(b->tensor))
        return true;
    const size_t size = tensor_bytes(a->tensor);
    if (tensor_bytes(b->tensor) != size)
        return false;
    if (a->tensor->data && b->tensor->data)
        return memcmp(a->tensor->data, b->tensor->data, size) == 0;
    bool same = true;
    for (int64_t i = 0, count = shape_volume(&a->tensor->shape); i < count && same; i++)
        same = tensor_integer(a->tensor, i) == tensor_integer(b->tensor, i);
    return same;
}

/* One more sample: the graph at `extent`, which it keeps, and what the text has decided by. */
static bool keep_sample(struct dynamic *d, const int64_t *extent, struct graph *graph,
                        const struct lower_trace *decided)
{
    int k = d->nsample++;
    d->sample[k] = (struct dynamic_sample){.graph = graph, .extent = extent};
    const struct lower_choice *differs = lower_trace_difference(&d->decided, decided);
    if (differs)
        return cannot_open(d, k, (struct place){.site = differs->site, .span = differs->span},
                           "it is compared, divided or converted here");
    if (!check_nodes(d, k))
        return false;

    /* Variables of the sample have the data of those of the model. */
    const struct source *from = graph_of(d)->variables.first;
    for (struct source *to = graph->variables.first; from && to; from = from->next, to = to->next) {
        if (strcmp(from->label, to->label) != 0 ||
            !shape_equal(from->value->shape, to->value->shape) || !same_items(from, to))
            return diag_error(d->context->diag, from->span, DIAG_NOT_IN_ONNX,
                              "%s cannot be left open: this variable depends on it",
                              dynamic_text(d, k));
        to->tensor = from->tensor;
    }
    return true;
}

/* The same of a graph that has to be there. */
static bool add_sample(struct dynamic *d, const int64_t *extent)
{
    struct lower_trace decided;
    struct diag_report reason;
    struct graph *graph = try_at(d, extent, &decided, &reason);

    return graph ? keep_sample(d, extent, graph, &decided) : impossible(d, extent, &reason);
}

/* The least power of two by which symbol `i` can be larger. */
static bool find_unit(struct dynamic *d, int i)
{
    const struct onnx_symbol *symbol = &d->symbol[i];
    struct diag_report reason = {.text = NULL}, other;
    int64_t *extent = new_extents(d), least = extent[i];
    struct diag *diag = d->context->diag;
    struct lower_trace decided;

    for (d->unit[i] = 1; d->unit[i] <= LARGEST_UNIT; d->unit[i] *= 2) {
        extent[i] = least + d->unit[i];
        if (try_at(d, extent, &decided, reason.text ? &other : &reason))
            break;
    }
    if (d->unit[i] > LARGEST_UNIT) {
        extent[i] = least + 1;
        return impossible(d, extent, &reason);
    }
    int errors = diag_error_count(diag);
    if (d->unit[i] > 1)
        diag_warning(diag, reason.at, WARNING_DYNAMIC_STEPS,
                     "axis %d of '%s' can be %" PRId64 " and more in steps of %" PRId64
                     ": with extent %" PRId64 ", %s",
                     symbol->axis, symbol->input, least, d->unit[i], least + 1, reason.text);
    return diag_error_count(diag) == errors;
}

/* A sample in which symbol i alone is larger, by so many of its steps. */
static bool sample_alone(struct dynamic *d, int i, int64_t steps)
{
    int64_t *extent = new_extents(d);

    extent[i] += steps * d->unit[i];
    return add_sample(d, extent);
}

/* An extent far away from that of sample 0, in steps of the symbol. */
static int64_t far_extent(const struct dynamic *d, int symbol, int k)
{
    return d->sample[0].extent[symbol] + far_extents[k] / d->unit[symbol] * d->unit[symbol];
}

/* A sample in which symbol i alone is far away, or as far as there is a graph. */
static bool sample_far(struct dynamic *d, int i)
{
    const struct onnx_symbol *symbol = &d->symbol[i];
    struct diag_report reason[FARS]; /* why there is no graph of each */
    struct diag *diag = d->context->diag;
    int64_t *extent = new_extents(d);
    struct graph *graph = NULL;
    struct lower_trace decided;
    int errors = diag_error_count(diag), k = 0;

    for (; k < FARS && !graph; k++) {
        extent[i] = far_extent(d, i, k);
        graph = try_at(d, extent, &decided, &reason[k]);
    }
    if (!graph)
        return impossible(d, extent, &reason[FARS - 1]);
    if (k > 1)
        diag_warning(diag, reason[k - 2].at, WARNING_DYNAMIC_STEPS,
                     "axis %d of '%s' can be %" PRId64 ", but not %" PRId64 ": %s", symbol->axis,
                     symbol->input, extent[i], far_extent(d, i, k - 2), reason[k - 2].text);
    return diag_error_count(diag) == errors && keep_sample(d, extent, graph, &decided);
}

/* One more sample, unless there is no graph of such extents. */
static bool sample_if_possible(struct dynamic *d, const int64_t *extent)
{
    struct lower_trace decided;
    struct diag_report reason;
    struct graph *graph = try_at(d, extent, &decided, &reason);

    return !graph || keep_sample(d, extent, graph, &decided);
}

/* A file decides by extents without a trace: samples of small ones, and of two that are equal. */
static bool sample_where_files_decide(struct dynamic *d, int i)
{
    int64_t *extent;
    bool ok = true;

    for (int k = 0; k < SMALLS && ok; k++) {
        extent = new_extents(d);
        if (small_extents[k] >= extent[i])
            continue;
        extent[i] = small_extents[k];
        ok = sample_if_possible(d, extent);
    }
    for (int k = 0; k < i && ok; k++) {
        extent = new_extents(d);
        extent[i] = extent[k] = extent[i] > extent[k] ? extent[i] : extent[k];
        ok = sample_if_possible(d, extent);
    }
    return ok;
}

struct dynamic *dynamic_sample(const struct graph *graph, const struct onnx_open *open)
{
    struct arena *arena = graph->context->arena;
    struct dynamic *d = arena_new_of(arena, struct dynamic);

    assert(open->count > 0 && open->graph_at);
    *d = (struct dynamic){.context = graph->context, .open = open};
    d->symbol = arena_array_of(arena, struct onnx_symbol, open->count);
    d->symbol_of = arena_array_of(arena, int, open->count);
    d->unit = arena_array_of(arena, int64_t, open->count);
    d->sample = arena_array_of(arena, struct dynamic_sample,
                               2 + open->count * (ALONE + 1 + SMALLS + open->count) + TOGETHER);
    d->sample[0].graph = graph;
    if (!make_symbols(d))
        return NULL;

    /* Sample 0: the graph as it is. */
    int64_t *extent = arena_array_of(arena, int64_t, d->nsymbol);
    struct diag_report reason;
    for (int i = 0; i < d->nsymbol; i++)
        extent[i] = extent_of(d, &d->symbol[i]);
    d->sample[0].extent = extent;
    d->nsample = 1;
    bool ok = try_at(d, extent, &d->decided, &reason) || impossible(d, extent, &reason);

    /* Each symbol alone, near and far away. */
    for (int i = 0; i < d->nsymbol && ok; i++) {
        ok = find_unit(d, i);
        for (int k = 0; k < ALONE && ok; k++)
            ok = sample_alone(d, i, steps_alone[k]);
        ok = ok && sample_far(d, i) && (open->traced || sample_where_files_decide(d, i));
    }

    /* Several symbols at once, by other numbers of steps each. */
    for (int k = 0; k < TOGETHER && ok && d->nsymbol > 1; k++) {
        extent = new_extents(d);
        for (int i = 0; i < d->nsymbol; i++)
            extent[i] += (steps_together[k] + i) * d->unit[i];
        ok = add_sample(d, extent);
    }
    return ok ? d : NULL;
}
