/*
 * import.c - imports the operators of a PNNX model in their order, its inputs and its outputs
 *
 * Each operand of the document gets an argument when the operator that makes it is imported.  If
 * that fails the operand has no argument, and operators that read it are skipped without another
 * report.
 */
#include "convert/pnnx/import.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/text.h"
#include "convert/onnx/declared.h"
#include "convert/onnx/fed.h"
#include "convert/onnx/import.h"
#include "convert/pnnx/convert.h"
#include "convert/pnnx/expression.h"
#include "convert/proto/onnx_data.h"
#include "diag/context.h"
#include "ir/graph.h"
#include "ir/site.h"
#include "lower/lower.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* What an operator may take beside its nodes, in bytes. */
enum { SITE_ROOM = 4096 };

static bool is(const char *text, const char *word)
{
    return strcmp(text, word) == 0;
}

/* --- what operands stand for ---------------------------------------------------------------- */

struct pnnx_argument *tensor_argument(struct pnnx_import *import, struct imported *imported)
{
    if (!imported)
        return NULL;
    struct pnnx_argument *arg = arena_new_of(import->builder.context->arena, struct pnnx_argument);
    arg->imported = imported;
    return arg;
}

/* The bounds keep time and stack small where tuples hold each other often, or deeply. */
struct pnnx_argument *list_argument(struct pnnx_call *c, struct pnnx_argument **items, int count)
{
    enum { MOST_INNER = 1 << 20, DEEPEST = 1000 };
    struct pnnx_argument *list = import_alloc(&c->t, 1, sizeof *list);

    *list = (struct pnnx_argument){.items = items, .count = count, .is_list = true, .depth = 1};
    for (int i = 0; i < count && list->inner <= MOST_INNER; i++) {
        list->inner += 1 + items[i]->inner;
        if (items[i]->depth >= list->depth)
            list->depth = items[i]->depth + 1;
    }
    if (list->inner <= MOST_INNER && list->depth <= DEEPEST)
        return list;
    return import_unsupported(
        &c->t, "makes a list or tuple of more than %d items, or nested deeper than %d", MOST_INNER,
        DEEPEST);
}

/* Is the tensor what the text says of the operand?  False after a report. */
static bool fits(const struct pnnx_call *c, const struct pnnx_operand *operand,
                 const struct imported *computed)
{
    const struct pnnx_shape *shape = operand->shape;
    struct declaration declared = {
        .name = operand->name, .binding = true, .type_name = onnx_type_in_pnnx};
    struct translation t = c->t;

    if (!shape)
        return true;
    t.span = shape->span;
    declared.type = pnnx_type_in_onnx(shape->type);
    declared.rank = shape->rank;
    for (int i = 0; i < shape->rank && i < MAX_RANK; i++)
        declared.extent[i] =
            shape->dim[i].extent == PNNX_ANY ? EXTENT_UNKNOWN : shape->dim[i].extent;
    return declaration_holds(&t, &declared, computed);
}

/* An operand stays without argument if a fault of it was reported. */
static void give(const struct pnnx_call *c, const struct pnnx_operand *operand,
                 struct pnnx_argument *arg)
{
    if (arg && (!arg->imported || fits(c, operand, arg->imported)))
        map_set(&c->import->arguments, operand, arg);
}

/* A tensor goes by the name of the operator that makes it, with a number if it makes several. */
static const char *tensor_name(const struct pnnx_import *import, const struct pnnx_operand *operand)
{
    const char *name = operand->producer->name;

    if (operand->producer->nout > 1)
        name = text_format(import->builder.context->arena, "%s_%d", name, operand->port);
    return name;
}

static struct imported *named(struct pnnx_import *import, const struct pnnx_operand *operand,
                              const struct imported *imported)
{
    struct imported *copy = arena_new_of(import->builder.context->arena, struct imported);
    const char *name = tensor_name(import, operand);

    *copy = *imported;
    copy->views = NULL;
    copy->input = false;
    if (!copy->known)
        copy->name = name;
    imported_name(&import->builder, copy, builder_key(&import->builder, name), false);
    return copy;
}

/* --- inputs --------------------------------------------------------------------------------- */

/* An input goes by the name of its operator, or of its operand. */
static bool answers_to(const struct pnnx_operator *input, const char *name)
{
    return is(input->name, name) || (input->nout && is(input->out[0]->name, name));
}

