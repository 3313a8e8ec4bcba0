/* import_make.c - operations with the types and ranks that NNEF takes; computed at once if all is known */
#include "convert/onnx/import_make.h"

#include "base/arena.h"
#include "base/num.h"
#include "convert/onnx/import_value.h"
#include "diag/context.h"
#include "ir/graph_edit.h"
#include "ir/site.h"
#include "op/compute.h"
#include "op/op_build.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* What is computed when reading may have so many items, or as many as what it is made from. */
enum { FOLDED_MAX = 1 << 16 };

enum dtype dtype_of(int32_t type)
{
    switch (type) {
    case ONNX_FLOAT:
    case ONNX_FLOAT16:
    case ONNX_BFLOAT16:
    case ONNX_DOUBLE:
    case ONNX_UNDEFINED:
        return DTYPE_SCALAR;
    case ONNX_INT8:
    case ONNX_INT16:
    case ONNX_INT32:
    case ONNX_INT64:
    case ONNX_UINT8:
    case ONNX_UINT16:
    case ONNX_UINT32:
    case ONNX_UINT64:
    case ONNX_INT4:
    case ONNX_UINT4:
    case ONNX_INT2:
    case ONNX_UINT2:
        return DTYPE_INTEGER;
    case ONNX_BOOL:
        return DTYPE_LOGICAL;
    }
    return DTYPE_UNKNOWN;
}

/* --- attributes -------------------------------------------------------------------------- */

static void set(struct translation *t, const char *name, struct datum value)
{
    assert(t->npending < PENDING_MAX);
    t->pending[t->npending].name = name;
    t->pending[t->npending++].value = value;
}

void set_integer(struct translation *t, const char *name, int64_t value)
{
    set(t, name, (struct datum){.kind = DATUM_INTEGER, .integer = value});
}

void set_scalar(struct translation *t, const char *name, double value)
{
    set(t, name, (struct datum){.kind = DATUM_SCALAR, .scalar = value});
}

void set_logical(struct translation *t, const char *name, bool value)
{
    set(t, name, (struct datum){.kind = DATUM_LOGICAL, .logical = value});
}

void set_string(struct translation *t, const char *name, const char *value)
{
    set(t, name,
        (struct datum){.kind = DATUM_STRING, .count = (int)strlen(value), .string = value});
}

const struct datum *integer_data(const struct translation *t, const int64_t *items, int count)
{
    struct datum *data = import_alloc(t, count, sizeof *data);

    for (int i = 0; i < count; i++)
        data[i] = (struct datum){.kind = DATUM_INTEGER, .integer = items[i]};
    return data;
}

void set_integers(struct translation *t, const char *name, const int64_t *items, int count)
{
    set(t, name,
        (struct datum){
            .kind = DATUM_ARRAY, .count = count, .items = integer_data(t, items, count)});
}

void set_scalars(struct translation *t, const char *name, const double *items, int count)
{
    struct datum *data = import_alloc(t, count, sizeof *data);

    for (int i = 0; i < count; i++)
        data[i] = (struct datum){.kind = DATUM_SCALAR, .scalar = items[i]};
    set(t, name, (struct datum){.kind = DATUM_ARRAY, .count = count, .items = data});
}

void set_strings(struct translation *t, const char *name, const char *const *items, int count)
{
    struct datum *data = import_alloc(t, count, sizeof *data);

    for (int i = 0; i < count; i++)
        data[i] = (struct datum){.kind = DATUM_STRING, .string = items[i]};
    set(t, name, (struct datum){.kind = DATUM_ARRAY, .count = count, .items = data});
}

void set_pairs(struct translation *t, const char *name, const int64_t (*items)[2], int count)
{
    struct datum *data = import_alloc(t, count, sizeof *data);

    for (int i = 0; i < count; i++)
        data[i] =
            (struct datum){.kind = DATUM_TUPLE, .count = 2, .items = integer_data(t, items[i], 2)};
    set(t, name, (struct datum){.kind = DATUM_ARRAY, .count = count, .items = data});
}

/* --- which types an operation takes ------------------------------------------------------- */

enum taste { WANTS_ANY, WANTS_SCALARS, WANTS_LOGICALS };

