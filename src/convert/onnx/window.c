/*
 * window.c - sliding windows as ONNX and PyTorch write them: checks, padding, rounding
 *
 * With ceil_mode the number of windows is rounded up.  A window that begins in the padding behind
 * the input is left out even then.
 */
#include "convert/onnx/window.h"

#include "convert/onnx/import_make.h"

#include <assert.h>
#include <inttypes.h>

/* The largest number of a window, so that products of two with an extent are in range. */
enum { ITEM_MAX = 1 << 28 };

/* An item of a list that may be empty. */
static int64_t integers_or(const struct integers *list, int index, int64_t otherwise)
{
    return index < list->count ? list->item[index] : otherwise;
}

/* No items, or `count` of them that are neither less than `least` nor beyond ITEM_MAX. */
static bool check_list(struct translation *t, const char *name, const struct integers *list,
                       int count, int64_t least)
{
    if (list->count != 0 && list->count != count)
        return import_error(t, DIAG_ITEM_COUNT, "'%s' has %d items, expected %d", name, list->count,
                            count);
    for (int i = 0; i < list->count; i++)
        if (list->item[i] < least || list->item[i] > ITEM_MAX)
            return import_error(t, DIAG_ITEM_VALUE,
                                "'%s' has an item %" PRId64 ", expected %" PRId64 " or more", name,
                                list->item[i], least);
    return true;
}

static bool is_same(const struct window_lists *lists)
{
    return lists->auto_pad == PAD_SAME_UPPER || lists->auto_pad == PAD_SAME_LOWER;
}

/* The padding behind dimension `i` that is asked for by number. */
static int64_t told_after(const struct window_lists *lists, int rank, int i)
{
    return lists->auto_pad == PAD_AS_TOLD ? integers_or(&lists->pads, rank + i, 0) : 0;
}

bool window_read(struct translation *t, const struct window_lists *lists, const struct shape *x,
                 struct window *window)
{
    int rank = x->rank - 2;

    *window = (struct window){.rank = rank};
    if (rank < 1)
        return import_error(t, DIAG_RANK, "input 0 has rank %d, expected at least 3", x->rank);
    if (!check_list(t, "kernel_shape", &lists->size, rank, 1) ||
        !check_list(t, "strides", &lists->stride, rank, 1) ||
        !check_list(t, "dilations", &lists->dilation, rank, 1) ||
        !check_list(t, "pads", &lists->pads, 2 * rank, -ITEM_MAX))
        return false;
    if (lists->size.count == 0)
        return import_error(t, DIAG_ONNX_GRAPH, "attribute 'kernel_shape' is missing");
    for (int i = 0; i < rank; i++) {
        struct window_dim *dim = &window->dim[i];
        *dim = (struct window_dim){.in = x->extent[2 + i],
                                   .size = lists->size.item[i],
                                   .stride = integers_or(&lists->stride, i, 1),
                                   .dilation = integers_or(&lists->dilation, i, 1)};
        if (lists->auto_pad == PAD_AS_TOLD)
            dim->before = integers_or(&lists->pads, i, 0);
        dim->after = told_after(lists, rank, i);
        int64_t stride = dim->stride, reach = window_reach(dim);
        assert(stride > 0 && reach > 0);
        if (is_same(lists)) { /* nothing but the stride makes the result smaller */
            dim->out = (dim->in + stride - 1) / stride;
            int64_t total = (dim->out - 1) * stride + reach - dim->in;
            total = total > 0 ? total : 0;
            dim->before = lists->auto_pad == PAD_SAME_LOWER ? total - total / 2 : total / 2;
            dim->after = total - dim->before;
        } else if (lists->ceil_mode) {
            int64_t room = dim->in + dim->before + dim->after - reach;
            int64_t count = (room + stride - 1) / stride + 1;
            if ((count - 1) * stride >= dim->in + dim->before)
                count--;
            dim->after = (count - 1) * stride + reach - dim->in - dim->before;
        }
    }
    return true;
}

bool window_sticks_out(const struct window_lists *lists, const struct window *window)
{
    bool beyond = false;

    for (int i = 0; i < window->rank; i++)
        beyond |= window->dim[i].after > told_after(lists, window->rank, i);
    return beyond && lists->ceil_mode && !is_same(lists);
}

/*
 * If the total of padding is odd, the larger half is in front unless auto_pad is SAME_UPPER.  If
 * there is too little to take away, there is more behind.
 */
bool window_transpose(struct translation *t, const struct window_lists *lists,
                      struct window *window, int64_t *more)
{
    int rank = window->rank;

    if (!check_list(t, "output_padding", &lists->more, rank, 0) ||
        !check_list(t, "output_shape", &lists->output, rank, 1))
        return false;
    for (int i = 0; i < rank; i++) {
        struct window_dim *dim = &window->dim[i];
        more[i] = integers_or(&lists->more, i, 0);
        dim->out = integers_or(&lists->output, i, dim->in * dim->stride);
        if (lists->output.count > 0 || is_same(lists)) {
            int64_t full = window_full(dim) + more[i];
            int64_t total = full > dim->out ? full - dim->out : 0;
            more[i] += dim->out > full ? dim->out - full : 0;
            dim->before = lists->auto_pad == PAD_SAME_UPPER ? total / 2 : total - total / 2;
            dim->after = total - dim->before;
        }
        dim->out = window_full(dim) - dim->before - dim->after + more[i];
    }
    return true;
}

struct window_attrs window_attributes(struct translation *t, const struct window *window, int first,
                                      bool has_size)
{
    int rank = first + window->rank;
    int64_t *size = import_alloc(t, rank, sizeof *size);
    int64_t *stride = import_alloc(t, rank, sizeof *stride);
    int64_t *dilation = import_alloc(t, rank, sizeof *dilation);
    int64_t(*pad)[2] = import_alloc(t, rank, sizeof *pad);

    assert(rank <= MAX_RANK);
    for (int i = 0; i < rank; i++) {
        static const struct window_dim still = {.size = 1, .stride = 1, .dilation = 1};
        const struct window_dim *dim = i < first ? &still : &window->dim[i - first];
        size[i] = dim->size;
        stride[i] = dim->stride;
        dilation[i] = dim->dilation;
        pad[i][0] = dim->before;
        pad[i][1] = dim->after;
    }
    return (struct window_attrs){.size = {has_size ? rank : 0, size},
                                 .padding = {rank, (const int64_t(*)[2])pad},
                                 .stride = {rank, stride},
                                 .dilation = {rank, dilation}};
}
