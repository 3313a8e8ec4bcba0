/* export_random.c - random numbers in ONNX */
#include "convert/onnx/export_rules.h"
#include "convert/proto/onnx.h"
#include "tensor/bytes.h"

#include <inttypes.h>
#include <math.h>

int64_t onnx_seed(float seed)
{
    return seed >= 0 && seed < 0x1p53F && seed == floorf(seed) ? (int64_t)seed
                                                               : bits_of_float(seed);
}

/* The float that stands for a seed; false: there is none. */
static bool find_seed(int64_t seed, float *number)
{
    const float candidates[] = {(float)seed, float_of_bits((uint32_t)seed)};

    for (int i = 0; i < 2; i++) {
        *number = candidates[i];
        if (isfinite(*number) && onnx_seed(*number) == seed)
            return true;
    }
    return false;
}

const char *export_random(const struct emit *e)
{
    const struct random_attrs *attrs = e->attrs;
    bool even = e->node->op->id == OP_random_uniform;
    float seed = 0;

    if (attrs->seed >= 0 && !find_seed(attrs->seed, &seed)) {
        emit_refuse(e, "has seed %" PRId64 ", for which no float stands", attrs->seed);
        return NULL;
    }
    const char *y = emit_list(e, e->type, NULL, 0);
    emit_attr_int(e, "dtype", ONNX_FLOAT);
    emit_attr_float(e, even ? "low" : "mean", even ? attrs->low : attrs->mean);
    emit_attr_float(e, even ? "high" : "scale", even ? attrs->high : attrs->scale);
    if (attrs->seed >= 0)
        emit_attr_float(e, "seed", (double)seed);
    emit_attr_ints(e, "shape", attrs->shape.item, attrs->shape.count);
    return y;
}
