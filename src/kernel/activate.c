/* activate.c - activations, LANES items at once */
#include "kernel/activate.h"

#include "kernel/curve.h"

#include <assert.h>

ALWAYS_INLINE vec hard_sigmoid(vec x, float slope, float offset)
{
    return vec_max(vec_all(0), vec_min(vec_all(1), x * slope + offset));
}

/* Expanded for each activation, so that its constants stay in registers. */
ALWAYS_INLINE void apply_to_all(vec (*f)(vec x, float low, float high), const struct epilogue *e,
                                float *items, int64_t count)
{
    float low = e->low, high = e->high;
    int64_t i = 0;

    for (; i + LANES <= count; i += LANES)
        vec_store(items + i, f(vec_load(items + i), low, high));
    if (i == count)
        return;
    int rest = (int)(count - i);
    vec_store_some(items + i, f(vec_load_some(items + i, rest), low, high), rest);
}

#define ACTIVATION(kind, formula)                                                 \
    ALWAYS_INLINE vec kind##_of(vec x, float low, float high)                     \
    {                                                                             \
        (void)low, (void)high;                                                    \
        return formula;                                                           \
    }                                                                             \
    static void kind##_all(const struct epilogue *e, float *items, int64_t count) \
    {                                                                             \
        apply_to_all(kind##_of, e, items, count);                                 \
    }
#include "kernel/activation.def"
#undef ACTIVATION

void KERNEL(activate)(const struct epilogue *epilogue, float *items, int64_t count)
{
    static activate_items *const all[] = {
#define ACTIVATION(kind, formula) [ACTIVATION_##kind] = kind##_all,
#include "kernel/activation.def"
#undef ACTIVATION
    };

    assert(count >= 0 && epilogue->activation < sizeof all / sizeof all[0]);
    if (epilogue->activation != ACTIVATION_NONE)
        all[epilogue->activation](epilogue, items, count);
}
