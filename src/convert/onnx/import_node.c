/* import_node.c - reports, inputs and attributes of a node of ONNX; see import_node.h */
#include "convert/onnx/import_node.h"

#include "base/arena.h"
#include "base/text.h"
#include "convert/onnx/import.h"
#include "convert/onnx/import_make.h"
#include "convert/onnx/import_value.h"
#include "convert/proto/onnx_data.h"
#include "diag/context.h"
#include "ir/site.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* --- reports ----------------------------------------------------------------------------- */

void import_warn(struct translation *t, enum diag_warning warning, const char *fmt, ...)
{
    struct place place = {t->builder->context->diag, t->site, t->span};
    va_list args;

    va_start(args, fmt);
    const char *text = text_format_v(t->builder->context->arena, fmt, args);
    va_end(args);
    place_warn(&place, warning, "%s%s%s", t->who ? t->who : "", t->who ? " " : "", text);
}

/* At the node, behind `who` if there is one; the node has failed then.  False. */
static bool report(struct translation *t, enum diag_code code, const char *fmt, va_list args)
    PRINTF_LIKE(3, 0);

static bool report(struct translation *t, enum diag_code code, const char *fmt, va_list args)
{
    struct place place = {t->builder->context->diag, t->site, t->span};

    t->failed = true;
    if (!t->who)
        return place_error(&place, code, fmt, args);
    return place_fault(&place, code, "%s %s", t->who,
                       text_format_v(t->builder->context->arena, fmt, args));
}

bool import_error(struct translation *t, enum diag_code code, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    report(t, code, fmt, args);
    va_end(args);
    return false;
}

void *import_refuse(struct translation *t, enum diag_code code, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    report(t, code, fmt, args);
    va_end(args);
    return NULL;
}

void *import_unsupported(struct translation *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    report(t, DIAG_NOT_IN_NNEF, fmt, args);
    va_end(args);
    return NULL;
}

void *import_alloc(const struct translation *t, int64_t count, size_t size)
{
    assert(size > 0);
    return arena_array(t->builder->scratch, (size_t)count, size);
}

struct tensor *import_tensors(const struct translation *t, int64_t count)
{
    return arena_array_of(t->builder->context->arena, struct tensor, count);
}

/* --- inputs and outputs ------------------------------------------------------------------ */

bool has_input(const struct translation *t, int index)
{
    assert(index >= 0 && t->nin >= 0);
    return index < t->nin && t->in[index];
}

struct imported *input_at(const struct translation *t, int index)
{
    assert(index >= 0);
    return index < t->nin ? t->in[index] : NULL;
}

bool input_fits(struct translation *t, int index, const char *what, struct shape expected)
{
    const struct imported *x = input_at(t, index);

    return !x || (x->shape.rank == expected.rank && shape_compatible(&x->shape, &expected)) ||
           import_error(t, DIAG_SHAPE_MISMATCH, "has %s of shape %s, expected %s", what,
                        SHAPE_TEXT(&x->shape), SHAPE_TEXT(&expected));
}

bool wants_output(const struct translation *t, int index)
{
    assert(index >= 0 && t->nout <= t->node->output.count);
    return index < t->nout && *t->node->output.item[index];
}

void set_output(struct translation *t, int index, struct imported *imported)
{
    assert(index >= 0);
    if (index < t->nout)
        t->out[index] = imported;
}

/* The report says how to bind what the input is computed from. */
const struct tensor *known_input(struct translation *t, int index)
{
    const struct imported *imported = input_at(t, index);
    struct diag *diag = t->builder->context->diag;

    if (!imported || imported->known)
        return imported ? imported->known : NULL;
    if (t->import && !import_takes_data(t->row, imported) && import_decides(t->import, imported)) {
        t->failed = true;
        return NULL;
    }
    const char *name = imported->name ? imported->name : "";
    if (import_cut(t, false,
                   text_format(t->builder->context->arena,
                               "it has to know the items of input %d, '%s'", index, name)))
        return NULL;
    import_error(t, DIAG_ONNX_UNKNOWN, "input %d, '%s', has to be known when the model is read",
                 index, name);
    if (t->import && imported->input)
        diag_help(diag, "give it with --bind '%s=FILE'.", imported->name);
    else if (t->import)
        diag_help(diag, "bind the graph's inputs that it is computed from with --bind NAME=FILE, "
                        "or let 'run' compute the model in parts.");
    return NULL;
}

