/* items.c - see items.h */
#include "exec/items.h"

#include <assert.h>
#include <string.h>

void items_merge(struct item_walk *items)
{
    int rank = 0;

    assert(items->rank >= 0 && items->rank <= MAX_RANK);
    for (int i = 0; i < items->rank; i++) {
        if (items->extent[i] == 1)
            continue;
        bool joins = rank > 0 && items->stride[rank - 1] == items->stride[i] * items->extent[i];
        rank += !joins;
        items->extent[rank - 1] = items->extent[i] * (joins ? items->extent[rank - 1] : 1);
        items->stride[rank - 1] = items->stride[i];
    }
    if (rank == 0) {
        items->extent[0] = 1;
        items->stride[0] = 1;
    }
    items->rank = rank > 0 ? rank : 1;
}

struct item_walk items_broadcast(const struct shape *operand, const struct shape *result,
                                 enum layout layout)
{
    const struct shape from = layout_shape(operand, result->rank, layout),
                       to = layout_shape(result, result->rank, layout);
    struct item_walk items = {.rank = to.rank};

    shape_broadcast_strides(&from, &to, items.stride);
    memcpy(items.extent, to.extent, sizeof items.extent);
    items_merge(&items);
    return items;
}

bool items_are_dense(const struct item_walk *items)
{
    return items->rank == 1 && items->stride[0] == 1;
}

bool items_are_one(const struct item_walk *items)
{
    return items->rank == 1 && items->stride[0] == 0;
}

/* --- copying -------------------------------------------------------------------------------- */

#define COPY_ROW(type)                                                                     \
    static void copy_row_##type(type *to, const type *from, int64_t stride, int64_t count) \
    {                                                                                      \
        if (stride == 1) {                                                                 \
            memcpy(to, from, (size_t)count * sizeof *to);                                  \
            return;                                                                        \
        }                                                                                  \
        if (stride == 0) {                                                                 \
            const type item = *from;                                                       \
            for (int64_t i = 0; i < count; i++)                                            \
                to[i] = item;                                                              \
            return;                                                                        \
        }                                                                                  \
        for (int64_t i = 0; i < count; i++)                                                \
            to[i] = from[i * stride];                                                      \
    }

COPY_ROW(uint8_t)
COPY_ROW(uint32_t)
COPY_ROW(uint64_t)

static void copy_item_row(size_t size, void *to, const void *from, int64_t stride, int64_t count)
{
    if (size == sizeof(uint8_t))
        copy_row_uint8_t(to, from, stride, count);
    else if (size == sizeof(uint32_t))
        copy_row_uint32_t(to, from, stride, count);
    else
        copy_row_uint64_t(to, from, stride, count);
}

/* Where the item of that number is; its coordinates are put into `at`. */
static int64_t find_item(const struct item_walk *items, int64_t number, int64_t *at)
{
    int64_t offset = 0;

    for (int i = items->rank - 1; i >= 0; i--) {
        at[i] = number % items->extent[i];
        number /= items->extent[i];
        offset += at[i] * items->stride[i];
    }
    return offset;
}

/* From the end of a row to the begin of the next. */
static int64_t next_row(const struct item_walk *items, int64_t offset, int64_t *at)
{
    int i = items->rank - 1;

    offset -= at[i] * items->stride[i];
    at[i] = 0;
    while (--i >= 0) {
        offset += items->stride[i];
        if (++at[i] < items->extent[i])
            break;
        offset -= at[i] * items->stride[i];
        at[i] = 0;
    }
    return offset;
}

void items_copy(const struct item_walk *items, size_t size, void *to, const void *from,
                const int64_t range[2])
{
    int last = items->rank - 1;
    int64_t left = range[1] - range[0], at[MAX_RANK];
    int64_t offset = left > 0 ? find_item(items, range[0], at) : 0;
    unsigned char *put = to;

    assert(range[0] <= range[1] && (size == 1 || size == 4 || size == 8));
    while (left > 0) {
        int64_t row = items->extent[last] - at[last], count = row < left ? row : left;
        copy_item_row(size, put, (const unsigned char *)from + offset * (int64_t)size,
                      items->stride[last], count);
        put += (size_t)count * size;
        left -= count;
        at[last] += count;
        offset = next_row(items, offset + count * items->stride[last], at);
    }
}
