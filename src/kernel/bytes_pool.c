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

static uint8_t least_byte(const struct byte_pool *pool)
{
    return pool->is_signed ? (uint8_t)INT8_MIN : 0;
}

/* --- one output alone, whose window may be large ---------------------------------------------- */

/* A window without a tap inside the image gives zeros. */
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

/* --- outputs of a row together ---------------------------------------------------------------- */

/* Outputs `first` to `end` of a row, and the columns of the image that their windows reach. */
struct piece {
    int64_t row, first, end;
    int64_t column, columns;
};

static struct piece piece_of(const struct conv *conv, int64_t row, int64_t first, int64_t end)
{
    return (struct piece){row, first, end, first * conv->stride.x - conv->before.x,
                          (end - first - 1) * conv->stride.x +
                              (conv->kernel.x - 1) * conv->dilation.x + 1};
}

/* The maxima of all columns over the rows of the windows; false: there are no such rows.  Columns
 * outside the image have the least byte, or zeros if these count. */
static bool raise_columns(const struct byte_pool_run *r, const struct piece *piece, uint8_t *tall)
{
    const struct byte_pool *pool = r->pool;
    const struct conv *conv = &pool->conv;
    const int64_t y = piece->row % conv->out.y, image = piece->row / conv->out.y;
    const int64_t in_y = y * conv->stride.y - conv->before.y, channels = conv->in_channels;
    const struct tap_range rows = taps_inside(in_y, conv->dilation.y, conv->kernel.y, conv->in.y);
    const int64_t first = limit(-piece->column, piece->columns);
    const int64_t end = num_max(limit(conv->in.x - piece->column, piece->columns), first);
    const uint8_t *from = r->src + image * conv->src.image + in_y * conv->src.row +
                          (piece->column + first) * channels;
    const size_t size = (size_t)((end - first) * channels);
    uint8_t *inside = tall + first * channels;

    if (rows.first >= rows.end)
        return false;
    memset(tall, pool->zeros ? pool->zero : least_byte(pool), (size_t)(piece->columns * channels));
    int64_t i = rows.first;
    if (!pool->zeros || rows.end - rows.first == conv->kernel.y)
        memcpy(inside, from + i++ * conv->dilation.y * conv->src.row, size);
    for (; i < rows.end; i++)
        raise_to(inside, from + i * conv->dilation.y * conv->src.row, pool->is_signed,
                 (int64_t)size);
    return true;
}

static void copy_pixel(uint8_t *restrict to, const uint8_t *restrict from, int64_t count)
{
    enum { AT_ONCE = 16 };

    if (count < AT_ONCE) {
        memcpy(to, from, (size_t)count);
        return;
    }
    for (int64_t i = 0; i < count - AT_ONCE; i += AT_ONCE)
        memcpy(to + i, from + i, AT_ONCE);
    memcpy(to + count - AT_ONCE, from + count - AT_ONCE, AT_ONCE);
}

/* The maxima over the columns of windows that begin at each column; outputs take what they need. */
static void raise_windows(const struct byte_pool_run *r, const struct piece *piece,
                          const uint8_t *tall, uint8_t *wide)
{
    const struct conv *conv = &r->pool->conv;
    const int64_t channels = conv->in_channels, count = piece->end - piece->first;
    const int64_t items = ((count - 1) * conv->stride.x + 1) * channels;
    uint8_t *to = r->dst + piece->row / conv->out.y * conv->dst.image +
                  piece->row % conv->out.y * conv->dst.row + piece->first * conv->dst.pixel;
    const bool follow = conv->stride.x == 1 && conv->dst.pixel == channels;
    uint8_t *maxima = follow ? to : wide;

    memcpy(maxima, tall, (size_t)items);
    for (int64_t k = 1; k < conv->kernel.x; k++)
        raise_to(maxima, tall + k * conv->dilation.x * channels, r->pool->is_signed, items);
    for (int64_t i = 0; i < count && !follow; i++)
        copy_pixel(to + i * conv->dst.pixel, wide + i * conv->stride.x * channels, channels);
}

enum { SPAN = 1 << 13 };

/* Can a window be without a column of the image? */
static bool misses(const struct conv *conv)
{
    const struct piece row = piece_of(conv, 0, 0, conv->out.x);

    return row.column + (conv->kernel.x - 1) * conv->dilation.x < 0 ||
           row.column + row.columns - 1 - (conv->kernel.x - 1) * conv->dilation.x >= conv->in.x ||
           (conv->dilation.x > 1 && KERNEL(border_is_reached)(conv));
}

/* The outputs of a row that are computed at once; 0: each is computed alone. */
static int64_t piece_length(const struct conv *conv)
{
    const int64_t reach = (conv->kernel.x - 1) * conv->dilation.x + 1;
    const int64_t columns = SPAN / conv->in_channels;

    if (conv->src.pixel != conv->in_channels || misses(conv) || columns < reach)
        return 0;
    return (columns - reach) / conv->stride.x + 1;
}

static void do_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct byte_pool_run *r = data;
    const struct conv *conv = &r->pool->conv;
    const int64_t length = piece_length(conv);
    uint8_t tall[SPAN], wide[SPAN];

    (void)member;
    for (; begin < end; begin++)
        for (int64_t x = 0; x < conv->out.x; x += num_max(length, 1)) {
            const struct piece piece =
                piece_of(conv, begin, x, num_min(x + num_max(length, 1), conv->out.x));
            if (length > 0 && raise_columns(r, &piece, tall))
                raise_windows(r, &piece, tall, wide);
            else
                for (int64_t i = piece.first; i < piece.end; i++)
                    do_output(r, begin, i);
        }
}

void BYTE_KERNEL(byte_pool)(const struct byte_pool *pool, const void *src, void *dst,
                            struct team *team)
{
    struct byte_pool_run r = {pool, src, dst};

    assert(pool->conv.in_channels == pool->conv.out_channels);
    team_share(team, pool->conv.batch * pool->conv.out.y, 1, do_rows, &r);
}