bool input_number(struct translation *t, int index, double *number)
{
    const struct tensor *tensor = known_input(t, index);

    if (!tensor)
        return false;
    if (shape_volume(&tensor->shape) != 1)
        return import_error(t, DIAG_ONNX_GRAPH, "input %d has shape %s, expected a single item",
                            index, SHAPE_TEXT(&tensor->shape));
    *number = tensor_item(tensor, 0);
    return true;
}

/* --- attributes -------------------------------------------------------------------------- */

static const struct onnx_attribute *attribute_of(const struct onnx_attribute_list *list,
                                                 const char *name)
{
    for (const struct onnx_attribute *a = list->first; a; a = a->next)
        if (*a->name == *name && strcmp(a->name, name) == 0)
            return a;
    return NULL;
}

const struct onnx_attribute *onnx_node_attribute(const struct onnx_node *node,
                                                 const struct onnx_call *call, const char *name)
{
    const struct onnx_attribute *attribute = attribute_of(&node->attribute, name);

    for (; attribute && *attribute->ref_attr_name; call = call->outer) {
        if (!call)
            return NULL;
        name = attribute->ref_attr_name;
        attribute = attribute_of(&call->node->attribute, name);
        if (!attribute)
            return attribute_of(&call->function->attribute_proto, name);
    }
    return attribute;
}

const struct onnx_attribute *get_attribute(struct translation *t, const char *name)
{
    return onnx_node_attribute(t->node, t->caller, name);
}

bool has_attribute(struct translation *t, const char *name)
{
    return get_attribute(t, name) != NULL;
}

/* The names of onnx.proto; types behind these have no attributes that we read. */
static const char *type_text(int32_t type)
{
    static const char *const names[] = {"UNDEFINED", "FLOAT",   "INT",    "STRING",
                                        "TENSOR",    "GRAPH",   "FLOATS", "INTS",
                                        "STRINGS",   "TENSORS", "GRAPHS"};

    return type >= 0 && type < (int)(sizeof names / sizeof names[0]) ? names[type] : "?";
}

/* An attribute of that type; files of the first version of the format have types for none. */
static const struct onnx_attribute *typed(struct translation *t, const char *name,
                                          enum onnx_attribute_type type)
{
    const struct onnx_attribute *a = get_attribute(t, name);

    assert(type != ONNX_ATTR_UNDEFINED);
    if (!a || a->type == (int32_t)type || a->type == ONNX_ATTR_UNDEFINED)
        return a;
    return import_refuse(t, DIAG_ONNX_GRAPH, "attribute '%s' has type %s, expected %s", name,
                         type_text(a->type), type_text((int32_t)type));
}

int64_t get_int(struct translation *t, const char *name, int64_t otherwise)
{
    const struct onnx_attribute *a = typed(t, name, ONNX_ATTR_INT);

    return a ? a->i : otherwise;
}

double get_float(struct translation *t, const char *name, double otherwise)
{
    const struct onnx_attribute *a = typed(t, name, ONNX_ATTR_FLOAT);

    return a ? (double)a->f : otherwise;
}

static const char *text_of(const struct translation *t, const struct onnx_bytes *bytes)
{
    return arena_strndup(t->builder->context->arena, bytes->data ? bytes->data : "", bytes->size);
}

const char *get_string(struct translation *t, const char *name, const char *otherwise)
{
    const struct onnx_attribute *a = typed(t, name, ONNX_ATTR_STRING);

    return a ? text_of(t, &a->s) : otherwise;
}

int get_word(struct translation *t, const char *name, const char *otherwise,
             const char *const *words)
{
    const char *found = get_string(t, name, otherwise);
    struct text known = {0};
    int index = 0;

    for (; words[index] && strcmp(found, words[index]) != 0; index++)
        text_add(&known, "%s'%s'",
                 index == 0         ? ""
                 : words[index + 1] ? ", "
                                    : " or ",
                 words[index]);
    if (!words[index]) {
        import_error(t, DIAG_ENUM_VALUE, "'%s' is '%s', expected %s", name, found, known.data);
        index = -1;
    }
    text_free(&known);
    return index;
}