/* The extent that the caller sets for a symbol goes before that of the text. */
static int64_t extent_of(const struct pnnx_import *import, const struct pnnx_dim *dim)
{
    const struct onnx_import_options *options = import->options;

    for (int i = 0; i < options->nextent && dim->symbol; i++)
        if (is(options->extents[i].name, dim->symbol))
            return options->extents[i].extent;
    return dim->extent == PNNX_ANY ? EXTENT_UNKNOWN : dim->extent;
}

/* What the text says of an input, for who asks for what it leaves open. */
static struct open_input describe(const struct pnnx_operator *o)
{
    const struct pnnx_shape *shape = o->nout ? o->out[0]->shape : NULL;
    struct open_input input = {o->name, o->nout ? o->out[0]->name : NULL, RANK_UNKNOWN, {{0}}, 0};

    input.type = shape ? pnnx_type_in_onnx(shape->type) : ONNX_FLOAT;
    if (shape)
        input.rank = shape->rank <= MAX_RANK ? shape->rank : 0;
    for (int i = 0; i < input.rank; i++)
        input.dim[i] = (struct open_dim){shape->dim[i].symbol, shape->dim[i].extent == PNNX_ANY
                                                                   ? EXTENT_UNKNOWN
                                                                   : shape->dim[i].extent};
    return input;
}

/* The shape that the caller sets for an input; NULL: none. */
static const struct shape *asked_shape(const struct pnnx_import *import,
                                       const struct pnnx_operator *input)
{
    const struct onnx_import_options *options = import->options;

    for (int i = 0; i < options->nshape; i++)
        if (answers_to(input, options->shapes[i].name))
            return &options->shapes[i].shape;
    return NULL;
}

/*
 * The shape that the caller sets for the input, or else that of the text. False after a report:
 * extents are open, too many or too large.
 */
static bool input_shape(struct pnnx_call *c, const struct pnnx_operand *operand,
                        struct shape *shape)
{
    const struct pnnx_shape *declared = operand->shape;
    const struct shape *asked = asked_shape(c->import, c->op);
    int64_t volume;
    bool open = false;

    assert(operand == c->op->out[0]);
    if (asked && declared && asked->rank != declared->rank)
        return import_error(&c->t, DIAG_SHAPE_ASKED, "has rank %d, but shape %s was asked for it",
                            declared->rank, SHAPE_TEXT(asked));
    *shape = asked ? *asked : (struct shape){0};
    if (!asked && declared && declared->rank > MAX_RANK)
        return import_unsupported(&c->t, "has %d dimensions, expected at most %d", declared->rank,
                                  MAX_RANK);
    for (int i = 0; !asked && declared && i < declared->rank; i++) {
        shape->extent[shape->rank++] = extent_of(c->import, &declared->dim[i]);
        open |= shape->extent[i] < 0;
    }
    if (open) {
        struct context *context = c->t.builder->context;
        const struct open_input input = describe(c->op);
        import_error(&c->t, DIAG_ONNX_UNKNOWN, "has shape %s, with extents that are not known",
                     open_text_of(context, &input, shape, "%"));
        return open_help(context, &input, shape);
    }
    c->t.builder->reshaped |= asked && !declared;
    for (int i = 0; declared && i < declared->rank; i++)
        c->t.builder->reshaped |= declared->dim[i].extent != shape->extent[i];
    if (!shape_volume_checked(shape, c->t.builder->context->limits.volume, &volume))
        return import_error(&c->t, DIAG_VOLUME_LIMIT, "has shape %s, more than the limit",
                            SHAPE_TEXT(shape));
    return true;
}

/* Inputs have different names, and so have outputs. */
static bool claim(struct pnnx_call *c, struct map *taken, const char *name)
{
    const char *key = builder_key(c->t.builder, name);

    assert(name);
    if (map_get(taken, key)) {
        c->t.span = c->op->name_span;
        return import_error(&c->t, DIAG_PNNX_OPERAND, "is the second %s called '%s'",
                            taken == &c->import->inputs ? "input" : "output", name);
    }
    map_set(taken, key, c->import);
    return true;
}

