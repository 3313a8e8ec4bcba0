/*
 * import_sequence.c - sequences of tensors
 *
 * NNEF has none, so the import keeps the list of the tensors; what depends on it is known when the
 * model is read.  Lists go through conditionals and loops, and from part to part.
 */
#include "convert/onnx/import_share.h"

#include "base/num.h"
#include "convert/onnx/import_priv.h"
#include "convert/onnx/import_value.h"
#include "convert/proto/onnx_data.h"
#include "diag/context.h"

#include <inttypes.h>

bool takes_sequence(const struct import_row *row, int input)
{
    import_function *const any[] = {import_identity, import_sequence_map};
    import_function *const first[] = {import_sequence_at, import_sequence_insert,
                                      import_sequence_erase, import_sequence_length,
                                      import_concat_from_sequence};

    for (size_t i = 0; i < sizeof any / sizeof *any; i++)
        if (row->import == any[i])
            return true;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (input == 0 && row->import == first[i])
            return true;
    return input >= 2 && row->import == import_loop; /* behind trips and condition */
}

/* A sequence with room for so many tensors of a type, none of which is there yet; ONNX_UNDEFINED:
 * of the type of the first one. */
static struct imported *sequence_new(struct translation *t, int room, int32_t type)
{
    struct imported *sequence = import_alloc(t, 1, sizeof *sequence);
    struct imported_list *list = import_alloc(t, 1, sizeof *list);

    list->item = import_alloc(t, room, sizeof *list->item);
    list->type = type;
    sequence->list = list;
    return sequence;
}

/* False after a report: tensors of a sequence are of one type. */
static bool append(struct translation *t, struct imported *sequence, struct imported *tensor)
{
    struct imported_list *list = sequence->list;

    if (!tensor)
        return false;
    if (tensor->list)
        return import_error(t, DIAG_ONNX_GRAPH, "has a sequence in a sequence");
    if (list->type == ONNX_UNDEFINED)
        list->type = tensor->type;
    if (list->type != tensor->type)
        return import_error(t, DIAG_ONNX_GRAPH, "has tensors of types %s and %s in one sequence",
                            onnx_type_name(list->type), onnx_type_name(tensor->type));
    list->item[list->count++] = tensor;
    return true;
}

/* Input 0, which has to be a sequence; NULL after a report. */
static const struct imported_list *sequence_of(struct translation *t)
{
    const struct imported *x = input_at(t, 0);

    return x->list ? x->list
                   : import_refuse(t, DIAG_ONNX_GRAPH, "input 0 is a tensor, expected a sequence");
}

/* Input `index` as a place from 0 to `last` in a sequence of `count` tensors, by default the last
 * one; negative ones count from the end of the sequence.  False after a report. */
static bool place_in(struct translation *t, int index, int count, int last, int *place)
{
    double number;

    *place = last;
    if (!has_input(t, index))
        return last >= 0 ||
               import_error(t, DIAG_ITEM_VALUE, "takes a tensor of a sequence that has none");
    if (dtype_of(input_at(t, index)->type) != DTYPE_INTEGER)
        return import_error(t, DIAG_ONNX_GRAPH, "has a position of type %s, expected an integer",
                            onnx_type_name(input_at(t, index)->type));
    if (!input_number(t, index, &number))
        return false;
    if (number < -count || number > last)
        return import_error(t, DIAG_ITEM_VALUE,
                            "has position %" PRId64 " in a sequence of %d tensors", (int64_t)number,
                            count);
    *place = (int)number + (number < 0 ? count : 0);
    return true;
}

/* A copy of a sequence with one more tensor at that place. */
static struct imported *copy_with(struct translation *t, const struct imported_list *from,
                                  struct imported *tensor, int place)
{
    struct imported *copy = sequence_new(t, from->count + 1, from->type);

    for (int i = 0; i <= from->count; i++)
        if ((i == place && !append(t, copy, tensor)) ||
            (i < from->count && !append(t, copy, from->item[i])))
            return NULL;
    return copy;
}

struct imported *import_sequence_empty(struct translation *t)
{
    return sequence_new(t, 0, (int32_t)get_int(t, "dtype", ONNX_FLOAT));
}

