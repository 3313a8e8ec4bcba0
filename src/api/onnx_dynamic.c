/*
 * onnx_dynamic.c - the graph of a model at other extents; see onnx_dynamic.h
 *
 * An extent that is left open is varied in steps of its unit, the least power of two by which it
 * can be larger at all: a network that halves and doubles its input takes multiples only.  A few
 * steps in a row show what depends on remainders, one far away what begins only there.
 */
#include "api/onnx_dynamic.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/text.h"
#include "ir/site.h"
#include "lower/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_UNIT = 64, FAR_STEPS = 4093, NEAR_STEPS = 61 };

/* Steps of one symbol alone, before the one far away; steps of all of them at once. */
static const int steps_alone[] = {1, 2, 3, 5};
static const int steps_together[] = {2, 7, NEAR_STEPS};

enum {
    ALONE = sizeof steps_alone / sizeof *steps_alone,
    TOGETHER = sizeof steps_together / sizeof *steps_together,
};

struct sampling {
    struct nnefc_model *model;
    const struct nnefc_onnx *how;
    struct onnx_dynamic *dynamic;
    struct onnx_symbol *symbol;
    struct onnx_sample *sample; /* dynamic->nsample, with room for more */
    int *symbol_of;             /* by item of how->dynamic */
    int64_t *unit;              /* by symbol */
    struct lower_trace decided; /* by the text, at the extents of the model */
};

static int64_t *new_extents(const struct sampling *s)
{
    int count = s->dynamic->nsymbol;
    int64_t *extent = arena_array_of(s->model->context->arena, int64_t, count);

    for (int i = 0; i < count && s->dynamic->nsample > 0; i++)
        extent[i] = s->sample[0].extent[i];
    return extent;
}

/* --- what is asked for ----------------------------------------------------------------------- */

static const struct port *find_input(const struct graph *graph, const char *name)
{
    for (int i = 0; i < graph->ninput; i++)
        if (strcmp(graph->inputs[i].name, name) == 0)
            return &graph->inputs[i];
    return NULL;
}

static const char *input_at(int index, const void *data)
{
    const struct graph *graph = data;

    return index < graph->ninput ? graph->inputs[index].name : NULL;
}

static bool no_such_input(const struct nnefc_model *model, const char *name)
{
    const struct graph_decl *decl = model->document->graph;
    struct diag *diag = model->context->diag;
    const char *nearest = num_nearest(name, input_at, model->graph);
    struct text names = {0};

    diag_error(diag, decl->span, DIAG_INPUT_UNKNOWN,
               "graph '%s' has no parameter '%s' to leave an extent open of", decl->name, name);
    for (int i = 0; i < model->graph->ninput; i++)
        text_add(&names, "%s'%s'", i > 0 ? ", " : "", model->graph->inputs[i].name);
    if (nearest)
        diag_help(diag, "did you mean '%s'? it has %s.", nearest, names.data);
    else if (names.data)
        diag_help(diag, "it has %s.", names.data);
    text_free(&names);
    return false;
}

static bool check_axis(const struct nnefc_model *model, const struct nnefc_dynamic *wanted)
{
    const struct port *input = find_input(model->graph, wanted->parameter);
    const struct shape *shape = input ? input->value->shape : NULL;

    if (!input)
        return no_such_input(model, wanted->parameter);
    if (wanted->axis >= 0 && wanted->axis < shape->rank)
        return true;
    return diag_error(model->context->diag, input->span, DIAG_SHAPE_ASKED,
                      "'%s' has shape %s and no axis %d to leave open", input->name,
                      SHAPE_TEXT(shape), wanted->axis);
}

static int64_t extent_of(const struct sampling *s, const struct nnefc_dynamic *wanted)
{
    return find_input(s->model->graph, wanted->parameter)->value->shape->extent[wanted->axis];
}

