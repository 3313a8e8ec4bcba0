/*
 * import_make.c - operations with the types and ranks that NNEF takes; see import_make.h
 *
 * make() is the one way: fold integers, else prepare the operands, compute or append the node, and
 * cast the results back.
 */
#include "convert/onnx/import_make.h"

#include "base/arena.h"
#include "base/num.h"
#include "convert/onnx/import_value.h"
#include "convert/proto/onnx_data.h"
#include "diag/context.h"
#include "ir/graph_edit.h"
#include "ir/site.h"
#include "op/compute.h"
#include "op/op_build.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* What is computed when reading may have so many items, or as many as what it is made from.  Lists
 * of FEW operands need no memory of the import. */
enum { FOLDED_MAX = 1 << 16, FEW = 8 };

enum dtype dtype_of(int32_t type)
{
    return type == ONNX_UNDEFINED ? DTYPE_SCALAR : onnx_type_dtype(type);
}

/* --- types of operands and results -------------------------------------------------------- */

/* An operation to be made. */
struct request {
    struct op_spec spec;
    enum dtype cast; /* what `cast` makes */
};

/* What the signature says of an operand; arrays of tensors are one parameter. */
static enum op_result operand_type(enum op_id op, int operand)
{
    const struct op_desc *desc = op_table[op];

    assert(desc->noperand > 0);
    return desc->operand[desc->traits & OP_VARIADIC || operand >= desc->noperand ? 0 : operand];
}

/* Is it an operation on integers, whose results do not follow their type? */
static bool takes_integers(enum op_id op)
{
    return op_table[op]->noperand > 0 && op_table[op]->operand[0] == OP_RESULT_INTEGER;
}

/* The type of results that are scalars: that of the first scalar operand, else of the first. */
static int32_t common_type(struct imported *const *in, int count)
{
    int32_t type = ONNX_UNDEFINED;

    for (int i = 0; i < count; i++) {
        if (in[i]->type == ONNX_UNDEFINED)
            continue;
        if (dtype_of(in[i]->type) == DTYPE_SCALAR)
            return in[i]->type;
        if (type == ONNX_UNDEFINED)
            type = in[i]->type;
    }
    return type;
}

/* '?' stands for the type of the first operand of that type which is no literal. */
static int32_t result_type(enum op_id op, int result, struct imported *const *in, int count)
{
    const struct op_desc *desc = op_table[op];
    int first = desc->generic_operand;
    int32_t type;

    assert(count >= 0 && first >= 0);
    switch (desc->result[desc->nresult > 1 && result < OP_RESULTS ? result : 0]) {
    case OP_RESULT_SCALAR: /* numbers that are computed of logicals are none */
        type = count == 0 || takes_integers(op) ? ONNX_FLOAT : common_type(in, count);
        return dtype_of(type) == DTYPE_LOGICAL ? ONNX_FLOAT : type;
    case OP_RESULT_INTEGER:
        return ONNX_INT64;
    case OP_RESULT_LOGICAL:
        return ONNX_BOOL;
    case OP_RESULT_GENERIC:
        break;
    }
    for (int i = first; i < count; i++)
        if (operand_type(op, i) == OP_RESULT_GENERIC && in[i]->type != ONNX_UNDEFINED)
            return in[i]->type;
    assert(count > 0);
    return in[first < count ? first : 0]->type;
}

/* --- nodes ------------------------------------------------------------------------------- */

/*
 * The node, in the graph or in that of `folding`, which lasts until its results are computed.  NULL
 * after a report.
 */
static struct node *build(struct translation *t, const struct request *r,
                          struct imported *const *in, int count, bool folding)
{
    const struct op_desc *desc = op_table[r->spec.op];
    struct op_operand few[FEW];
    struct op_operand *operands = count > FEW ? import_alloc(t, count, sizeof *operands) : few;
    struct diag *diag = t->builder->context->diag;
    int errors = diag_error_count(diag);
    struct op_call call = {.op = desc,
                           .in = operands,
                           .nin = count,
                           .attrs = r->spec.attrs,
                           .generic = r->cast,
                           .site = t->site,
                           .span = t->span};