/* Which operand of an operation on scalars is a tensor of indices; -1: none. */
static int index_operand(enum op_id op)
{
    if (op == OP_sample || op == OP_desample)
        return 1;
    if (op == OP_avg_roi_pool || op == OP_max_roi_pool || op == OP_roi_resample ||
        op == OP_avg_roi_align || op == OP_max_roi_align)
        return 2;
    return -1;
}

static enum taste taste_of(enum op_id op, int operand)
{
    if (op == OP_not || op == OP_and || op == OP_or || op == OP_all_reduce || op == OP_any_reduce)
        return WANTS_LOGICALS;
    if (op_table[op]->result[0] == OP_RESULT_GENERIC || operand == index_operand(op))
        return WANTS_ANY;
    return WANTS_SCALARS;
}

/* The type of results that are scalars: that of the first scalar, or of the first at all. */
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

static int32_t result_type(enum op_id op, int result, struct imported *const *in, int count)
{
    const struct op_desc *desc = op_table[op];

    switch (desc->result[desc->nresult > 1 && result < OP_RESULTS ? result : 0]) {
    case OP_RESULT_SCALAR:
        return common_type(in, count);
    case OP_RESULT_INTEGER:
        return ONNX_INT64;
    case OP_RESULT_LOGICAL:
        return ONNX_BOOL;
    case OP_RESULT_GENERIC:
        break;
    }
    if (op == OP_select)
        return in[1]->type == ONNX_UNDEFINED ? in[2]->type : in[1]->type;
    return in[0]->type;
}

static struct imported *tasted(struct translation *t, struct imported *x, enum taste taste)
{
    if (taste == WANTS_SCALARS && dtype_of(x->type) != DTYPE_SCALAR)
        return convert(t, x, ONNX_FLOAT);
    if (taste == WANTS_LOGICALS && dtype_of(x->type) != DTYPE_LOGICAL)
        return convert(t, x, ONNX_BOOL);
    return x;
}

/* --- nodes ------------------------------------------------------------------------------- */

static const struct op_attr *attr_of(const struct op_desc *desc, const char *name)
{
    const struct op_attr *attr = desc->attrs;

    while (attr && attr->name && strcmp(attr->name, name) != 0)
        attr++;
    assert(attr && attr->name); /* an operand was made between its attributes and the operation */
    return attr;
}

static struct op_argument *arguments(struct translation *t, const struct op_desc *desc)
{
    struct op_argument *args = import_alloc(t, t->npending, sizeof *args);

    for (int i = 0; i < t->npending; i++)
        args[i] = (struct op_argument){.attr = attr_of(desc, t->pending[i].name),
                                       .value = t->pending[i].value};
    return args;
}

/* A constant that the graph of what is computed at once can refer to. */
static struct value *folding_value(struct translation *t, const struct imported *x)
{
    struct value *value = graph_add_source(t->builder->folding, VALUE_CONSTANT, x->known->dtype,
                                           &x->known->shape, (struct span){0});

    value->source->tensor = arena_new_of(t->builder->context->arena, struct tensor);
    *value->source->tensor = *x->known;
    return value;
}

static struct node *build(struct translation *t, const struct op_desc *desc,
                          struct imported *const *in, int count, bool folding)
{
    struct op_operand *operands = import_alloc(t, count, sizeof *operands);
    struct diag *diag = t->builder->context->diag;
    int errors = diag_error_count(diag);
    struct op_call call = {.op = desc,
                           .in = operands,
                           .nin = count,
                           .nargs = t->npending,
                           .site = t->site,
                           .span = t->span};

    for (int i = 0; i < count; i++) {
        operands[i].param = in[i]->name ? in[i]->name : "operand";
        operands[i].value = folding ? folding_value(t, in[i]) : imported_value(t, in[i]);
        if (!operands[i].value)
            return NULL;
        if (desc->result[0] == OP_RESULT_GENERIC && i <= 1)
            call.generic = (enum dtype)operands[i].value->dtype;
    }
    if (desc == op_table[OP_gather])
        call.generic = (enum dtype)operands[0].value->dtype;
    call.args = arguments(t, desc);
    if (desc == op_table[OP_cast])
        call.generic = (enum dtype)t->cast;
    struct node *node = op_build(folding ? t->builder->folding : t->builder->graph, &call);
    if (node && diag_error_count(diag) == errors)
        return node;
    t->failed = true;
    return NULL;
}