/* The number of a symbol, which is made if there is none of that name; -1 after a report. */
static int symbol_for(struct sampling *s, const struct nnefc_dynamic *wanted)
{
    int count = s->dynamic->nsymbol, found = 0;

    while (found < count && strcmp(s->symbol[found].name, wanted->name) != 0)
        found++;
    if (found == count) {
        s->symbol[found] = (struct onnx_symbol){wanted->name, wanted->parameter, wanted->axis};
        s->dynamic->nsymbol++;
        return found;
    }
    const struct onnx_symbol *first = &s->symbol[found];
    struct nnefc_dynamic other = {first->input, first->axis, first->name};
    if (extent_of(s, &other) == extent_of(s, wanted))
        return found;
    diag_error(s->model->context->diag, find_input(s->model->graph, wanted->parameter)->span,
               DIAG_SHAPE_ASKED,
               "axis %d of '%s' and axis %d of '%s' are both called '%s', but are %" PRId64
               " and %" PRId64,
               first->axis, first->input, wanted->axis, wanted->parameter, wanted->name,
               extent_of(s, &other), extent_of(s, wanted));
    return -1;
}

static bool is_repeated(const struct sampling *s, int item)
{
    const struct nnefc_dynamic *wanted = &s->how->dynamic[item];

    for (int i = 0; i < item; i++) {
        const struct nnefc_dynamic *before = &s->how->dynamic[i];
        if (before->axis == wanted->axis && strcmp(before->parameter, wanted->parameter) == 0)
            return !diag_error(
                s->model->context->diag, find_input(s->model->graph, wanted->parameter)->span,
                DIAG_SHAPE_ASKED, "axis %d of '%s' is left open twice, as '%s' and as '%s'",
                wanted->axis, wanted->parameter, before->name, wanted->name);
    }
    return false;
}

static bool make_symbols(struct sampling *s)
{
    bool ok = true;

    for (int i = 0; i < s->how->dynamic_count; i++)
        ok &= check_axis(s->model, &s->how->dynamic[i]);
    for (int i = 0; i < s->how->dynamic_count && ok; i++) {
        s->symbol_of[i] = symbol_for(s, &s->how->dynamic[i]);
        ok = s->symbol_of[i] >= 0 && !is_repeated(s, i);
    }
    return ok;
}

/* --- lowering ---------------------------------------------------------------------------------- */

/* The shape of an input as it is in the model, or as was set before. */
static struct shape_override *override_of(const struct sampling *s, struct lower_options *options,
                                          struct shape_override *list, const char *input)
{
    for (int i = 0; i < options->noverride; i++)
        if (strcmp(list[i].name, input) == 0)
            return &list[i];
    list[options->noverride] =
        (struct shape_override){input, *find_input(s->model->graph, input)->value->shape};
    return &list[options->noverride++];
}

/* NULL after reports. */
static struct graph *lower_at(const struct sampling *s, const int64_t *extent,
                              struct lower_trace *trace)
{
    struct lower_options options = s->model->lower;
    int room = options.noverride + s->how->dynamic_count;
    struct shape_override *list =
        arena_array_of(s->model->context->arena, struct shape_override, room);

    for (int i = 0; i < options.noverride; i++)
        list[i] = options.overrides[i];
    for (int i = 0; i < s->how->dynamic_count; i++) {
        const struct nnefc_dynamic *wanted = &s->how->dynamic[i];
        struct shape_override *shape = override_of(s, &options, list, wanted->parameter);
        shape->shape.extent[wanted->axis] = extent[s->symbol_of[i]];
    }
    options.overrides = list;
    options.trace = trace;
    *trace = (struct lower_trace){.arena = s->model->context->arena};
    return lower(s->model->checked, &options);
}

/* What was reported, and taken back. */
struct reason {
    struct span at;
    const char *text; /* NULL: nothing */
};

/* NULL with *reason; warnings were given when the model was loaded. */
static struct graph *try_at(const struct sampling *s, const int64_t *extent,
                            struct lower_trace *trace, struct reason *reason)
{
    struct context *context = s->model->context;
    struct limits limits = context->limits;
    int before = diag_count(context->diag);

