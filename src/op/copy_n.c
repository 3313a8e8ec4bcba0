/* copy_n.c - several copies of a tensor, kept whole (NNEF 1.0.5, section 4.9.6) */
#include "op/op.h"

#include <assert.h>
#include <string.h>

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

    assert(eval->node->nin == 1);
    for (uint32_t i = 0; size > 0 && i < eval->node->nout; i++)
        memcpy(eval->out[i]->data, eval->in[0]->data, size);
    return true;
}

const struct op_desc op_copy_n = {
    OP_SIGNATURE(copy_n, OP_PARTIAL),
    .infer = copy_n_infer,
    .eval = copy_n_eval,
};
