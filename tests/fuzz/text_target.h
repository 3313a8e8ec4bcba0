/* text_target.h - for a target whose inputs are texts: how the fuzzer changes them */
#ifndef NNEFC_TESTS_FUZZ_TEXT_TARGET_H
#define NNEFC_TESTS_FUZZ_TEXT_TARGET_H

#include "fuzz/fuzz.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    return fuzz_mutate_text(data, size, room, seed);
}

/* NOLINTNEXTLINE(readability-function-size): libFuzzer's */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t room, unsigned seed)
{
    return fuzz_cross_text(&(struct fuzz_text){(const char *)a, a_size},
                           &(struct fuzz_text){(const char *)b, b_size}, out, room, seed);
}

#endif
