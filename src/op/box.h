/* box.h - sums over windows for other operations (section 4.3.2) */
#ifndef NNEFC_OP_BOX_H
#define NNEFC_OP_BOX_H

#include "op/window.h"

struct box {
    struct window window;
    bool normalize; /* divide by the volume of the window, without what 'ignore' leaves out */
    bool rms;       /* root of the sum of squares instead of the sum */
};

/* From eval->in[0] to eval->out[0]. */
bool box_run(const struct eval *eval, const struct box *box);

#endif
