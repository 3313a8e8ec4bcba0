/* bytes_put.h - what becomes of the sums of a layer of bytes, see enum byte_result */
#ifndef NNEFC_KERNEL_BYTES_PUT_H
#define NNEFC_KERNEL_BYTES_PUT_H

#include "kernel/bytes.h"
#include "kernel/pairs.h"

/* Where sums of some neighbouring channels go: the result from item `at` on, factors from `padded`
 * on, `count` of them. */
struct place {
    int64_t at, padded;
    int count;
};

ALWAYS_INLINE void put_sums(const struct byte_layer *layer, const struct byte_operands *operands,
                            ints sums, struct place place)
{
    const struct byte_target *to = &layer->to;

    if (layer->result == RESULT_SUMS) {
        for (int i = 0; i < place.count; i++)
            ((int64_t *)operands->dst)[place.at + i] = sums[i];
        return;
    }
    vec steps = vec_of_ints(sums) * vec_load(operands->factor + place.padded);
    if (layer->result == RESULT_NUMBERS) {
        vec_store_most((float *)operands->dst + place.at, steps, place.count);
        return;
    }
    steps = vec_min(vec_max(steps, vec_all(to->low)), vec_all(to->high));
    bytes_store((uint8_t *)operands->dst + place.at, ints_round(steps) + to->zero, place.count);
}

#endif
