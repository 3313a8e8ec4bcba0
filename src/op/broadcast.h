/*
 * broadcast.h - what elementwise operations share (NNEF 1.0.5, section 4.2)
 *
 * Operands of different shapes are aligned at dimension 0; the shorter shape continues with 1,
 * and an extent of 1 repeats.
 */
#ifndef NNEFC_OP_BROADCAST_H
#define NNEFC_OP_BROADCAST_H

#include "op/op.h"

/* --- shape rules ------------------------------------------------------------------------ */

/* The result has the shape of the first operand. */
bool infer_same(struct infer *infer);

/* The result has the shape that all operands broadcast to. */
bool infer_broadcast(struct infer *infer);

/* The result has the shape of operand 0; the others broadcast to it and do not widen it. */
bool infer_parameters(struct infer *infer);

/* Operand `index` broadcasts to `to` and does not widen it. */
bool infer_broadcasts_to(const struct infer *infer, int index, const struct shape *to);

/* Equal shapes; in the provisional dialect, where rank ignores them, but for trailing ones. */
bool infer_equal(const struct infer *infer, const struct shape *a, const struct shape *b);

/* `shape` without trailing ones, then with as many as bring it to `rank`. */
struct shape shape_with_rank(const struct shape *shape, int rank);

/* --- kernels ---------------------------------------------------------------------------- */

enum { WALK_OPERANDS = 5, RUN_ITEMS = 256 };

/*
 * The items of a result in row-major order, cut into runs along which every operand advances by
 * a fixed step.
 */
struct walk {
    int noperand, rank;                      /* rank after merging of dimensions; at least 1 */
    int64_t extent[MAX_RANK];                /* of the merged dimensions of the result */
    int64_t stride[WALK_OPERANDS][MAX_RANK]; /* in items; 0 where the operand repeats */
    int64_t pieces;                          /* runs per row of the last dimension */
    int64_t runs;                            /* in all */
};

/* Items first, first + 1, .. of the result, and where each operand has those that they are made
 * of: item n of the run at `at` + n * `step`. */
struct item_run {
    int64_t first;
    int64_t count; /* at most RUN_ITEMS */
    int64_t at[WALK_OPERANDS], step[WALK_OPERANDS];
};

/* Every operand broadcasts to `result`; at most WALK_OPERANDS of them. */
void walk_init(struct walk *walk, const struct shape *result, const struct tensor *const *operand,
               int noperand);

/* Call `each` for every run; threads share the runs (see compute.h). */
typedef void walk_each(const void *data, const struct item_run *run);
void walk_share(const struct eval *eval, const struct walk *walk, walk_each *each,
                const void *data);

/* The items of one run as doubles. */
struct items {
    const struct eval *eval;
    int64_t count;
    double in[WALK_OPERANDS][RUN_ITEMS];
    double out[RUN_ITEMS];
};

/* Every result has the items of the last operand, in their order, and so its volume. */
bool eval_copy(const struct eval *eval);

/* Compute result 0 from all operands; `apply` fills items->out. */
bool eval_elementwise(const struct eval *eval, int noperand, void (*apply)(struct items *items));

/* The same by what the operator's descriptor has: a kernel for a run, or a function of an item. */
bool eval_items(const struct eval *eval);

/*
 * A row of a list of operators on one operand: defines the function of an item, of which `formula`
 * is the value for `x`, and the descriptor.  `more` are traits; the last argument is the range of
 * the results, an OP_RANGE(), or NULL for any number.
 */
#define UNARY(operator, formula, more, ...)                                                        \
    static double operator##_of(double x)                                                          \
    {                                                                                              \
        return (formula);                                                                          \
    }                                                                                              \
    DESCRIPTOR(operator,(more) | OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT, .infer = infer_same, \
               .eval = eval_items, .unary = operator##_of, .expression = #formula,                 \
               .range = __VA_ARGS__)

#endif