    for (int i = 0; i < count; i++) {
        struct value *value = folding ? NULL : imported_value(t, in[i]);
        if (folding) { /* a constant that has the known items */
            value = graph_add_source(t->builder->folding, VALUE_CONSTANT, in[i]->known->dtype,
                                     &in[i]->known->shape, (struct span){0});
            value->source->tensor = arena_new_of(t->builder->context->arena, struct tensor);
            *value->source->tensor = *in[i]->known;
        }
        if (!value)
            return NULL;
        operands[i] =
            (struct op_operand){.param = in[i]->name ? in[i]->name : "operand", .value = value};
    }
    if (desc->result[0] == OP_RESULT_GENERIC && desc->generic_operand < count &&
        desc->id != OP_cast)
        call.generic = (enum dtype)operands[desc->generic_operand].value->dtype;
    struct node *node = op_build(folding ? t->builder->folding : t->builder->graph, &call);
    if (node && diag_error_count(diag) == errors)
        return node;
    t->failed = true;
    return NULL;
}

/* Room in t->made for the results of an operation. */
static struct imported **room_for(struct translation *t, int count)
{
    t->made = import_alloc(t, count, sizeof *t->made);
    t->nmade = count;
    return t->made;
}

enum fold { FOLDED, FOLD_FAILED, FOLD_GROWS };

/* Of a result of a node whose operands are all known. */
static struct shared_key key_of(const struct translation *t, const struct node *node,
                                const struct tensor *const *from, uint32_t index)
{
    struct shared_key key = shared_key(t->builder->context->shared, "import");

    attrs_to_key(node, &key);
    shared_key_number(&key, index);
    for (uint32_t i = 0; i < node->nin; i++)
        shared_key_tensor(&key, from[i]);
    return key;
}

/* The results that were computed for another graph of the model; false: not all of them were. */
static bool find_shared(const struct translation *t, const struct node *node,
                        const struct tensor *const *from, const struct tensor **found)
{
    bool all = t->builder->context->shared;

    for (uint32_t i = 0; i < node->nout && all; i++) {
        struct shared_key key = key_of(t, node, from, i);
        found[i] = shared_find(&key);
        all = found[i];
        shared_key_free(&key);
    }
    return all;
}

/*
 * The results of a node whose operands are all known, in memory that is kept.  Results must fit
 * into the memory that is left.  If one is larger than the operands, beyond a bound, the node
 * stays: a tensor that is repeated a thousand times should not fill the memory.
 */
static enum fold fold(struct translation *t, const struct request *r, struct imported *const *in,
                      int count)
{
    struct context *context = t->builder->context;
    int64_t room = context_budget(context) / (int64_t)sizeof(int64_t), most = FOLDED_MAX, volume;
    struct node *node = build(t, r, in, count, true);
    enum fold how = FOLDED;

    if (!node)
        return FOLD_FAILED;
    const struct tensor **from = import_alloc(t, count, sizeof *from);
    struct tensor *to = import_tensors(t, node->nout);
    const struct tensor **found = import_alloc(t, node->nout, sizeof *found);
    for (int i = 0; i < count; i++) {
        assert(in[i]->known);
        from[i] = in[i]->known;
        most = shape_volume(&in[i]->shape) > most ? shape_volume(&in[i]->shape) : most;
    }
    for (uint32_t i = 0; i < node->nout; i++)
        if (shape_known(node->out[i].shape) && shape_volume(node->out[i].shape) > most)
            how = FOLD_GROWS;
    for (uint32_t i = 0; i < node->nout && how == FOLDED; i++)
        if (!shape_volume_checked(node->out[i].shape, room, &volume)) {
            import_error(t, DIAG_MEMORY_LIMIT,
                         "the known result of '%s' has shape %s, which takes more memory than is "
                         "left",
                         node->op->name, SHAPE_TEXT(node->out[i].shape));
            how = FOLD_FAILED;
        }
    bool shared = how == FOLDED && find_shared(t, node, from, found);
    if (how == FOLDED && !shared && !node_compute(node, from, to, context->diag)) {
        t->failed = true;
        how = FOLD_FAILED;
    }
    if (how == FOLDED)
        room_for(t, (int)node->nout);
    for (uint32_t i = 0; i < node->nout && how == FOLDED; i++) {
        struct shared_key key = key_of(t, node, from, i);
        if (!shared)
            found[i] = builder_share(t->builder, &key, &to[i]);
        shared_key_free(&key);
        t->made[i] = imported_known(t->builder, in[0]->name,
                                    result_type(r->spec.op, (int)i, in, count), found[i]);
        t->made[i]->made = true;
    }
    graph_erase_node(t->builder->folding, node);
    return how;
}

