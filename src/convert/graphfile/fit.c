/* fit.c - checks operands and attributes of a file against signatures; see read.h */
#include "convert/graphfile/read.h"

#include "op/op.h"

#include <assert.h>

/* --- operands ------------------------------------------------------------------------------- */

/* Has the value the item type that a tensor type declares?  Without one, any will do. */
static bool has_type(const struct value *value, const struct type *tensor, enum dtype generic)
{
    const struct type *item = tensor->item;

    if (!item || item->kind == TYPE_POISON)
        return true;
    return value->dtype == (item->kind == TYPE_GENERIC ? generic : type_dtype(item));
}

/* How many operands a parameter has: an array of tensors gets all that the later ones leave. */
static int operands_of(const struct signature *s, int parameter, const struct op_call *call,
                       int done)
{
    int left = call->nin - done;

    if (s->params[parameter].type->kind != TYPE_ARRAY)
        return 1;
    for (int i = parameter + 1; i < s->nparam; i++)
        left -= s->params[i].type->has_tensor;
    return left;
}

bool fit_operands(const struct signature *signature, const struct op_call *call)
{
    bool ok = !signature->generic || dtype_size(call->generic) > 0;
    int done = 0;

    assert(call->op && call->nin >= 0);
    for (int i = 0; i < signature->nparam && ok; i++) {
        const struct type *type = signature->params[i].type;
        if (!type->has_tensor)
            continue;
        int count = operands_of(signature, i, call, done);
        ok = count >= 0 && count <= call->nin - done;
        for (int k = 0; ok && k < count; k++)
            ok = has_type(call->in[done + k].value, type->kind == TYPE_ARRAY ? type->item : type,
                          call->generic);
        done += count;
    }
    /* An update writes to its first operand, so that must be a variable. */
    return ok && done == call->nin &&
           (!(call->op->traits & OP_EFFECT) || call->in[0].value->kind == VALUE_VARIABLE);
}

/* --- attributes ----------------------------------------------------------------------------- */

/* Items of arrays and tuples are checked, too; read_datum() bounds how deep they are nested. */
static bool has_kind(const struct datum *datum, const struct type *type)
{
    bool ok = true;

    assert(type);
    switch (type->kind) {
    case TYPE_INTEGER:
        return datum->kind == DATUM_INTEGER;
    case TYPE_SCALAR:
        return datum->kind == DATUM_SCALAR;
    case TYPE_LOGICAL:
        return datum->kind == DATUM_LOGICAL;
    case TYPE_STRING:
        return datum->kind == DATUM_STRING;
    case TYPE_ARRAY:
        for (int i = 0; ok && datum->kind == DATUM_ARRAY && i < datum->count; i++)
            ok = has_kind(&datum->items[i], type->item);
        return ok && datum->kind == DATUM_ARRAY;
    case TYPE_TUPLE:
        ok = datum->kind == DATUM_TUPLE && datum->count == type->count;
        for (int i = 0; ok && i < type->count; i++)
            ok = has_kind(&datum->items[i], type->items[i]);
        return ok;
    case TYPE_POISON:
    case TYPE_GENERIC:
    case TYPE_TENSOR:
    case TYPE_EMPTY_ARRAY:
        break;
    }
    return false;
}

bool fit_attr(const struct signature *signature, const struct op_attr *attr,
              const struct datum *datum)
{
    for (int i = 0; i < signature->nparam; i++)
        if (signature->params[i].attr == attr)
            return has_kind(datum, signature->params[i].type);
    return false;
}
