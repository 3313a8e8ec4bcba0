/* export_box.c - sums and means of sliding windows (NNEF 1.0.5, sections 4.3.2 and 4.9.3) */
#include "convert/onnx/export_rules.h"
#include "convert/onnx/export_window.h"

#include <assert.h>
#include <math.h>

/* AveragePool can: it has dilations since opset 19, and less padding than its window is large. */
static bool averages(const struct emit *e, const struct window *window)
{
    for (int i = 0; i < window->rank; i++)
        if (window->dim[i].size > 1 && window->dim[i].dilation > 1 && e->opset < 19)
            return false;
    return window_pads_fit(window);
}

/* Cells of the padding count, but for border 'ignore'. */
static const char *slide_average(const struct window_view *view, const char *x)
{
    const char *y = emit(view->e, "AveragePool", x, NULL);

    emit_window_attrs(view->e, &view->window);
    emit_attr_int(view->e, "count_include_pad", view->window.border != BORDER_IGNORE);
    return y;
}

/* Convolution of each channel with a window of equal weights. */
static const char *slide_weights(const struct window_view *view, const char *x, double weight)
{
    const struct emit *e = view->e;
    struct shape shape = {.rank = 2, .extent = {view_channels(view), 1}};
    float *items;

    for (int i = 0; i < view->window.rank; i++)
        shape.extent[shape.rank++] = view->window.dim[i].size;
    items = emit_room(e, shape_volume(&shape), sizeof *items);
    for (int64_t i = 0; i < shape_volume(&shape); i++)
        items[i] = (float)weight;
    const char *weights = emit_scalars(e, &shape, items);
    const char *y = emit(e, view->window.reverse ? "ConvTranspose" : "Conv", x, weights, NULL);
    emit_window_attrs(e, &view->window);
    emit_attr_int(e, "group", shape.extent[0]);
    return y;
}

/* Three dimensions at a time: sums of sums. */
static const char *box_turns(const struct emit *e, const char *x, const struct window *window,
                             bool normalize)
{
    struct window rest = *window, turn;

    while (window_turn(&rest, &turn)) {
        double volume = window_volume(&turn);
        bool average = !window->reverse && averages(e, &turn);
        if (window->reverse)
            x = emit_reverse_border(e, x, 0, &turn);
        struct window_view view = view_of(e, &turn);
        x = view_input(&view, x);
        if (!average)
            x = slide_weights(&view, x, normalize ? 1 / volume : 1);
        else
            x = slide_average(&view, x);
        if (average && !normalize && volume > 1)
            x = emit(e, "Mul", x, emit_scalar(e, volume), NULL);
        x = view_leave(&view, x);
    }
    return x;
}

/* Divide by the number of taps that hit the input, which is a product over the dimensions. */
static const char *divide_by_hits(const struct emit *e, const char *x, const struct window *window)
{
    for (int i = 0; i < window->rank; i++) {
        int64_t count = window->dim[i].out;
        float *hits = emit_room(e, count, sizeof *hits);
        bool some = false;
        for (int64_t o = 0; o < count; o++) {
            hits[o] = fmaxf((float)window_hits(window, i, o), 1); /* 0 divides a sum of 0 */
            some |= hits[o] > 1;
        }
        if (some)
            x = emit(e, "Div", x, emit_along(e, hits, count, window->rank - 1 - i), NULL);
    }
    return x;
}

/* With border 'ignore' a mean is a sum of zeros beyond the input, divided by what the window hits.
 */
const char *emit_box(const struct emit *e, const char *x, const struct window *window,
                     bool normalize)
{
    struct window prepared = *window;

    assert(window->rank <= MAX_RANK);
    if (!normalize && window->border == BORDER_IGNORE)
        prepared.border = BORDER_CONSTANT;
    if (!window->reverse)
        x = emit_border(e, x, 0, &prepared);
    if (!normalize || window->border != BORDER_IGNORE ||
        (!window->reverse && averages(e, &prepared)))
        return box_turns(e, x, &prepared, normalize);
    prepared.border = BORDER_CONSTANT;
    return divide_by_hits(e, box_turns(e, x, &prepared, false), window);
}

/* box and debox are sums unless they normalize; avg_pool is a mean, rms_pool that of squares. */
const char *export_box(const struct emit *e)
{
    const struct window_attrs *attrs = e->attrs;
    enum op_id op = e->node->op->id;
    bool rms = op == OP_rms_pool, mean = rms || op == OP_avg_pool || attrs->normalize;
    struct window window = emit_window(e, op == OP_debox);
    const char *x = emit_in_rank(e, 0, window.rank);

    if (rms)
        x = emit(e, "Mul", x, x, NULL);
    x = emit_box(e, x, &window, mean);
    return rms ? emit(e, "Sqrt", x, NULL) : x;
}