/* --- operands ---------------------------------------------------------------------------- */

/*
 * Operands of the types of the signature, and of equal rank where ONNX aligns them at the last
 * dimension.  Those of a batch normalization stay aligned at the channel.  Indices have to be
 * integers already.  False if one could not be made.
 */
static bool prepare(struct translation *t, enum op_id op, struct imported *const *in, int count,
                    struct imported **ready)
{
    bool aligned = (op_table[op]->traits & OP_ELEMENTWISE) && op != OP_batch_normalization;
    int rank = 0;

    for (int i = 0; i < count; i++)
        rank = in[i]->shape.rank > rank ? in[i]->shape.rank : rank;
    for (int i = 0; i < count; i++) {
        const enum op_result wanted = operand_type(op, i);
        const enum dtype dtype = dtype_of(in[i]->type);
        ready[i] = in[i];
        if (wanted == OP_RESULT_SCALAR && dtype == DTYPE_INTEGER)
            integer_meets_scalar(t, op, in[i]);
        if (wanted == OP_RESULT_SCALAR && dtype != DTYPE_SCALAR)
            ready[i] = convert(t, in[i], ONNX_FLOAT);
        else if (wanted == OP_RESULT_LOGICAL && dtype != DTYPE_LOGICAL)
            ready[i] = convert(t, in[i], ONNX_BOOL);
        if (aligned && ready[i] && ready[i]->shape.rank > 0)
            ready[i] = with_rank(t, ready[i], rank);
        if (!ready[i])
            return false;
    }
    return true;
}

/* Are items of results items of operands, which are of their type? */
static bool picks_items(enum op_id op)
{
    return op == OP_max_pool || op == OP_max_pool_with_index || op == OP_nearest_upsample ||
           op == OP_nearest_downsample || op == OP_pad;
}

/* Computed at once if all operands are known, else by a node. */
static bool make_typed(struct translation *t, const struct request *r, struct imported *const *in,
                       int count)
{
    const enum op_id op = r->spec.op;
    struct imported *few[FEW], **ready = count > FEW ? import_alloc(t, count, sizeof *ready) : few;
    bool known = count > 0 && op_table[op]->eval && !(op_table[op]->traits & OP_DECODES);

    if (!prepare(t, op, in, count, ready))
        return false;
    for (int i = 0; i < count; i++)
        known = known && ready[i]->known;
    enum fold how = known ? fold(t, r, ready, count) : FOLD_GROWS;
    if (how == FOLD_FAILED)
        return false;
    if (how == FOLD_GROWS) {
        struct node *node = build(t, r, ready, count, false);
        if (!node)
            return false;
        room_for(t, (int)node->nout);
        for (uint32_t i = 0; i < node->nout; i++)
            t->made[i] = imported_of_value(t->builder, NULL, result_type(op, (int)i, ready, count),
                                           &node->out[i]);
    }

    /* The results of an operation on scalars are integers again if its operands were. */
    struct imported **made = t->made;
    int32_t type = common_type(in, count);
    int nmade = t->nmade;
    if (op_table[op]->result[0] != OP_RESULT_SCALAR || takes_integers(op) ||
        dtype_of(type) != DTYPE_INTEGER)
        return true;
    for (int i = 0; i < nmade; i++)
        if (dtype_of(made[i]->type) == DTYPE_SCALAR &&
            !(made[i] =
                  picks_items(op) ? whole_items(t, made[i], type) : convert(t, made[i], type)))
            return false;
    t->made = made; /* conversions have put theirs there */
    t->nmade = nmade;
    return true;
}

/*
 * All results are put into t->made.  A missing operand makes nothing, nor does a node that has
 * failed; false.
 */
