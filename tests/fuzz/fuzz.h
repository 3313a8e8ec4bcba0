/*
 * fuzz.h - what the targets of the fuzzer share; docs/fuzzing.md says how to run and add them
 *
 * A target is one file fuzz_NAME.c with LLVMFuzzerTestOneInput() in it.  Linked with libFuzzer it
 * is given inputs without end, linked with replay.c those of tests/fuzz/corpus/NAME.
 */
#ifndef NNEFC_TESTS_FUZZ_FUZZ_H
#define NNEFC_TESTS_FUZZ_FUZZ_H

#include "base/text.h"
#include "diag/context.h"
#include "file/file.h"
#include "file/out.h"
#include "tensor/tensor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NOLINTBEGIN(readability-identifier-naming): names of libFuzzer's */

/* Do everything there is to do with the input.  Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Change the input, at `data` with room for `room` bytes, in place; its new size.  A target has
 * one if most changes of bytes make inputs that are refused at the door. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

/* Make one input of two, likewise. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t room, unsigned seed);

/* libFuzzer's own changes. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

/* NOLINTEND(readability-identifier-naming) */

/* Limits that keep what an input may cost in the milliseconds. */
extern const struct limits fuzz_limits;

/* A compilation with these limits, and its end: every report is printed, nowhere, and must be about
 * a place in a text. */
struct context *fuzz_context(void);
void fuzz_context_free(struct context *context);

/* What holds for every input; unless it does, the process is ended. */
void fuzz_expect(bool holds, const char *what);

/* A copy of the input with nothing behind it, to be closed. */
struct file_view fuzz_view(const uint8_t *data, size_t size);

/* A sink that adds to a text. */
struct sink fuzz_sink(struct text *to);

/* Whether both hold the same; one NaN is as good as another. */
bool fuzz_same_tensor(const struct tensor *a, const struct tensor *b);

struct fuzz_text {
    const char *data;
    size_t size;
};
struct graph;
struct lower_options;
struct run;

/* The graph of a text; NULL after reports.  `quant`, which may be NULL, is the text of its
 * quantization file, which goes into *options. */
struct graph *fuzz_lower(struct context *context, const struct fuzz_text *document,
                         const struct fuzz_text *quant, struct lower_options *options);

/* A graph is sound and can be printed. */
void fuzz_inspect(struct graph *graph);

/* Data for each variable of a graph, in *weights; false if there is none for some.  Either way it
 * is freed by fuzz_weights_clear(), which is told how many variables there were. */
bool fuzz_weights(const struct graph *graph, struct tensor **weights);
void fuzz_weights_clear(struct tensor *weights, int count);

/* Data for each parameter; false if there is none for some. */
bool fuzz_feed(struct run *run, const struct graph *graph);

/* Check, lower and run a text, in both ways there are to expand it. */
void fuzz_compile(const struct fuzz_text *document, const struct fuzz_text *quant, bool expand_all);

/* LLVMFuzzerCustomMutator() for texts: by lines, words and numbers; words are those of the
 * library, too. */
size_t fuzz_mutate_text(uint8_t *data, size_t size, size_t room, unsigned seed);

/* LLVMFuzzerCustomCrossOver() for texts. */
size_t fuzz_cross_text(const struct fuzz_text *a, const struct fuzz_text *b, uint8_t *out,
                       size_t room, unsigned seed);

#endif
