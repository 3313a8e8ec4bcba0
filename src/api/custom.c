/* custom.c - operations that the client implements (custom.h): their registration, and what their
 * shape rules and kernels see of an invocation */
#include "op/custom.h"

#include "api/api_priv.h"
#include "op/op_build.h"

#include <assert.h>
#include <string.h>

/* Our structs have other names outside. */
static const struct infer *handle_infer(const struct nnefc_infer *handle)
{
    return (const struct infer *)handle;
}

static const struct eval *handle_eval(const struct nnefc_eval *handle)
{
    return (const struct eval *)handle;
}

/* --- registration ------------------------------------------------------------------------- */

/* The shape rule of a custom operation, as op/ calls it. */
static bool call_infer(struct infer *infer, void *user)
{
    const struct nnefc_custom_op *op = user;

    assert(op->infer);
    return op->infer((struct nnefc_infer *)infer, op->user);
}

/* The kernel of a custom operation, as op/ calls it. */
static bool call_eval(const struct eval *eval, void *user)
{
    const struct nnefc_custom_op *op = user;

    assert(op->eval);
    return op->eval((const struct nnefc_eval *)eval, op->user);
}

bool api_model_add_op(struct nnefc_model *model, const struct nnefc_custom_op *op)
{
    struct nnefc_custom_op taken;
    if (!settings_take(model, op, &taken, sizeof taken))
        return false;
    if (!taken.name)
        return misuse(model, "an operation of the client needs a name");
    /* The client may change or free its description after the call. */
    struct arena *arena = model->context->arena;
    struct nnefc_custom_op *copy = arena_new_of(arena, struct nnefc_custom_op);
    *copy = taken;
    int count = model->lower.ncustom;
    model->customs = heap_list(model->customs, count, sizeof *model->customs);
    model->customs[count] =
        (struct custom_op){.name = arena_strndup(arena, taken.name, strlen(taken.name)),
                           .infer = taken.infer ? call_infer : NULL,
                           .eval = taken.eval ? call_eval : NULL,
                           .user = copy};
    model->lower.customs = model->customs;
    model->lower.ncustom++;
    return true;
}

/* --- attributes --------------------------------------------------------------------------- */

/* An attribute by the name that the fragment declares; each is stored as a datum, at the offset
 * that the table made for the fragment has.  NULL if there is none. */
static const struct nnefc_datum *find_attribute(const struct op_desc *op, const void *attrs,
                                                const char *name)
{
    assert(op);
    for (const struct op_attr *attr = name ? op->attrs : NULL; attr && attr->name; attr++)
        if (strcmp(attr->name, name) == 0)
            return datum_handle(
                (const struct datum *)(const void *)((const char *)attrs + attr->offset));
    return NULL;
}

/* Also false of NULL: each getter then gives the zero of its type. */
static bool is_kind(const struct nnefc_datum *datum, enum datum_kind kind)
{
    return datum && handle_datum(datum)->kind == kind;
}

enum nnefc_datum_kind nnefc_datum_kind(const struct nnefc_datum *datum)
{
    static const enum nnefc_datum_kind kinds[] = {
        [DATUM_NONE] = NNEFC_DATUM_NONE,     [DATUM_INTEGER] = NNEFC_DATUM_INTEGER,
        [DATUM_SCALAR] = NNEFC_DATUM_SCALAR, [DATUM_LOGICAL] = NNEFC_DATUM_LOGICAL,
        [DATUM_STRING] = NNEFC_DATUM_STRING, [DATUM_ARRAY] = NNEFC_DATUM_ARRAY,
        [DATUM_TUPLE] = NNEFC_DATUM_TUPLE,   [DATUM_TENSOR] = NNEFC_DATUM_NONE};
    enum datum_kind kind = datum ? handle_datum(datum)->kind : DATUM_NONE;

    assert(kind <= DATUM_TENSOR);
    return kinds[kind];
}

#define DATUM_VALUE(type, what, kind)                                \
    type nnefc_datum_##what(const struct nnefc_datum *datum)         \
    {                                                                \
        return is_kind(datum, kind) ? handle_datum(datum)->what : 0; \
    }
DATUM_VALUE(int64_t, integer, DATUM_INTEGER)
DATUM_VALUE(double, scalar, DATUM_SCALAR)
DATUM_VALUE(bool, logical, DATUM_LOGICAL)
DATUM_VALUE(const char *, string, DATUM_STRING)