struct imported *import_sequence_construct(struct translation *t)
{
    struct imported *sequence = sequence_new(t, t->nin, ONNX_UNDEFINED);

    for (int i = 0; i < t->nin; i++)
        if (!append(t, sequence, input_at(t, i)))
            return NULL;
    return sequence;
}

struct imported *import_sequence_at(struct translation *t)
{
    const struct imported_list *list = sequence_of(t);
    int place;

    return list && place_in(t, 1, list->count, list->count - 1, &place) ? list->item[place] : NULL;
}

struct imported *import_sequence_insert(struct translation *t)
{
    const struct imported_list *list = sequence_of(t);
    int place;

    if (!list || !place_in(t, 2, list->count, list->count, &place))
        return NULL;
    return copy_with(t, list, input_at(t, 1), place);
}

struct imported *import_sequence_erase(struct translation *t)
{
    const struct imported_list *list = sequence_of(t);
    int place;

    if (!list || !place_in(t, 1, list->count, list->count - 1, &place))
        return NULL;
    struct imported *copy = sequence_new(t, list->count, list->type);
    for (int i = 0; i < list->count; i++)
        if (i != place && !append(t, copy, list->item[i]))
            return NULL;
    return copy;
}

struct imported *import_sequence_length(struct translation *t)
{
    const struct imported_list *list = sequence_of(t);

    return list ? known_integer(t, list->count, ONNX_INT64) : NULL;
}

/* An empty sequence for each output of the body.  Its type is that of the first tensor, or the
 * declared one if the body is never computed. */
static void begin_outputs(struct translation *t, const struct onnx_graph *body, int trips)
{
    const struct onnx_value_info *info = body->output.first;

    for (int i = 0; i < t->nout; i++, info = info->next) {
        struct shape shape;
        int32_t type = ONNX_UNDEFINED;
        if (trips == 0)
            (void)onnx_declared_item(info, &type, &shape);
        set_output(t, i, sequence_new(t, trips, type));
    }
}

/* The body is computed once for each tensor of the first sequence.  It reads that, the one at the
 * same place of other sequences, and inputs that are tensors. */
struct imported *import_sequence_map(struct translation *t)
{
    const struct onnx_attribute *attribute = get_attribute(t, "body");
    const struct onnx_graph *body = attribute ? attribute->g : NULL;
    const struct imported_list *list = sequence_of(t);
    struct imported **in = import_alloc(t, t->nin, sizeof *in);
    struct imported **out = import_alloc(t, t->nout + 1, sizeof *out);

    if (!list)
        return NULL;
    for (int i = 0; i < t->nin; i++)
        if (!has_input(t, i))
            return import_refuse(t, DIAG_ONNX_GRAPH, "input %d is left out", i);
    if (!body || body->input.count != t->nin || body->output.count != t->nout)
        return import_refuse(t, DIAG_ONNX_GRAPH,
                             "has a body that does not fit its %d inputs and %d outputs", t->nin,
                             t->nout);
    begin_outputs(t, body, list->count);
    for (int trip = 0; trip < list->count; trip++) {
        for (int i = 0; i < t->nin; i++) {
            const struct imported_list *others = input_at(t, i)->list;
            if (others && others->count != list->count)
                return import_refuse(t, DIAG_SHAPE_MISMATCH, "has sequences of %d and %d tensors",
                                     list->count, others->count);
            in[i] = others ? others->item[trip] : input_at(t, i);
        }
        if (!import_subgraph(t, body, in, out))
            return NULL;
        for (int i = 0; i < t->nout; i++)
            if (!append(t, t->out[i], out[i]))
                return NULL;
    }
    return t->nout ? t->out[0] : NULL;
}

/* --- splitting and joining ------------------------------------------------------------------ */

/* The tensor with or without an extent of 1 at that axis. */
static struct imported *with_axis(struct translation *t, struct imported *x, int axis, bool added)
{
    struct shape shape = {.rank = x ? x->shape.rank + (added ? 1 : -1) : 0};

