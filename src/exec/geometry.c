/* geometry.c - see geometry.h */
#include "exec/geometry.h"

#include <assert.h>

bool is_image(const struct shape *in, const struct shape *out)
{
    int sliding = out->rank - FIRST_SLIDING;

    return in->rank == out->rank && sliding >= 1 && sliding <= MOST_SLIDING;
}

/* That of one tap reaches nothing, whatever it is. */
static int64_t dilation_of(const struct window_dim *dim)
{
    return dim->size > 1 ? dim->dilation : 1;
}

struct conv geometry_of(const struct window *window, const struct shape *in,
                        const struct shape *out)
{
    const struct window_dim nothing = {1, 1, 1, 1, 1, 0, 0, 1};
    const struct window_dim *x = &window->dim[window->rank - 1];
    const struct window_dim *y = out->rank > FIRST_SLIDING + 1 ? x - 1 : &nothing;
    struct plane from = {y->in, x->in}, to = {y->out, x->out};

    assert(is_image(in, out) && window->rank >= out->rank - FIRST_SLIDING);
    return (struct conv){.batch = out->extent[0],
                         .in_channels = in->extent[1],
                         .out_channels = out->extent[1],
                         .in = from,
                         .out = to,
                         .kernel = {y->size, x->size},
                         .stride = {y->stride, x->stride},
                         .dilation = {dilation_of(y), dilation_of(x)},
                         .before = {y->before, x->before},
                         .src = steps_dense(in->extent[1], from),
                         .dst = steps_dense(out->extent[1], to)};
}

bool image_steps(const struct strided_view *view, const struct shape *shape, struct steps *steps)
{
    int x = shape->rank - 1;
    int64_t row =
        x > FIRST_SLIDING ? view->stride[FIRST_SLIDING] : view->stride[x] * shape->extent[x];

    assert(shape->rank > FIRST_SLIDING);
    if (shape->extent[1] > 1 && view->stride[1] != 1)
        return false;
    *steps = (struct steps){view->stride[x], row, view->stride[0]};
    return true;
}

bool window_is_exceeded(const struct window *window)
{
    bool exceeds = false;

    assert(window->rank <= MAX_RANK);
    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        int64_t reach = (dim->out - 1) * dim->stride + (dim->size - 1) * dim->dilation;
        exceeds |= dim->before > 0 || reach - dim->before >= dim->in;
    }
    return exceeds;
}