/* An input without shape is a scalar. */
bool own_input(struct pnnx_call *c)
{
    const struct pnnx_operand *operand = c->op->nout == 1 ? c->op->out[0] : NULL;
    enum pnnx_type type = operand && operand->shape ? operand->shape->type : PNNX_F32;
    struct graph *graph = c->t.builder->graph;
    struct shape shape;

    if (!operand)
        return import_error(&c->t, DIAG_PNNX_COUNT, "has %d outputs, expected 1", c->op->nout);
    if (operand->shape)
        c->t.span = operand->shape->span; /* what may be wrong now */
    if (type == PNNX_NULL)
        type = PNNX_F32;
    if (pnnx_type_in_onnx(type) == ONNX_UNDEFINED)
        return import_unsupported(&c->t, "is of type %s, which NNEF does not have",
                                  pnnx_type_name(type));
    if (!input_shape(c, operand, &shape) || !claim(c, &c->import->inputs, c->op->name))
        return false;
    struct value *value = graph_add_source(graph, VALUE_EXTERNAL, dtype_of(pnnx_type_in_onnx(type)),
                                           &shape, c->op->span);
    value->name = builder_claim(c->t.builder, builder_key(c->t.builder, c->op->name), false);
    graph->inputs[graph->ninput++] = (struct port){c->op->name, value, c->op->name_span,
                                                   onnx_type_items(pnnx_type_in_onnx(type))};
    struct imported *imported =
        imported_of_value(c->t.builder, c->op->name, pnnx_type_in_onnx(type), value);
    imported->input = true;
    give(c, operand, tensor_argument(c->import, imported));
    return true;
}

/* --- outputs -------------------------------------------------------------------------------- */

/* At any depth; list_argument() bounds the depth of lists. */
static int count_tensors(const struct pnnx_argument *arg)
{
    int count = arg->imported != NULL;

    for (int i = 0; i < arg->count; i++)
        count += count_tensors(arg->items[i]);
    return count;
}

/* Adds each tensor of `arg` to the outputs; of `total` tensors this one is number *next. */
static bool show_tensors(struct pnnx_call *c, const struct pnnx_argument *arg, int total, int *next)
{
    struct graph *graph = c->t.builder->graph;
    bool ok = true;

    for (int i = 0; i < arg->count && ok; i++)
        ok = show_tensors(c, arg->items[i], total, next);
    if (!arg->imported)
        return ok;
    const char *name = c->op->name;
    if (total > 1)
        name = text_format(c->t.builder->context->arena, "%s_%d", name, *next);
    bool free = claim(c, &c->import->outputs, name);
    struct value *value = free ? imported_shown(&c->t, arg->imported, name) : NULL;

    ++*next;
    if (!value)
        return false;
    graph->outputs =
        arena_list(graph->context->arena, graph->outputs, graph->noutput, sizeof *graph->outputs);
    graph->outputs[graph->noutput++] =
        (struct port){name, value, c->op->name_span, onnx_type_items(arg->imported->type)};
    return true;
}

/* Several tensors, or a tuple of them, are as many outputs. */
bool own_output(struct pnnx_call *c)
{
    const struct pnnx_argument *all = list_argument(c, c->arg, c->op->nin);
    int total = all ? count_tensors(all) : 0, next = 0;

    if (all && total == 0)
        return import_error(&c->t, DIAG_PNNX_OPERAND, "shows no tensor");
    return all && show_tensors(c, all, total, &next);
}

/* --- operators ------------------------------------------------------------------------------ */

/* Tuples and lists are taken apart and put together without a node. */
bool own_pack(struct pnnx_call *c)
{
    if (c->op->nout != 1)
        return import_error(&c->t, DIAG_PNNX_COUNT, "has %d outputs, expected 1", c->op->nout);
    struct pnnx_argument *arg = list_argument(c, c->arg, c->op->nin);
    give(c, c->op->out[0], arg);
    return arg != NULL;
}

/* As many outputs as the tuple has items. */
bool own_unpack(struct pnnx_call *c)
{
    const struct pnnx_argument *arg = c->op->nin == 1 ? c->arg[0] : NULL;

    if (!arg || !arg->is_list || arg->count != c->op->nout)
        return import_error(&c->t, DIAG_PNNX_OPERAND, "has no tuple of %d items as input",
                            c->op->nout);
    for (int i = 0; i < c->op->nout; i++)
        give(c, c->op->out[i], arg->items[i]);
    return true;
}

/* A value of any kind: prim::Constant. */
bool own_constant(struct pnnx_call *c)
{
    const struct pnnx_pair *param = pnnx_find(c->op, PNNX_PARAM, "value");
    struct pnnx_argument *arg = arena_new_of(c->t.builder->context->arena, struct pnnx_argument);

    if (!param || c->op->nout != 1)
        return import_error(&c->t, DIAG_PNNX_VALUE, "has no value");
    if (param->value->is_number || param->value->kind == PNNX_LOGICAL)
        arg->imported = number_value(c, param->value);
    else
        arg->word = param->value;
    give(c, c->op->out[0], arg);
    return !c->t.failed;
}

