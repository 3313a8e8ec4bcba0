/* pool.h - maxima over windows for other operations (section 4.9.3) */
#ifndef NNEFC_OP_POOL_H
#define NNEFC_OP_POOL_H

#include "op/to_onnx.h"
#include "op/window.h"

/* In ONNX, maxima of `x` over a window without padding that covers all its dimensions. */
const char *emit_maxima(const struct emit *e, int result, const char *x,
                        const struct window *window);

#endif
