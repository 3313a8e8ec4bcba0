/* import_norm.c - batch normalization; others are compositions of stdlib/onnx.nnef */
#include "convert/onnx/import_make.h"

/* As when running: statistics are inputs, and the operands of NNEF stand in another order. */
struct imported *import_batch_normalization(struct translation *t)
{
    struct imported *in[5] = {input_at(t, 0)};
    static const int order[] = {0, 3, 4, 2, 1}; /* mean, variance, offset, scale */

    if (get_int(t, "training_mode", 0) || (t->opset < 7 && !get_int(t, "is_test", 0)))
        return import_unsupported(t, "normalizes as in training");
    for (int i = 1; i < t->nout; i++)
        if (wants_output(t, i))
            return import_unsupported(t, "gives output %d, as in training", i);
    if (!get_int(t, "spatial", 1))
        return import_unsupported(t, "has statistics for each item, as before opset 9");
    for (int i = 1; i < 5; i++)
        in[i] = per_channel(t, input_at(t, order[i]), 2);
    return make_all(t, OP_SPEC(batch_normalization, .epsilon = get_float(t, "epsilon", 1e-5)), in,
                    5);
}