static struct imported **room_for(struct translation *t, int count)
{
    t->made = import_alloc(t, count, sizeof *t->made);
    t->nmade = count;
    return t->made;
}

static bool too_large(struct translation *t, const struct node *node)
{
    int64_t room = context_budget(t->builder->context), volume;

    for (uint32_t i = 0; i < node->nout; i++)
        if (!shape_volume_checked(node->out[i].shape, room / (int64_t)sizeof(int64_t), &volume))
            return !import_error(t, DIAG_MEMORY_LIMIT,
                                 "the known result of '%s' has shape %s, which takes more memory "
                                 "than is left",
                                 node->op->name, SHAPE_TEXT(node->out[i].shape));
    return false;
}

/* Results are computed into memory that is kept. */
static bool compute(struct translation *t, const struct node *node, enum op_id op,
                    struct imported *const *in)
{
    const struct tensor **from = import_alloc(t, node->nin, sizeof *from);
    struct tensor *to = import_alloc(t, node->nout, sizeof *to);

    for (uint32_t i = 0; i < node->nin; i++)
        from[i] = in[i]->known;
    if (too_large(t, node) || !node_compute(node, from, to, t->builder->context->diag)) {
        t->failed = true;
        return false;
    }
    room_for(t, (int)node->nout);
    for (uint32_t i = 0; i < node->nout; i++)
        t->made[i] =
            imported_known(t->builder, in[0]->name, result_type(op, (int)i, in, (int)node->nin),
                           builder_keep(t->builder, &to[i]));
    return true;
}

/* Larger than what it is made from: it stays an operation. */
static bool grows(const struct node *node, struct imported *const *in, int count)
{
    int64_t most = FOLDED_MAX;

    for (int i = 0; i < count; i++)
        most = shape_volume(&in[i]->shape) > most ? shape_volume(&in[i]->shape) : most;
    for (uint32_t i = 0; i < node->nout; i++)
        if (shape_known(node->out[i].shape) && shape_volume(node->out[i].shape) > most)
            return true;
    return false;
}

enum fold { FOLDED, FOLD_FAILED, FOLD_GROWS };

static enum fold fold(struct translation *t, enum op_id op, struct imported *const *in, int count)
{
    struct node *node = build(t, op_table[op], in, count, true);

    if (!node)
        return FOLD_FAILED;
    bool too_much = grows(node, in, count);
    bool ok = !too_much && compute(t, node, op, in);
    graph_erase_node(t->builder->folding, node);
    return too_much ? FOLD_GROWS : ok ? FOLDED : FOLD_FAILED;
}

static bool append(struct translation *t, enum op_id op, struct imported *const *in, int count)
{
    struct node *node = build(t, op_table[op], in, count, false);

    if (!node)
        return false;
    room_for(t, (int)node->nout);
    for (uint32_t i = 0; i < node->nout; i++)
        t->made[i] =
            imported_of_value(t->builder, NULL, result_type(op, (int)i, in, count), &node->out[i]);
    return true;
}

static bool all_known(enum op_id op, struct imported *const *in, int count)
{
    for (int i = 0; i < count; i++)
        if (!in[i]->known)
            return false;
    return count > 0 && op_table[op]->eval;
}

/* Computed at once if that can be, else a node. */
static bool fold_or_append(struct translation *t, enum op_id op, struct imported *const *in,
                           int count)
{
    enum fold how = all_known(op, in, count) ? fold(t, op, in, count) : FOLD_GROWS;

    return how == FOLDED || (how == FOLD_GROWS && append(t, op, in, count));
}

/* --- operands ---------------------------------------------------------------------------- */

static int widest(struct imported *const *in, int count)
{
    int rank = 0;

    for (int i = 0; i < count; i++)
        rank = in[i]->shape.rank > rank ? in[i]->shape.rank : rank;
    return rank;
}

static bool all_there(struct imported *const *in, int count)
{
    for (int i = 0; i < count; i++)
        if (!in[i])
            return false;
    return true;
}

static bool prepare(struct translation *t, enum op_id op, struct imported *const *in, int count,
                    struct imported **ready)
{
    bool aligned = (op_table[op]->traits & OP_ELEMENTWISE) && op != OP_batch_normalization;
    int rank = widest(in, count);