    if (!x)
        return NULL;
    if (shape.rank > MAX_RANK)
        return import_unsupported(t, "makes %d dimensions, expected at most %d", shape.rank,
                                  MAX_RANK);
    for (int i = 0, from = 0; i < shape.rank; i++) {
        from += !added && i == axis;
        shape.extent[i] = added && i == axis ? 1 : x->shape.extent[from++];
    }
    return reshape_to(t, x, &shape);
}

/* What a split of that extent is: sizes that are listed, or parts of one size, 1 if none is given,
 * the last of which may be smaller.  False after a report. */
static bool part_sizes(struct translation *t, int64_t extent, struct integers *sizes)
{
    int64_t most = t->builder->context->limits.array_length, sum = 0;
    struct integers given = {0};

    if (has_input(t, 1) && !get_integers(t, "split", 1, &given))
        return false;
    if (has_input(t, 1) && input_at(t, 1)->shape.rank > 0) {
        bool ok = true;
        for (int i = 0; i < given.count && ok; i++) {
            ok = given.item[i] >= 0 && given.item[i] <= extent - sum;
            sum += ok ? given.item[i] : 0;
        }
        *sizes = given;
        return (ok && sum == extent) ||
               import_error(t, DIAG_ITEM_VALUE,
                            "splits extent %" PRId64 " into parts of another sum", extent);
    }
    int64_t size = given.count > 0 ? given.item[0] : 1;
    if (size <= 0)
        return import_error(t, DIAG_ITEM_VALUE, "splits into parts of %" PRId64 " items", size);
    if (num_divide_up(extent, size) > most)
        return import_error(t, DIAG_EXPANSION_SIZE, "makes more than %" PRId64 " tensors", most);
    sizes->count = (int)num_divide_up(extent, size);
    int64_t *item = import_alloc(t, sizes->count, sizeof *item);
    for (int i = 0; i < sizes->count; i++)
        item[i] = num_min(size, extent - i * size);
    sizes->item = item;
    return true;
}

/* Without sizes each item is a part, whose extent of 1 goes if keepdims is 0. */
struct imported *import_split_to_sequence(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    bool kept = has_input(t, 1) || get_int(t, "keepdims", 1) != 0;
    struct integers sizes = {0};
    int64_t begin = 0;
    int axis;

    if (!resolve_axis(t, get_int(t, "axis", 0), x->shape.rank, &axis) ||
        !part_sizes(t, x->shape.extent[axis], &sizes))
        return NULL;
    struct imported *sequence = sequence_new(t, sizes.count, x->type);
    for (int i = 0; i < sizes.count; begin += sizes.item[i++]) {
        const struct selection part = {.count = 1,
                                       .axes = {axis},
                                       .begin = {begin},
                                       .end = {begin + sizes.item[i]},
                                       .stride = {1}};
        struct imported *made = select_items(t, x, part);
        if (!append(t, sequence, kept ? made : with_axis(t, made, axis, false)))
            return NULL;
    }
    return sequence;
}

struct imported *import_concat_from_sequence(struct translation *t)
{
    const struct imported_list *list = sequence_of(t);
    bool stacks = get_int(t, "new_axis", 0) != 0;
    int axis;

    if (!list)
        return NULL;
    if (list->count == 0)
        return import_refuse(t, DIAG_ONNX_GRAPH, "joins a sequence without tensors");
    const struct shape *first = &list->item[0]->shape;
    for (int i = 1; i < list->count; i++) {
        const struct shape *shape = &list->item[i]->shape;
        if (stacks ? !shape_equal(shape, first) : shape->rank != first->rank)
            return import_refuse(t, DIAG_SHAPE_MISMATCH, "joins tensors of shapes %s and %s",
                                 SHAPE_TEXT(first), SHAPE_TEXT(shape));
    }
    struct imported **parts = import_alloc(t, list->count, sizeof(struct imported *));
    if (!resolve_axis(t, get_int(t, "axis", 0), first->rank + stacks, &axis))
        return NULL;
    for (int i = 0; i < list->count; i++)
        if (!(parts[i] = stacks ? with_axis(t, list->item[i], axis, true) : list->item[i]))
            return NULL;
    return join_parts(t, parts, list->count, axis);
}