    *reason = (struct reason){.text = NULL};
    context->limits.volume = context->limits.kernel_work = INT64_MAX; /* nothing is computed */
    struct graph *graph = lower_at(s, extent, trace);
    context->limits = limits;
    for (int i = diag_count(context->diag) - 1; i >= before; i--)
        if (diag_at(context->diag, i).severity == SEVERITY_ERROR)
            *reason = (struct reason){diag_at(context->diag, i).at, diag_at(context->diag, i).text};
    diag_take_back(context->diag, before);
    return graph;
}

/* --- samples ----------------------------------------------------------------------------------- */

/* Of sample `k`, which differs in one thing that the text decides or more. */
static bool check_decisions(const struct sampling *s, int k, const struct lower_trace *decided)
{
    const struct lower_choice *differs = lower_trace_difference(&s->decided, decided);

    if (!differs)
        return true;
    char *open = onnx_sample_text(s->dynamic, k);
    struct place place = {s->model->context->diag, differs->site, differs->span};
    place_fault(&place, DIAG_NOT_IN_ONNX,
                "%s cannot be left open: it is compared, divided or converted here", open);
    place_notes(&place);
    free(open);
    return false;
}

static bool check_nodes(const struct sampling *s, int k)
{
    const struct node *differs;

    if (graph_same_nodes(s->model->graph, s->sample[k].graph, &differs))
        return true;
    char *open = onnx_sample_text(s->dynamic, k);
    struct place place = {s->model->context->diag, differs ? differs->site : NULL,
                          differs ? differs->span : s->model->document->graph->span};
    place_fault(&place, DIAG_NOT_IN_ONNX,
                "%s cannot be left open: what is computed here depends on it", open);
    place_notes(&place);
    free(open);
    return false;
}

/* Variables of the sample have the data of those of the model. */
static bool share_data(const struct sampling *s, int k)
{
    const struct source *from = s->model->graph->variables.first;
    struct source *to = s->sample[k].graph->variables.first;

    for (; from && to; from = from->next, to = to->next) {
        if (strcmp(from->label, to->label) == 0 &&
            shape_equal(from->value->shape, to->value->shape)) {
            to->tensor = from->tensor;
            continue;
        }
        char *open = onnx_sample_text(s->dynamic, k);
        diag_error(s->model->context->diag, from->span, DIAG_NOT_IN_ONNX,
                   "%s cannot be left open: this variable depends on it", open);
        free(open);
        return false;
    }
    return true;
}

/* One more sample of the graph that was made at those extents. */
static bool add_sample(struct sampling *s, const int64_t *extent, struct graph *graph,
                       const struct lower_trace *decided)
{
    int k = s->dynamic->nsample++;

    s->sample[k] = (struct onnx_sample){graph, extent};
    return check_decisions(s, k, decided) && check_nodes(s, k) && share_data(s, k);
}

/* Report why a graph has no such extents. */
static bool impossible(struct sampling *s, const int64_t *extent, const struct reason *reason)
{
    struct diag *diag = s->model->context->diag;
    struct text numbers = {0};

    s->sample[s->dynamic->nsample].extent = extent;
    char *open = onnx_sample_text(s->dynamic, s->dynamic->nsample);
    for (int i = 0; i < s->dynamic->nsymbol; i++)
        if (extent[i] != s->sample[0].extent[i])
            text_add(&numbers, "%s%" PRId64, numbers.size > 0 ? " and " : "", extent[i]);
    diag_error(diag, reason->at, DIAG_NOT_IN_ONNX, "%s cannot be left open: with extent %s, %s",
               open, numbers.data, reason->text);
    text_free(&numbers);
    free(open);
    return false;
}

/* The sample `steps` units away in symbol `i`. */
static bool sample_alone(struct sampling *s, int i, int steps, struct reason *reason)
{
    int64_t *extent = new_extents(s);
    struct lower_trace decided;

    extent[i] += steps * s->unit[i];
    struct graph *graph = try_at(s, extent, &decided, reason);
    if (graph)
        return add_sample(s, extent, graph, &decided);
    return impossible(s, extent, reason);
}