static bool make(struct translation *t, const struct request *r, struct imported *const *in,
                 int count)
{
    struct imported *few[FEW];
    struct imported **integers = count > FEW ? import_alloc(t, count, sizeof *integers) : few;
    struct request form = {.spec = r->spec};

    assert(r->spec.op < OP_COUNT);
    for (int i = 0; i < count; i++) {
        if (!in[i])
            return false;
        integers[i] = in[i];
    }
    if (t->failed)
        return false;
    struct imported *result = NULL;
    if (integer_compose(t, &r->spec, in, count, &result)) {
        if (result)
            *room_for(t, 1) = result;
        return result;
    }
    int32_t type = integer_request(t, &form.spec, integers, count);
    if (type == ONNX_UNDEFINED)
        return make_typed(t, r, in, count);
    if (t->failed || !make_typed(t, &form, integers, count))
        return false;
    if (op_table[r->spec.op]->result[0] == OP_RESULT_SCALAR ||
        (r->spec.op == form.spec.op && op_table[form.spec.op]->result[0] == OP_RESULT_INTEGER))
        t->made[0]->type = type;
    return true;
}

struct imported *make_all(struct translation *t, struct op_spec spec, struct imported *const *in,
                          int count)
{
    const struct request request = {.spec = spec};

    return make(t, &request, in, count) ? t->made[0] : NULL;
}

struct imported *make1(struct translation *t, struct op_spec spec, struct imported *x)
{
    return make_all(t, spec, &x, 1);
}

struct imported *make2(struct translation *t, struct op_spec spec, struct imported *x,
                       struct imported *y)
{
    return make_all(t, spec, (struct imported *[]){x, y}, 2);
}

struct imported *op1(struct translation *t, enum op_id op, struct imported *x)
{
    return make_all(t, op_plain(op), &x, 1);
}

struct imported *op2(struct translation *t, enum op_id op, struct imported *x, struct imported *y)
{
    return make_all(t, op_plain(op), (struct imported *[]){x, y}, 2);
}

struct imported *op3(struct translation *t, enum op_id op, struct imported *x, struct imported *y,
                     struct imported *z)
{
    return make_all(t, op_plain(op), (struct imported *[]){x, y, z}, 3);
}

/* --- what the lowering asks for ------------------------------------------------------------ */

/*
 * -1 among the extents takes what is left.  If x has no items, that is what is left of its other
 * extents: [0,4,2] to [0,2,-1] is [0,2,4].
 */
static void settle_rest(const struct shape *x, struct shape *shape)
{
    int64_t items = 1, others = 1;
    int rest = -1, zeros = 0;
    bool fits = true;

    for (int i = 0; i < x->rank; i++) {
        zeros += x->extent[i] == 0;
        fits = fits && (x->extent[i] == 0 || num_mul(items, x->extent[i], &items));
    }
    for (int i = 0; i < shape->rank; i++) {
        const int64_t extent = shape->extent[i];
        rest = extent == -1 ? i : rest;
        zeros -= extent == 0;
        fits = fits && (extent <= 0 || num_mul(others, extent, &others));
    }
    if (rest >= 0 && has_no_items(x))
        shape->extent[rest] = fits && zeros <= 0 && items % others == 0 ? items / others : 0;
}

struct imported *make_called(struct translation *t, const struct op_call *call,
                             struct imported *const *in)
{
    struct infer decoded = {.graph = t->builder->graph, .call = call};

    assert(call->op->id < OP_COUNT && !call->op->introduces);
    if (!attrs_decode(&decoded)) {
        t->failed = true;
        return NULL;
    }
    if (call->op->id == OP_reshape) {
        const struct integers extents = ((const struct reshape_attrs *)decoded.attrs)->shape;
        struct shape shape = {.rank = extents.count};
        assert(shape.rank <= MAX_RANK);
        memcpy(shape.extent, extents.item, (size_t)extents.count * sizeof *extents.item);
        settle_rest(&in[0]->shape, &shape);
        return room_for(t, 1)[0] = reshape_to(t, in[0], &shape);
    }
    const struct request request = {
        {(enum op_id)call->op->id, call->op->attrs ? decoded.attrs : NULL}, call->generic};
    return make(t, &request, in, call->nin) ? t->made[0] : NULL;
}

/* --- conversions ------------------------------------------------------------------------- */

