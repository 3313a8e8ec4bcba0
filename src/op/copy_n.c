/* copy_n.c - several copies of a tensor, kept whole (NNEF 1.0.5, section 4.9.6) */
#include "op/op_families.h"

#include <string.h>

struct copy_n_attrs {
    int64_t times;
};

static const struct op_attr copy_n_fields[] = {
    {OP_ATTR(copy_n_attrs, times), .kind = ATTR_INTEGER, OP_AT_LEAST(1)},
    {0},
};

static bool copy_n_infer(struct infer *infer)
{
    const struct copy_n_attrs *attrs = infer->attrs;

    if (!infer_results(infer, attrs->times))
        return false;
    for (int i = 0; i < infer->nout; i++)
        infer->out[i] = *infer_in(infer, 0);
    return true;
}

static bool copy_n_eval(const struct eval *eval)
{
    size_t size = tensor_bytes(eval->in[0]);

    for (uint32_t i = 0; size > 0 && i < eval->node->nout; i++)
        memcpy(eval->out[i]->data, eval->in[0]->data, size);
    return true;
}

const struct op_desc op_copy_n = {
    .name = "copy_n",
    .attrs = copy_n_fields,
    .attrs_size = sizeof(struct copy_n_attrs),
    .traits = OP_PARTIAL,
    .result = {OP_RESULT_GENERIC},
    .infer = copy_n_infer,
    .eval = copy_n_eval,
};
