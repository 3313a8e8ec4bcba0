/* box.h - sums over windows for other operations (section 4.3.2) */
#ifndef NNEFC_OP_BOX_H
#define NNEFC_OP_BOX_H

#include "op/window.h"

struct emit;

struct box {
    struct window window;
    bool normalize; /* divide by the volume of the window, without what 'ignore' leaves out */
    bool rms;       /* root of the sum of squares instead of the sum */
};

/* From eval->in[0] to eval->out[0]. */
bool box_run(const struct eval *eval, const struct box *box);

/* The same in ONNX: sums of `x`, or means, over a window that covers all its dimensions. */
const char *emit_box(const struct emit *e, int result, const char *x, const struct window *window,
                     bool normalize);

#endif