int nnefc_datum_count(const struct nnefc_datum *datum)
{
    bool has_items = is_kind(datum, DATUM_ARRAY) || is_kind(datum, DATUM_TUPLE);

    return has_items ? handle_datum(datum)->count : 0;
}

const struct nnefc_datum *nnefc_datum_item(const struct nnefc_datum *datum, int index)
{
    if (index < 0 || index >= nnefc_datum_count(datum))
        return NULL;
    return datum_handle(&handle_datum(datum)->items[index]);
}

/* --- operands and results ------------------------------------------------------------------ */

#define COUNT(of, what, count)                                     \
    int nnefc_##of##_##what##_count(const struct nnefc_##of *call) \
    {                                                              \
        return call ? (int)handle_##of(call)->count : 0;           \
    }
COUNT(infer, operand, nin)
COUNT(infer, result, nout)
COUNT(eval, operand, node->nin)
COUNT(eval, result, node->nout)

/* --- shapes ------------------------------------------------------------------------------- */

/* The rank of an operand is unknown behind an operation without a shape rule. */
struct nnefc_type nnefc_infer_operand(const struct nnefc_infer *infer, int index)
{
    const struct infer *ours = handle_infer(infer);

    if (!ours || index < 0 || index >= ours->nin)
        return unknown_type();
    const struct value *value = ours->call->in[index].value;
    return type_of((enum dtype)value->dtype, value->shape);
}

const struct nnefc_datum *nnefc_infer_attribute(const struct nnefc_infer *infer, const char *name)
{
    const struct infer *ours = handle_infer(infer);

    return ours ? find_attribute(ours->call->op, ours->attrs, name) : NULL;
}

/* Whatever is wrong with the shape is reported at the line of the invocation. */
bool nnefc_infer_set_shape(struct nnefc_infer *infer, int result, int rank, const int64_t *extents)
{
    const struct infer *ours = handle_infer(infer);
    struct shape shape = {.rank = rank};

    if (!ours)
        return false;
    if (result < 0 || result >= ours->nout)
        return infer_error(ours, NULL, DIAG_CUSTOM, "'%s' has no result %d to give a shape",
                           ours->call->op->name, result);
    if (rank < 0 || rank > MAX_RANK)
        return infer_error(ours, NULL, DIAG_CUSTOM,
                           "'%s' makes a tensor of rank %d, expected 0 to %d", ours->call->op->name,
                           rank, MAX_RANK);
    if (rank > 0 && !extents)
        return infer_error(ours, NULL, DIAG_CUSTOM, "'%s' makes a tensor without extents",
                           ours->call->op->name);
    for (int i = 0; i < rank; i++) {
        shape.extent[i] = extents[i];
        if (extents[i] < 0)
            return infer_error(ours, NULL, DIAG_CUSTOM, "'%s' makes a tensor of negative extent",
                               ours->call->op->name);
    }
    ours->out[result] = shape;
    return true;
}

bool nnefc_infer_error(const struct nnefc_infer *infer, const char *parameter, const char *text)
{
    return infer &&
           infer_error(handle_infer(infer), parameter, DIAG_CUSTOM, "%s", text ? text : "");
}

/* --- values ------------------------------------------------------------------------------- */

const struct nnefc_tensor *nnefc_eval_operand(const struct nnefc_eval *eval, int index)
{
    if (index < 0 || index >= nnefc_eval_operand_count(eval))
        return NULL;
    return tensor_handle(handle_eval(eval)->in[index]);
}

const struct nnefc_datum *nnefc_eval_attribute(const struct nnefc_eval *eval, const char *name)
{
    const struct eval *ours = handle_eval(eval);

    return ours ? find_attribute(ours->node->op, ours->attrs, name) : NULL;
}

/* It was allocated by the shape that was set, and may be written to. */
struct nnefc_tensor *nnefc_eval_result(const struct nnefc_eval *eval, int index)
{
    if (index < 0 || index >= nnefc_eval_result_count(eval))
        return NULL;
    return (struct nnefc_tensor *)handle_eval(eval)->out[index];
}

bool nnefc_eval_error(const struct nnefc_eval *eval, const char *text)
{
    return eval && eval_error(handle_eval(eval), DIAG_CUSTOM, "%s", text ? text : "");
}