/* A tensor that it computes goes by the name of the operator; numbers and lists have none. */
bool own_expression(struct pnnx_call *c)
{
    const struct pnnx_pair *param = pnnx_find(c->op, PNNX_PARAM, "expr");

    if (!param || c->op->nout != 1)
        return import_error(&c->t, DIAG_PNNX_EXPRESSION, "has no expression, or not one output");
    struct pnnx_argument *arg = evaluate_expression(c, param);
    if (arg && arg->imported) {
        struct pnnx_argument *result = import_alloc(&c->t, 1, sizeof *result);
        *result = *arg;
        result->imported = named(c->import, c->op->out[0], arg->imported);
        arg = result->imported ? result : NULL;
    }
    give(c, c->op->out[0], arg);
    return arg != NULL;
}

/* The weights are the value of the operand. */
bool own_attribute(struct pnnx_call *c)
{
    const struct pnnx_pair *first = c->op->pairs.of[PNNX_ATTRIBUTE].first;
    struct imported *imported = first && c->op->nout == 1 ? weight_named(c, first->name) : NULL;

    if (!first || c->op->nout != 1)
        return import_error(&c->t, DIAG_PNNX_OPERAND, "has no data, or not one output");
    give(c, c->op->out[0], tensor_argument(c->import, imported));
    return imported != NULL;
}

/* False if it made no outputs: a fault was reported for it, or for one of its inputs. */
static bool import_operator(struct pnnx_import *import, const struct pnnx_operator *op)
{
    struct context *context = import->builder.context;
    struct place place = {context->diag, NULL, op->span};
    struct pnnx_call c = {.import = import, .op = op};
    int errors = diag_error_count(context->diag);
    bool ok = true;

    c.t = (struct translation){.builder = &import->builder,
                               .span = op->span,
                               .who = text_format(context->arena, "'%s' (%s)", op->name, op->type),
                               .nin = op->nin,
                               .nout = op->nout};
    c.arg = import_alloc(&c.t, op->nin, sizeof(struct pnnx_argument *));
    c.t.in = import_alloc(&c.t, op->nin, sizeof(struct imported *));
    c.t.out = import_alloc(&c.t, op->nout, sizeof(struct imported *));
    if (!place_grows(&place, context, SITE_ROOM))
        return false;
    for (int i = 0; i < op->nin; i++) {
        c.arg[i] = map_get(&import->arguments, op->in[i]);
        c.t.in[i] = c.arg[i] ? c.arg[i]->imported : NULL;
        ok &= c.arg[i] != NULL;
    }
    if (!ok)
        return false;
    c.row = map_get(&import->rows, op->type);
    assert(c.row); /* pnnx_check_operators() has passed */
    if (c.row->own)
        return c.row->own(&c) && diag_error_count(context->diag) == errors;

    /* The first output is returned, others were set; each that is read has to be there. */
    struct imported *x = c.row->gather ? NULL : input_of(&c), *first = NULL;
    if (x || c.row->gather)
        first = c.row->gather ? c.row->gather(&c) : c.row->convert(&c, x);
    if (op->nout > 0 && !c.t.out[0])
        c.t.out[0] = first;
    for (int i = 0; i < op->nout && !c.t.failed; i++) {
        if (c.t.out[i])
            give(&c, op->out[i], tensor_argument(import, named(import, op->out[i], c.t.out[i])));
        else if (i == 0 || op->out[i]->uses)
            import_unsupported(&c.t, "has an output %d, which is not supported", i);
    }
    return !c.t.failed && diag_error_count(context->diag) == errors;
}

/* --- the whole ------------------------------------------------------------------------------ */

/* One report for each type, as a model may have thousands of operators of a type. */
bool pnnx_check_operators(struct context *context, const struct pnnx_document *document)
{
    bool typed[PNNX_TYPE_COUNT] = {[PNNX_NULL] = true}, ok = true;
    struct map seen = {0};

    /* Of each type the first operator is named. */
    for (const struct pnnx_operator *o = document->operators.first; o; o = o->next) {
        if (map_get(&seen, o->type))
            continue;
        map_set(&seen, o->type, o);
        if (!pnnx_find_row(o->type))
            ok = diag_error(context->diag, o->type_span, DIAG_NOT_IN_NNEF,
                            "'%s': operator '%s' is not supported", o->name, o->type);
    }
    map_free(&seen);

    /* Of each type of items that NNEF lacks the first operand is named. */
    for (const struct pnnx_operand *o = document->operands.first; o; o = o->next) {
        enum pnnx_type type = o->shape ? o->shape->type : PNNX_NULL;
        if (typed[type] || pnnx_type_in_onnx(type) != ONNX_UNDEFINED)
            continue;
        typed[type] = true;
        ok = diag_error(context->diag, o->shape->span, DIAG_NOT_IN_NNEF,
                        "'%s': operand '%s' is of type %s, which is not supported",
                        o->producer->name, o->name, pnnx_type_name(type));
    }
    return ok;
}