bool get_ints(struct translation *t, const char *name, struct integers *items)
{
    const struct onnx_attribute *a = typed(t, name, ONNX_ATTR_INTS);

    if (a)
        *items = (struct integers){a->ints.count, a->ints.item};
    return a;
}

bool get_floats(struct translation *t, const char *name, const float **items, int *count)
{
    const struct onnx_attribute *a = typed(t, name, ONNX_ATTR_FLOATS);

    if (a) {
        *items = a->floats.item;
        *count = a->floats.count;
    }
    return a;
}

bool get_strings(struct translation *t, const char *name, const char ***items, int *count)
{
    const struct onnx_attribute *a = typed(t, name, ONNX_ATTR_STRINGS);

    if (!a)
        return false;
    *items = import_alloc(t, a->strings.count, sizeof **items);
    *count = a->strings.count;
    for (int i = 0; i < *count; i++)
        (*items)[i] = text_of(t, &a->strings.item[i]);
    return true;
}

/* --- lists of integers -------------------------------------------------------------------- */

bool get_integers(struct translation *t, const char *name, int index, struct integers *items)
{
    const struct tensor *tensor = known_input(t, index);
    int64_t limit = t->builder->context->limits.array_length, count;

    if (!has_input(t, index))
        return get_ints(t, name, items);
    if (!tensor)
        return false;
    count = shape_volume(&tensor->shape);
    if (tensor->dtype != DTYPE_INTEGER || tensor->shape.rank > 1 || count > limit)
        return import_error(t, DIAG_ONNX_GRAPH,
                            "input %d is %s%s, expected integers of rank 1, at most %" PRId64,
                            index, dtype_name(tensor->dtype), SHAPE_TEXT(&tensor->shape), limit);
    *items = (struct integers){(int)count, tensor->data};
    return true;
}

bool get_shape(struct translation *t, const char *name, int index, struct shape *shape)
{
    struct integers extents = {0};

    *shape = (struct shape){0};
    if (!get_integers(t, name, index, &extents))
        return false;
    if (extents.count > MAX_RANK)
        return import_error(t, DIAG_NOT_IN_NNEF, "makes %d dimensions, expected at most %d",
                            extents.count, MAX_RANK);
    for (int i = 0; i < extents.count; i++) {
        shape->extent[shape->rank++] = extents.item[i];
        if (extents.item[i] < 0)
            return import_error(t, DIAG_EXTENT, "asks for extent %" PRId64, extents.item[i]);
    }
    return true;
}

int get_axes(struct translation *t, int index, int rank, int axes[MAX_RANK])
{
    struct integers named = {0};
    bool some = get_integers(t, "axes", index, &named);
    int count = some ? named.count : rank;

    if (count > MAX_RANK)
        import_error(t, DIAG_AXIS, "'axes' has %d items, expected at most %d", count, rank);
    for (int i = 0; i < count && !t->failed; i++)
        resolve_axis(t, some ? named.item[i] : i, rank, &axes[i]);
    return t->failed ? -1 : count;
}

bool resolve_axis(struct translation *t, int64_t axis, int rank, int *result)
{
    assert(rank >= 0 && rank <= MAX_RANK + 1); /* one more for a new axis */
    if (axis < -rank || axis >= rank)
        return import_error(t, DIAG_AXIS, "axis %" PRId64 " is out of range, expected %d to %d",
                            axis, -rank, rank - 1);
    *result = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

/* The result lies in memory that lasts as long as the graph. */
bool resolve_axes(struct translation *t, const struct integers *axes, int rank,
                  struct integers *result)
{
    assert(rank >= 0 && rank <= MAX_RANK);
    int64_t *sorted = import_alloc(t, MAX_RANK, sizeof *sorted);
    bool named[MAX_RANK] = {false};
    int axis = 0;

    *result = (struct integers){0, sorted};
    for (int i = 0; i < axes->count; i++) {
        if (!resolve_axis(t, axes->item[i], rank, &axis))
            return false;
        if (named[axis])
            return import_error(t, DIAG_AXIS_REPEATED, "axis %d is given twice", axis);
        named[axis] = true;
    }
    for (int i = 0; i < rank; i++)
        if (named[i])
            sorted[result->count++] = i;
    return true;
}
