/*
 * bytes_put.h - what becomes of the sums of a layer of bytes, see enum byte_result
 *
 * Stores of bytes may change whatever is in memory, as far as a compiler knows: what loops need is
 * held in variables.
 */
#ifndef NNEFC_KERNEL_BYTES_PUT_H
#define NNEFC_KERNEL_BYTES_PUT_H

#include "kernel/bytes.h"
#include "kernel/pairs.h"

struct byte_sink {
    enum byte_result result;
    vec low, high;
    ints zero;
    const float *factor;
    void *dst;
};

ALWAYS_INLINE struct byte_sink sink_of(const struct byte_layer *layer,
                                       const struct byte_operands *operands)
{
    return (struct byte_sink){layer->result,           vec_all(layer->to.low),
                              vec_all(layer->to.high), ints_all(layer->to.zero),
                              operands->factor,        operands->dst};
}

/* Sums of `count` neighbouring channels by their factors become the result from item `at` on. */
ALWAYS_INLINE void put_steps(struct byte_sink sink, vec steps, int64_t at, int count)
{
    if (sink.result == RESULT_NUMBERS) {
        vec_store_most((float *)sink.dst + at, steps, count);
        return;
    }
    steps = vec_min(vec_max(steps, sink.low), sink.high);
    if (sink.result == RESULT_WORDS)
        words_store((uint16_t *)sink.dst + at, ints_round(steps) + sink.zero, count);
    else
        bytes_store((uint8_t *)sink.dst + at, ints_round(steps) + sink.zero, count);
}

/* Sums of `count` neighbouring channels become the result from item `at` on; their factors are from
 * `padded` on. */
ALWAYS_INLINE void put_sums(struct byte_sink sink, ints sums, int64_t at, int64_t padded, int count)
{
    if (sink.result == RESULT_SUMS) {
        for (int i = 0; i < count; i++)
            ((int64_t *)sink.dst)[at + i] = sums[i];
        return;
    }
    put_steps(sink, vec_of_ints(sums) * vec_load(sink.factor + padded), at, count);
}

#endif