/* `from` itself, or the next operator behind it that is an input; NULL: there is none. */
static const struct pnnx_operator *next_input(const struct pnnx_operator *from)
{
    while (from && !is(from->type, "pnnx.Input"))
        from = from->next;
    return from;
}

/* Is there an extent of that name in an input?  The report says which name is nearest to it. */
static bool check_extent(const struct pnnx_import *import, const char *name)
{
    const struct pnnx_operator *o = next_input(import->document->operators.first);
    struct diag *diag = import->builder.context->diag;
    struct nearest search = nearest_to(name);
    const char *near = NULL;

    for (; o; o = next_input(o->next)) {
        const struct pnnx_shape *shape = o->nout ? o->out[0]->shape : NULL;
        for (int i = 0; shape && i < shape->rank; i++) {
            const char *symbol = shape->dim[i].symbol;
            if (symbol && is(symbol, name))
                return true;
            if (symbol && nearest_take(&search, symbol))
                near = symbol;
        }
    }
    diag_file_error(diag, import->options->file, DIAG_INPUT_UNKNOWN,
                    "no input of the model has an extent '%s', as --dim wants it", name);
    if (near)
        diag_help(diag, "did you mean '%s'?", near);
    return false;
}

/* Reports each shape and extent that no input has: it is a mistake of the caller. */
static bool check_asked(const struct pnnx_import *import)
{
    const struct onnx_import_options *options = import->options;
    bool ok = true;

    for (int i = 0; i < options->nshape; i++) {
        const struct pnnx_operator *o = next_input(import->document->operators.first);
        while (o && !answers_to(o, options->shapes[i].name))
            o = next_input(o->next);
        if (!o)
            ok = diag_file_error(import->builder.context->diag, options->file, DIAG_INPUT_UNKNOWN,
                                 "the model has no input '%s', as --shape wants it",
                                 options->shapes[i].name);
    }
    for (int i = 0; i < options->nextent; i++)
        ok &= check_extent(import, options->extents[i].name);
    return ok;
}

/* Add to the options what the files of inputs tell of open extents; false after a report. */
static bool take_fed(const struct pnnx_import *import, struct onnx_import_options *options)
{
    struct context *context = import->builder.context;
    struct open_input *inputs = NULL;
    int count = 0;

    if (options->nfed == 0)
        return true;
    for (const struct pnnx_operator *o = next_input(import->document->operators.first); o;
         o = next_input(o->next)) {
        inputs = arena_list(context->arena, inputs, count, sizeof *inputs);
        inputs[count++] = describe(o);
    }
    return fed_extents(context, inputs, count, options);
}

/* Names of operators are reserved first, so that tensors in between do not take them. */
static bool import_all(struct pnnx_import *import)
{
    struct import_builder *builder = &import->builder;
    const struct context *context = builder->context;
    bool ok = check_asked(import);
    int inputs = 0, errors = diag_error_count(context->diag);

    for (const struct pnnx_operator *o = import->document->operators.first; o; o = o->next) {
        if (!map_get(&import->rows, o->type)) /* each type is looked up once */
            map_set(&import->rows, o->type, pnnx_find_row(o->type));
        builder_reserve(builder, o->name);
        for (int i = 0; i < o->nout; i++)
            builder_reserve(builder, tensor_name(import, o->out[i]));
        for (const struct pnnx_pair *a = o->pairs.of[PNNX_ATTRIBUTE].first; a; a = a->next)
            builder_reserve(builder, pnnx_member_name(context, o, a));
        inputs += is(o->type, "pnnx.Input");
    }
    builder->graph->inputs = arena_array_of(context->arena, struct port, inputs + 1);
    for (const struct pnnx_operator *o = import->document->operators.first; ok && o; o = o->next) {
        /* Stop if reports are full, or if there is no room left, which is reported once. */
        if (diag_full(context->diag) ||
            (diag_error_count(context->diag) > errors && context_growth(context) < SITE_ROOM))
            break;
        import_operator(import, o);
    }
    return ok;
}