/* Does a type of integers have every integer of another? */
static bool holds_all(int32_t type, int32_t other)
{
    int64_t more = integer_bits(type) - integer_bits(other);

    return integer_is_signed(type) == integer_is_signed(other)
               ? more >= 0
               : more > 0 && integer_is_signed(type);
}

/* The same items under another type. */
static struct imported *as_type(struct translation *t, const struct imported *x, int32_t type)
{
    struct imported *same = import_alloc(t, 1, sizeof *same);

    *same = *x;
    same->type = type;
    same->views = NULL;
    return same;
}

static struct imported *cast_to(struct translation *t, struct imported *x, int32_t type)
{
    if (!x || !make(t, &(struct request){.spec = op_plain(OP_cast), .cast = dtype_of(type)}, &x, 1))
        return NULL;
    t->made[0]->type = type;
    return t->made[0];
}

/*
 * Integers without a sign are stored as those with one: what is 2^63 and more is halved before it
 * becomes a scalar.  The last bit stays in the half, so that it is rounded as the whole would be.
 */
static struct imported *huge_to_scalar(struct translation *t, struct imported *x, int32_t type)
{
    struct imported *stored = as_type(t, x, ONNX_INT64), *one = literal(t, 1);
    struct imported *bit = op2(t, OP_integer_mod, x, literal(t, 2));
    struct imported *half = op2(t, OP_integer_shift_right, x, one);
    struct imported *odd = op2(t, OP_integer_mod, half, literal(t, 2));

    /* The bit is set in the half by a sum, which ONNX had before it had BitwiseOr. */
    half =
        op2(t, OP_integer_add, half, op2(t, OP_integer_sub, bit, op2(t, OP_integer_mul, bit, odd)));

    if (!half)
        return NULL;
    half = cast_to(t, as_type(t, half, ONNX_INT64), type);
    return op3(t, OP_select, op2(t, OP_lt, stored, literal(t, 0)),
               op2(t, OP_mul, half, literal(t, 2)), cast_to(t, stored, type));
}

/* As above, the other way round. */
static struct imported *scalar_to_huge(struct translation *t, struct imported *x, int32_t type)
{
    struct imported *bound = literal(t, 9223372036854775808.);
    struct imported *rest = cast_to(t, op2(t, OP_sub, x, bound), type);
    struct imported *bit = op2(t, OP_integer_shift_left, literal(t, 1), known_integer(t, 63, type));

    return op3(t, OP_select, op2(t, OP_ge, x, bound), op2(t, OP_integer_add, rest, bit),
               cast_to(t, x, type));
}

struct imported *whole_items(struct translation *t, struct imported *x, int32_t type)
{
    assert(dtype_of(type) == DTYPE_INTEGER);
    return cast_to(t, x, type);
}

/* Types that NNEF does not tell apart, such as float and double, share the items. */
struct imported *convert(struct translation *t, struct imported *x, int32_t type)
{
    enum dtype to = dtype_of(type);

    if (!x || to == DTYPE_UNKNOWN)
        return x ? import_unsupported(t, "tensors of that type cannot be made") : NULL;
    if (to == DTYPE_INTEGER && dtype_of(x->type) != to)
        x = whole_literal(t, x, ONNX_INT64);
    const bool narrow = to == DTYPE_INTEGER && integer_bits(type) < 64;
    const bool same = dtype_of(x->type) == to;
    if (same && (!narrow || holds_all(type, x->type)))
        return as_type(t, x, type);
    if (to == DTYPE_LOGICAL) /* numbers other than 0 are true */
        return op2(t, OP_ne, x, literal(t, 0));
    if (to == DTYPE_SCALAR && x->type == ONNX_UINT64)
        return huge_to_scalar(t, x, type);
    if (type == ONNX_UINT64 && dtype_of(x->type) == DTYPE_SCALAR)
        return scalar_to_huge(t, x, type);
    const bool wraps = narrow && dtype_of(x->type) != DTYPE_LOGICAL;
    x = same ? x : cast_to(t, x, type);
    if (!wraps || !x)
        return x;
    const struct op_spec wrap =
        OP_SPEC(integer_wrap, .bits = integer_bits(type), .is_signed = integer_is_signed(type));
    x = make1(t, wrap, x);
    if (x)
        x->type = type;
    return x;
}
