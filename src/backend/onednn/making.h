/* making.h - the operators that are done by oneDNN; see exec/backend.h */
#ifndef NNEFC_BACKEND_ONEDNN_MAKING_H
#define NNEFC_BACKEND_ONEDNN_MAKING_H

#include "backend/onednn/fused.h"
#include "op/window.h"

/* conv and deconv. */
unsigned convolution_layouts(const struct planner *planner, const struct task *task);
bool convolution_make(struct planner *planner, const struct task *task, struct step *step);

/* max_pool, avg_pool, box that is normalized, means over all of a picture. */
unsigned pool_layouts(const struct planner *planner, const struct task *task);
bool pool_make(struct planner *planner, const struct task *task, struct step *step);

/* matmul and linear. */
unsigned product_layouts(const struct planner *planner, const struct task *task);
bool product_make(struct planner *planner, const struct task *task, struct step *step);

/* What the makers have in hand. */
struct making {
    struct planner *planner;
    const struct task *task;
    struct step *step;
    struct work *work;
    struct operands on;
    int threads_before; /* of the library, for this thread */
};

/* False, with nothing made, if there is not enough memory. */
bool making_begin(struct making *making, struct planner *planner, const struct task *task,
                  struct step *step);

/* A constant, which lies as `from` says, as an argument of that name that lies as `to` says.  False after
 * a report, or silently. */
bool making_pack(struct making *making, int name, const struct value *value, const struct md *from,
                 const struct md *to);

/* A constant of one number, or of `count`, as the bias, a vector of `count` as `md` says. */
bool making_bias(struct making *making, const struct value *value, int64_t count,
                 const struct md *md);

/* The operations that are fused, after `operands` of the primitive's own; see fused.h. */
dnnl_primitive_attr_t making_attributes(struct making *making, int operands);

/* Input and result, operand 0 and result 0 of the step, as arguments. */
bool making_input_output(struct making *making);

/* What windows reach behind the last of `large` coordinates, when there are `small` of them. */
int64_t padding_after(const struct window_dim *dim, int64_t small, int64_t large);

/* Ends the making: gives everything back unless `ok`, which it returns. */
bool making_end(struct making *making, bool ok);

#endif