    for (int i = 0; i < count; i++) {
        struct imported *x = tasted(t, in[i], taste_of(op, i));
        if (aligned && x && x->shape.rank > 0)
            x = with_rank(t, x, rank);
        ready[i] = x;
        if (!x)
            return false;
    }
    return true;
}

/* Scalars that stand for integers become these again. */
static bool restore(struct translation *t, enum op_id op, struct imported *const *in, int count)
{
    struct imported **made = t->made;
    int nmade = t->nmade;
    int32_t type = common_type(in, count);

    if (op_table[op]->result[0] != OP_RESULT_SCALAR || dtype_of(type) != DTYPE_INTEGER)
        return true;
    for (int i = 0; i < nmade; i++)
        if (dtype_of(made[i]->type) == DTYPE_SCALAR && !(made[i] = convert(t, made[i], type)))
            return false;
    t->made = made;
    t->nmade = nmade;
    return true;
}

static bool make(struct translation *t, enum op_id op, struct imported *const *in, int count)
{
    struct imported *folded = NULL;

    if (!all_there(in, count) || t->failed)
        return false;
    if (fold_integers(t, op, in, count, &folded)) {
        room_for(t, 1)[0] = folded;
        return folded;
    }
    /* conversions make operations of their own */
    struct translation inner = *t;
    struct imported **ready = import_alloc(t, count, sizeof *ready);
    inner.npending = 0;
    bool ok = prepare(&inner, op, in, count, ready);
    t->failed |= inner.failed;
    if (!ok)
        return false;
    ok = fold_or_append(t, op, ready, count);
    t->npending = 0;
    return ok && restore(t, op, in, count);
}

struct imported *op_all(struct translation *t, enum op_id op, struct imported *const *in, int count)
{
    bool ok = make(t, op, in, count);

    t->npending = 0;
    return ok ? t->made[0] : NULL;
}

/* A reshape to what is there already, or of what is known, needs no node. */
static struct imported *reshape_as_called(struct translation *t, const struct op_call *call,
                                          struct imported *x)
{
    const struct datum *extents = &call->args[0].value;
    struct shape shape = {.rank = extents->count};

    assert(extents->kind == DATUM_ARRAY && shape.rank <= MAX_RANK);
    for (int i = 0; i < shape.rank; i++)
        shape.extent[i] = extents->items[i].integer;
    t->made = import_alloc(t, 1, sizeof *t->made);
    t->nmade = 1;
    return t->made[0] = reshape_to(t, x, &shape);
}

struct imported *op_called(struct translation *t, const struct op_call *call,
                           struct imported *const *in)
{
    enum op_id op = (enum op_id)call->op->id;

    assert(op < OP_COUNT);
    if (op == OP_reshape)
        return reshape_as_called(t, call, in[0]);
    for (int i = 0; i < call->nargs; i++)
        set(t, call->args[i].attr->name, call->args[i].value);
    t->cast = (int)call->generic;
    return op_all(t, op, in, call->nin);
}

struct imported *op1(struct translation *t, enum op_id op, struct imported *x)
{
    return op_all(t, op, &x, 1);
}

struct imported *op2(struct translation *t, enum op_id op, struct imported *x, struct imported *y)
{
    return op_all(t, op, (struct imported *[]){x, y}, 2);
}

struct imported *op3(struct translation *t, enum op_id op, struct imported *x, struct imported *y,
                     struct imported *z)
{
    return op_all(t, op, (struct imported *[]){x, y, z}, 3);
}

/* --- conversions ------------------------------------------------------------------------- */

/* Numbers other than 0 are true. */
static struct imported *to_logical(struct translation *t, struct imported *x)
{
    return op2(t, OP_ne, x, literal(t, 0));
}

struct imported *convert(struct translation *t, struct imported *x, int32_t type)
{
    enum dtype to = dtype_of(type);

    if (!x || to == DTYPE_UNKNOWN)
        return x ? import_unsupported(t, "tensors of that type cannot be made") : NULL;
    if (dtype_of(x->type) == to) {
        struct imported *same = import_alloc(t, 1, sizeof *same);
        *same = *x;
        same->type = type;
        same->views = NULL;
        return same;
    }
    if (to == DTYPE_LOGICAL)
        return to_logical(t, x);
    t->cast = (int)to;
    struct imported *made = op1(t, OP_cast, x);
    if (made)
        made->type = type;
    return made;
}
