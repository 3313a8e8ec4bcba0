/* bytes_pool.c - maxima of bytes over windows, channels stored last; see struct byte_pool */
#include "base/num.h"
#include "kernel/range.h"
#include "kernel/table.h"

#include <assert.h>
#include <string.h>

struct byte_pool_run {
    const struct byte_pool *pool;
    const uint8_t *src;
    uint8_t *dst;
};

static void raise_to(uint8_t *restrict most, const uint8_t *restrict items, bool is_signed,
                     int64_t count)
{
    if (is_signed)
        for (int64_t i = 0; i < count; i++)
            most[i] = (int8_t)items[i] > (int8_t)most[i] ? items[i] : most[i];
    else
        for (int64_t i = 0; i < count; i++)
            most[i] = items[i] > most[i] ? items[i] : most[i];
}

/* One output, for all channels.  A window without a tap inside the image gives zeros. */
static void do_output(const struct byte_pool_run *r, int64_t row, int64_t x)
{
    const struct conv *conv = &r->pool->conv;
    const int64_t y = row % conv->out.y, image = row / conv->out.y, channels = conv->in_channels;
    const int64_t in_y = y * conv->stride.y - conv->before.y;
    const int64_t in_x = x * conv->stride.x - conv->before.x;
    const struct tap_range rows = taps_inside(in_y, conv->dilation.y, conv->kernel.y, conv->in.y);
    const struct tap_range columns =
        taps_inside(in_x, conv->dilation.x, conv->kernel.x, conv->in.x);
    uint8_t *to = r->dst + image * conv->dst.image + y * conv->dst.row + x * conv->dst.pixel;
    bool covers =
        rows.end - rows.first == conv->kernel.y && columns.end - columns.first == conv->kernel.x;
    bool begun = r->pool->zeros && !covers;

    if (begun || rows.first >= rows.end || columns.first >= columns.end)
        memset(to, r->pool->zero, (size_t)channels);
    for (int64_t i = rows.first; i < rows.end; i++)
        for (int64_t k = columns.first; k < columns.end; k++) {
            const uint8_t *from = r->src + image * conv->src.image +
                                  (in_y + i * conv->dilation.y) * conv->src.row +
                                  (in_x + k * conv->dilation.x) * conv->src.pixel;
            if (begun)
                raise_to(to, from, r->pool->is_signed, channels);
            else
                memcpy(to, from, (size_t)channels);
            begun = true;
        }
}

static void do_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct byte_pool_run *r = data;

    (void)member;
    for (; begin < end; begin++)
        for (int64_t x = 0; x < r->pool->conv.out.x; x++)
            do_output(r, begin, x);
}

void BYTE_KERNEL(byte_pool)(const struct byte_pool *pool, const void *src, void *dst,
                            struct team *team)
{
    struct byte_pool_run r = {pool, src, dst};

    assert(pool->conv.in_channels == pool->conv.out_channels);
    team_share(team, pool->conv.batch * pool->conv.out.y, 1, do_rows, &r);
}