/* How many tensors an output shows of an operand; -1: the text does not tell. */
static int count_shown(const struct pnnx_operand *operand)
{
    const struct pnnx_operator *o = operand->producer;
    int total = 0;

    if (!is(o->type, "prim::TupleConstruct") && !is(o->type, "prim::ListConstruct"))
        return operand->shape ? 1 : -1;
    for (int i = 0; i < o->nin && total >= 0; i++) {
        int count = count_shown(o->in[i]);
        total = count < 0 ? -1 : total + count;
    }
    return total;
}

static void add_shown(struct context *context, struct graph *graph, const struct pnnx_operator *o,
                      int total)
{
    const struct shape any = {.rank = RANK_UNKNOWN};

    for (int i = 0; i < total; i++) {
        const char *name = total > 1 ? text_format(context->arena, "%s_%d", o->name, i) : o->name;
        struct value *value = graph_add_source(graph, VALUE_EXTERNAL, DTYPE_UNKNOWN, &any, o->span);
        graph->outputs =
            arena_list(context->arena, graph->outputs, graph->noutput, sizeof *graph->outputs);
        graph->outputs[graph->noutput++] = (struct port){.name = name, .value = value};
    }
}

/* The results of an output; false: the text does not tell how many there are. */
static bool add_output(struct context *context, struct graph *graph, const struct pnnx_operator *o)
{
    int total = 0;

    for (int i = 0; i < o->nin; i++) {
        int count = count_shown(o->in[i]);
        if (count < 0)
            return false;
        total += count;
    }
    add_shown(context, graph, o, total);
    return true;
}

/* The parameter of an input; false: the text does not tell what it is. */
static bool add_input(const struct pnnx_import *import, struct graph *graph,
                      const struct pnnx_operator *o, struct open_input **inputs)
{
    struct arena *arena = import->builder.context->arena;
    struct shape shape = {.rank = 0};

    if (o->nout != 1 || !o->out[0]->shape || o->out[0]->shape->rank > MAX_RANK)
        return false;
    const struct pnnx_shape *declared = o->out[0]->shape;
    const struct shape *asked = asked_shape(import, o);
    for (int i = 0; i < declared->rank; i++)
        shape.extent[shape.rank++] = extent_of(import, &declared->dim[i]);
    struct open_input input = describe(o);
    struct value *value = graph_add_source(graph, VALUE_EXTERNAL, dtype_of(input.type),
                                           asked ? asked : &shape, o->span);
    graph->inputs = arena_list(arena, graph->inputs, graph->ninput, sizeof *graph->inputs);
    *inputs = arena_list(arena, *inputs, graph->ninput, sizeof **inputs);
    (*inputs)[graph->ninput] = input;
    graph->inputs[graph->ninput++] =
        (struct port){o->name, value, o->name_span, onnx_type_items(input.type)};
    return true;
}

struct graph *pnnx_interface(struct context *context, const struct pnnx_document *document,
                             const struct onnx_import_options *options, struct open_input **inputs)
{
    struct pnnx_import import = {.document = document, .options = options};
    struct graph *graph = graph_new(context, "graph");
    int before = diag_count(context->diag);

    import.builder.context = context;
    if (!check_asked(&import)) {
        diag_take_back(context->diag, before);
        return NULL;
    }
    for (const struct pnnx_operator *o = document->operators.first; o; o = o->next)
        if ((is(o->type, "pnnx.Input") && !add_input(&import, graph, o, inputs)) ||
            (is(o->type, "pnnx.Output") && !add_output(context, graph, o)))
            return NULL;
    return graph;
}

struct graph *pnnx_import(struct context *context, const struct pnnx_document *document,
                          const struct onnx_import_options *options, struct import_memory **memory)
{
    struct onnx_import_options whole = *options;
    struct pnnx_import import = {.document = document, .options = &whole};
    int errors = diag_error_count(context->diag);

    builder_begin(&import.builder, context, "graph");
    import.builder.trust_shapes = options->trust_shapes;
    bool ok = take_fed(&import, &whole) && import_all(&import) &&
              diag_error_count(context->diag) == errors;
    if (ok && import.builder.graph->noutput == 0)
        ok = diag_file_error(context->diag, options->file, DIAG_PNNX_OPERAND,
                             "the model has no outputs");
    map_free(&import.arguments);
    map_free(&import.rows);
    map_free(&import.inputs);
    map_free(&import.outputs);
    return builder_end(&import.builder, ok, memory);
}
