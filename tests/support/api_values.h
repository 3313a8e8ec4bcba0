/*
 * api_values.h - values of every type that public functions take, good and bad ones
 *
 * The calls that tools/api_calls.awk makes of the public headers take their arguments here.  Value
 * 0 of a type is a good one; of a pointer value 1 is NULL; of an enumeration values 1 to 4 are none
 * of its numbers, and of an int values 1 to 3 are no index.  Whatever a call needs is made for it
 * and freed behind it.
 */
#ifndef NNEFC_TESTS_SUPPORT_API_VALUES_H
#define NNEFC_TESTS_SUPPORT_API_VALUES_H

#include "nnefc/nnefc.h"

/* --- values ------------------------------------------------------------------------------- */

/* KIND(name in capitals, name, type of C, number of values, whether it is a pointer) */
#define GIVEN_KINDS(KIND)                                                        \
    KIND(BOOL, bool, bool, 2, false)                                             \
    KIND(CATALOGUE, catalogue, struct nnefc_catalogue *, 2, true)                \
    KIND(CUSTOM_OP, custom_op, const struct nnefc_custom_op *, 3, true)          \
    KIND(DATUM, datum, const struct nnefc_datum *, 4, true)                      \
    KIND(DIFFERENCE_OUT, difference_out, struct nnefc_difference *, 2, true)     \
    KIND(DIFF, diff, struct nnefc_diff *, 2, true)                               \
    KIND(DIFF_OPTIONS, diff_options, const struct nnefc_diff_options *, 4, true) \
    KIND(EMIT_C, emit_c, const struct nnefc_emit_c *, 5, true)                   \
    KIND(ENUM, enum, int, 8, false)                                              \
    KIND(EVAL, eval, const struct nnefc_eval *, 2, true)                         \
    KIND(EXTENTS, extents, const int64_t *, 4, true)                             \
    KIND(EXTRACT, extract, const struct nnefc_extract *, 6, true)                \
    KIND(EDIT, edit, const struct nnefc_edit *, 6, true)                         \
    KIND(HOOKS, hooks, const struct nnefc_hooks *, 3, true)                      \
    KIND(IMAGE, image, const struct nnefc_image *, 5, true)                      \
    KIND(INFER, infer, struct nnefc_infer *, 2, true)                            \
    KIND(INT, int, int, 6, false)                                                \
    KIND(INT64, int64, int64_t, 5, false)                                        \
    KIND(INT_OUT, int_out, int *, 2, true)                                       \
    KIND(ITEMS, items, const void *, 2, true)                                    \
    KIND(MODEL, model, struct nnefc_model *, 7, true)                            \
    KIND(ONNX, onnx, const struct nnefc_onnx *, 8, true)                         \
    KIND(OUTPUT_FILE, output_file, const struct nnefc_output_file *, 4, true)    \
    KIND(PROGRESS, progress, nnefc_progress, 2, true)                            \
    KIND(QUANTIZE, quantize, const struct nnefc_quantize *, 6, true)             \
    KIND(REAL, real, double, 5, false)                                           \
    KIND(RESULTS, results, struct nnefc_results *, 2, true)                      \
    KIND(REWRITE, rewrite, const struct nnefc_rewrite *, 4, true)                \
    KIND(RUN, run, struct nnefc_run *, 8, true)                                  \
    KIND(RUN_OPTIONS, run_options, const struct nnefc_run_options *, 5, true)    \
    KIND(SEED, seed, uint64_t, 2, false)                                         \
    KIND(SIZE, size, size_t, 4, false)                                           \
    KIND(SIZE_OUT, size_out, size_t *, 2, true)                                  \
    KIND(STREAM, stream, FILE *, 2, true)                                        \
    KIND(STRING, string, const char *, 7, true)                                  \
    KIND(STRINGS, strings, const char *const *, 3, true)                         \
    KIND(TENSOR, tensor, struct nnefc_tensor *, 4, true)                         \
    KIND(TEXT_OUT, text_out, char **, 2, true)                                   \
    KIND(TOLERANCE, tolerance, const struct nnefc_tolerance *, 4, true)          \
    KIND(TYPE, type, const struct nnefc_type *, 7, true)                         \
    KIND(TYPE_OUT, type_out, struct nnefc_type *, 2, true)                       \
    KIND(USER, user, void *, 2, true)

#define KIND(CAPITALS, name, type, count, pointer) GIVEN_##CAPITALS,
enum given_kind { GIVEN_KINDS(KIND) GIVEN_COUNT };
#undef KIND

/* What the arguments of one call are made of; zeroed, and with `writes` before the call. */
struct world {
    bool writes; /* the good path is one to write to */
    bool freed;  /* by the call: the handle that it was given first */
    struct nnefc_model *model, *other;
    struct nnefc_diff *diff;
    struct nnefc_run *run, *other_run; /* the latter of `other` */
    struct nnefc_tensor *tensor;
    struct nnefc_results *results;
    struct nnefc_catalogue *catalogue;
    struct nnefc_infer *infer; /* within a shape rule; else NULL */
    const struct nnefc_eval *eval;
    FILE *stream;
    char *text;
    size_t size;
    int number;
    struct nnefc_difference difference;
    struct nnefc_type type;
    union {
        struct nnefc_hooks hooks;
        struct nnefc_image image;
        struct nnefc_onnx onnx;
        struct nnefc_rewrite rewrite;
        struct nnefc_quantize quantize;
        struct nnefc_extract extract;
        struct nnefc_edit edit;
        struct nnefc_emit_c emit_c;
        struct nnefc_diff_options diff_options;
        struct nnefc_run_options run_options;
        struct nnefc_custom_op custom_op;
        struct nnefc_tolerance tolerance;
    } options;
};

/* The value of that number. */
#define KIND(CAPITALS, name, type, count, pointer) type given_##name(struct world *world, int pick);
GIVEN_KINDS(KIND)
#undef KIND

int given_count(enum given_kind kind);
bool given_is_pointer(enum given_kind kind);

/* Write what good paths lead to into the working folder; undo all that was written. */
void world_prepare(void);
void world_free(struct world *world);

/* --- results ------------------------------------------------------------------------------ */

/* What a call gave. */
struct answer {
    enum nnefc_status status; /* NNEFC_OK unless the function returns one */
    bool nothing;             /* 0, -1, false, NaN, NULL, an empty list or text, an unknown rank */
    bool broken;              /* a list or record that is NULL */
};

void answer_status(struct answer *answer, enum nnefc_status status);
void answer_number(struct answer *answer, int64_t number);
void answer_real(struct answer *answer, double number);
void answer_text(struct answer *answer, const char *text);
void answer_owned_text(struct answer *answer, char *text);
void answer_pointer(struct answer *answer, const void *pointer);
void answer_list(struct answer *answer, const void *list);
void answer_record(struct answer *answer, const void *record);
void answer_type(struct answer *answer, struct nnefc_type type);
void answer_source(struct answer *answer, struct nnefc_text text);
void answer_plans(struct answer *answer, struct nnefc_plans plans);
void answer_layers(struct answer *answer, struct nnefc_layers layers);

/* They free what was made. */
void answer_new_model(struct answer *answer, struct nnefc_model *model);
void answer_new_run(struct answer *answer, struct nnefc_run *run);
void answer_new_tensor(struct answer *answer, struct nnefc_tensor *tensor);
void answer_new_results(struct answer *answer, struct nnefc_results *results);
void answer_new_diff(struct answer *answer, struct nnefc_diff *diff);
void answer_new_catalogue(struct answer *answer, struct nnefc_catalogue *catalogue);

#endif