static void tell_unit(const struct sampling *s, int i, const struct reason *reason)
{
    const struct onnx_symbol *symbol = &s->symbol[i];
    int64_t extent = s->sample[0].extent[i];

    diag_warning(s->model->context->diag, reason->at, WARNING_DYNAMIC_STEPS,
                 "axis %d of '%s' can be %" PRId64 " and more in steps of %" PRId64
                 ": with extent %" PRId64 ", %s",
                 symbol->axis, symbol->input, extent, s->unit[i], extent + 1, reason->text);
}

/* The least power of two by which symbol `i` can be larger. */
static bool find_unit(struct sampling *s, int i)
{
    struct reason reason = {.text = NULL}, other;
    int64_t *extent = new_extents(s);
    struct lower_trace decided;

    for (s->unit[i] = 1; s->unit[i] <= LARGEST_UNIT; s->unit[i] *= 2) {
        extent[i] = s->sample[0].extent[i] + s->unit[i];
        if (try_at(s, extent, &decided, reason.text ? &other : &reason))
            break;
    }
    if (s->unit[i] > LARGEST_UNIT) {
        extent[i] = s->sample[0].extent[i] + 1;
        return impossible(s, extent, &reason);
    }
    int errors = diag_error_count(s->model->context->diag);
    if (s->unit[i] > 1)
        tell_unit(s, i, &reason);
    return diag_error_count(s->model->context->diag) == errors;
}

static bool sample_symbol(struct sampling *s, int i)
{
    struct reason reason;

    if (!find_unit(s, i))
        return false;
    for (int k = 0; k < ALONE; k++)
        if (!sample_alone(s, i, steps_alone[k], &reason))
            return false;
    return sample_alone(s, i, (int)(FAR_STEPS / s->unit[i]), &reason);
}

/* Of several symbols, by other numbers of steps each. */
static bool sample_together(struct sampling *s, int steps)
{
    int64_t *extent = new_extents(s);
    struct reason reason;
    struct lower_trace decided;

    for (int i = 0; i < s->dynamic->nsymbol; i++)
        extent[i] += (steps + i) * s->unit[i];
    struct graph *graph = try_at(s, extent, &decided, &reason);
    if (graph)
        return add_sample(s, extent, graph, &decided);
    return impossible(s, extent, &reason);
}

/* Sample 0: the model as it is. */
static bool sample_model(struct sampling *s)
{
    int64_t *extent = new_extents(s);
    struct reason reason;

    for (int i = 0; i < s->dynamic->nsymbol; i++) {
        struct nnefc_dynamic first = {s->symbol[i].input, s->symbol[i].axis, s->symbol[i].name};
        extent[i] = extent_of(s, &first);
    }
    s->sample[s->dynamic->nsample++] = (struct onnx_sample){s->model->graph, extent};
    return try_at(s, extent, &s->decided, &reason) || impossible(s, extent, &reason);
}

bool onnx_dynamic_sample(struct nnefc_model *model, const struct nnefc_onnx *how,
                         struct onnx_dynamic *dynamic)
{
    struct arena *arena = model->context->arena;
    int count = how->dynamic_count;
    struct sampling s = {.model = model, .how = how, .dynamic = dynamic};

    s.symbol = arena_array_of(arena, struct onnx_symbol, count);
    s.symbol_of = arena_array_of(arena, int, count);
    s.unit = arena_array_of(arena, int64_t, count);
    s.sample = arena_array_of(arena, struct onnx_sample, 2 + count * (ALONE + 1) + TOGETHER);
    *dynamic = (struct onnx_dynamic){.symbol = s.symbol, .sample = s.sample};
    bool ok = make_symbols(&s) && sample_model(&s);
    for (int i = 0; i < dynamic->nsymbol && ok; i++)
        ok = sample_symbol(&s, i);
    for (int k = 0; k < TOGETHER && ok && dynamic->nsymbol > 1; k++)
        ok = sample_together(&s, steps_together[k]);
    return ok;
}
