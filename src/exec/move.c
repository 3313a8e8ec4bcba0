/*
 * move.c - see move.h
 *
 * The last two dimensions are a plane.  Its rows are copied one by one if the items of a row follow
 * each other on both sides.  Columns of 2, 4, 8 or 16 bytes are copied one by one if their items
 * do.  Other planes are moved block by block.
 */
#include "exec/move.h"

#include "base/num.h"
#include "base/team.h"

#include <assert.h>
#include <string.h>

/* Rows and columns of a block, and of one that is turned; items of a part. */
enum { BLOCK = 32, TURNED = 16, PART = 1 << 14, PIXEL = 3, HALF = 16 };

void move_add(struct move *move, int64_t extent, int64_t from, int64_t to)
{
    int last = move->rank - 1;

    assert(extent == 1 || move->rank < MOVE_RANK);
    if (extent == 1)
        return;
    if (last >= 0 && move->from[last] == from * extent && move->to[last] == to * extent) {
        move->extent[last] *= extent;
    } else {
        last = move->rank++;
        move->extent[last] = extent;
    }
    move->from[last] = from;
    move->to[last] = to;
}

static void swap(int64_t *a, int64_t *b)
{
    int64_t c = *a;

    *a = *b;
    *b = c;
}

void move_finish(struct move *move)
{
    int missing = move->rank < 2 ? 2 - move->rank : 0, rank = move->rank + missing;

    assert(move->rank >= 0 && move->rank <= MOVE_RANK);
    for (int i = rank - 1; i >= 0; i--) {
        move->extent[i] = i < missing ? 1 : move->extent[i - missing];
        move->from[i] = i < missing ? 0 : move->from[i - missing];
        move->to[i] = i < missing ? 0 : move->to[i - missing];
    }
    move->rank = rank;
    if (move->extent[rank - 1] >= BLOCK / 2 || move->extent[rank - 2] <= move->extent[rank - 1])
        return;
    swap(&move->extent[rank - 1], &move->extent[rank - 2]); /* longer rows */
    swap(&move->from[rank - 1], &move->from[rank - 2]);
    swap(&move->to[rank - 1], &move->to[rank - 2]);
}

struct move move_views(const struct shape *shape, enum layout order,
                       const struct strided_view *from, const struct strided_view *to)
{
    struct move move = {.from_at = from->at, .to_at = to->at};

    for (int i = 0; i < shape->rank; i++) {
        int axis = layout_axis(shape->rank, order, i);
        move_add(&move, shape->extent[axis], from->stride[axis], to->stride[axis]);
    }
    move_finish(&move);
    return move;
}

/* --- planes --------------------------------------------------------------------------------- */

struct move_rows {
    int64_t rows, columns;
    int64_t from_row, from_column, to_row, to_column;
};

/* Are there items of so many bytes? */
static inline bool is_size(size_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Are the rows woven into pixels of so many items, as the channels of an image mostly are? */
static bool are_woven(const struct move_rows *p)
{
    return p->rows == PIXEL && p->from_column == 1 && p->to_row == 1 && p->to_column == PIXEL;
}

#define MOVE_PLANE(type)                                                                           \
    static void weave_##type(const struct move_rows *p, type *to, const type *from)                \
    {                                                                                              \
        const type *second = from + p->from_row, *third = second + p->from_row;                    \
        for (int64_t c = 0; c < p->columns; c++, to += PIXEL) {                                    \
            const type x = from[c], y = second[c], z = third[c];                                   \
            to[0] = x;                                                                             \
            to[1] = y;                                                                             \
            to[2] = z;                                                                             \
        }                                                                                          \
    }                                                                                              \
    static void move_plane_##type(const struct move_rows *p, type *to, const type *from)           \
    {                                                                                              \
        if (are_woven(p)) {                                                                        \
            weave_##type(p, to, from);                                                             \
            return;                                                                                \
        }                                                                                          \
        for (int64_t r = 0; r < p->rows; r++)                                                      \
            for (int64_t c = 0; c < p->columns; c++)                                               \
                to[r * p->to_row + c * p->to_column] = from[r * p->from_row + c * p->from_column]; \
    }

MOVE_PLANE(uint8_t)
MOVE_PLANE(uint16_t)
MOVE_PLANE(uint32_t)
MOVE_PLANE(uint64_t)

/*
 * Transpose a block by way of an array: the source has its columns together, the destination its
 * rows.  So each line of the cache is read once, even if all lines compete for one place there.
 */
static void turn_block(const struct move_rows *p, uint32_t *to, const uint32_t *from)
{
    uint32_t room[TURNED][TURNED];

    for (int64_t c = 0; c < p->columns; c++)
        for (int64_t r = 0; r < p->rows; r++)
            room[r][c] = from[c * p->from_column + r];
    for (int64_t r = 0; r < p->rows; r++)
        memcpy(to + r * p->to_row, room[r], (size_t)p->columns * sizeof *to);
}

static void turn_plane(const struct move_rows *p, uint32_t *to, const uint32_t *from)
{
    for (int64_t r = 0; r < p->rows; r += TURNED)
        for (int64_t c = 0; c < p->columns; c += TURNED) {
            struct move_rows block = *p;
            block.rows = p->rows - r < TURNED ? p->rows - r : TURNED;
            block.columns = p->columns - c < TURNED ? p->columns - c : TURNED;
            turn_block(&block, to + r * p->to_row + c, from + r + c * p->from_column);
        }
}

/* --- running -------------------------------------------------------------------------------- */

struct move_job {
    const struct move *move;
    size_t size;
    unsigned char *to;
    const unsigned char *from;
    int64_t bands;  /* of BLOCK rows, in a plane */
    int64_t pieces; /* of a band, across */
    int64_t width;  /* of a piece, columns; the last one may be narrower */
};

/* Copy a row.  Small rows are copied as two parts that may overlap, which is faster than a call. */
static void copy(unsigned char *to, const unsigned char *from, size_t size)
{
    unsigned char first[HALF], last[HALF];

    if (size < HALF || size > 2 * (size_t)HALF) {
        memcpy(to, from, size);
        return;
    }
    memcpy(first, from, HALF);
    memcpy(last, from + size - HALF, HALF);
    memcpy(to, first, HALF);
    memcpy(to + size - HALF, last, HALF);
}

/* Copy each column, which has so many bytes, a constant. */
static inline void copy_each(const struct move_rows *p, unsigned char *to,
                             const unsigned char *from, size_t size, const size_t bytes)
{
    const int64_t to_step = p->to_column * (int64_t)size, step = p->from_column * (int64_t)size;

    for (int64_t c = 0; c < p->columns; c++, to += to_step, from += step)
        memcpy(to, from, bytes);
}

/* Copy columns whose items follow each other on both sides, as some channels of an image do.  False
 * if they do not, or if a column has not 2, 4, 8 or 16 bytes. */
static bool copy_columns(const struct move_rows *p, unsigned char *to, const unsigned char *from,
                         size_t size)
{
    if (p->from_row != 1 || p->to_row != 1)
        return false;
    switch ((size_t)p->rows * size) {
    case 2:
        copy_each(p, to, from, size, 2);
        return true;
    case 4:
        copy_each(p, to, from, size, 4);
        return true;
    case 8:
        copy_each(p, to, from, size, 8);
        return true;
    case 16:
        copy_each(p, to, from, size, 16);
        return true;
    }
    return false;
}

/* A piece, and the plane that it is in: its place along the other dimensions, and its first items.
 */
struct piece {
    int64_t across, band;
    int64_t at[MOVE_RANK], from, to;
};

static struct piece piece_at(const struct move_job *job, int64_t index)
{
    const struct move *m = job->move;
    struct piece piece = {.across = index % job->pieces,
                          .band = index / job->pieces % job->bands,
                          .from = m->from_at,
                          .to = m->to_at};

    index /= job->pieces * job->bands;
    for (int i = m->rank - 3; i >= 0; index /= m->extent[i--]) {
        piece.at[i] = index % m->extent[i];
        piece.from += piece.at[i] * m->from[i];
        piece.to += piece.at[i] * m->to[i];
    }
    return piece;
}

/* Planes may be small: going on takes no quotients. */
static void go_on(const struct move_job *job, struct piece *piece)
{
    const struct move *m = job->move;

    if (++piece->across < job->pieces)
        return;
    piece->across = 0;
    if (++piece->band < job->bands)
        return;
    piece->band = 0;
    for (int i = m->rank - 3; i >= 0; i--) {
        piece->from += m->from[i];
        piece->to += m->to[i];
        if (++piece->at[i] < m->extent[i])
            return;
        piece->from -= piece->at[i] * m->from[i];
        piece->to -= piece->at[i] * m->to[i];
        piece->at[i] = 0;
    }
}

static void do_piece(const struct move_job *job, const struct piece *piece)
{
    const struct move *m = job->move;
    int rows = m->rank - 2, columns = m->rank - 1;
    int64_t size = (int64_t)job->size;
    int64_t column = piece->across * job->width, row = piece->band * BLOCK;
    int64_t from = piece->from + row * m->from[rows] + column * m->from[columns];
    int64_t to = piece->to + row * m->to[rows] + column * m->to[columns];
    struct move_rows p = {num_min(m->extent[rows] - row, BLOCK),
                          num_min(m->extent[columns] - column, job->width),
                          m->from[rows],
                          m->from[columns],
                          m->to[rows],
                          m->to[columns]};

    unsigned char *put = job->to + to * size;
    const unsigned char *get = job->from + from * size;
    if (p.from_column == 1 && p.to_column == 1) {
        for (int64_t r = 0; r < p.rows; r++)
            copy(put + r * p.to_row * size, get + r * p.from_row * size,
                 (size_t)(p.columns * size));
        return;
    }
    if (copy_columns(&p, put, get, job->size))
        return;
    if (p.from_row == 1 && p.to_column == 1 && job->size == sizeof(uint32_t)) {
        turn_plane(&p, (void *)put, (const void *)get);
        return;
    }
    /* Items that are read together, or written together, stay in the fastest memory. */
    struct move_rows block = p;
    for (int64_t c = 0; c < p.columns; c += BLOCK) {
        void *block_put = put + c * p.to_column * size;
        const void *block_get = get + c * p.from_column * size;
        block.columns = num_min(p.columns - c, BLOCK);
        if (size == sizeof(uint8_t))
            move_plane_uint8_t(&block, block_put, block_get);
        else if (size == sizeof(uint16_t))
            move_plane_uint16_t(&block, block_put, block_get);
        else if (size == sizeof(uint32_t))
            move_plane_uint32_t(&block, block_put, block_get);
        else
            move_plane_uint64_t(&block, block_put, block_get);
    }
}

static void do_pieces(void *data, int64_t begin, int64_t end, int member)
{
    const struct move_job *job = data;
    struct piece piece = piece_at(job, begin);

    (void)member;
    for (int64_t i = begin; i < end; i++, go_on(job, &piece))
        do_piece(job, &piece);
}

void move_run(const struct move *move, size_t size, void *to, const void *from, struct team *team)
{
    int64_t rows = move->extent[move->rank - 2], columns = move->extent[move->rank - 1];
    struct move_job job = {.move = move, .size = size, .to = to, .from = from};

    assert(move->rank >= 2 && is_size(size));
    if (rows == 0 || columns == 0)
        return;
    job.width = num_min(columns, PART / num_min(rows, BLOCK));
    job.pieces = (columns - 1) / job.width + 1;
    job.bands = (rows - 1) / BLOCK + 1;
    int64_t count = job.bands * job.pieces;
    for (int i = 0; i < move->rank - 2; i++)
        count *= move->extent[i];
    team_share(team, count, PART / (num_min(rows, BLOCK) * job.width), do_pieces, &job);
}

/* --- ranges --------------------------------------------------------------------------------- */

struct move move_broadcast(const struct shape *operand, const struct shape *result,
                           enum layout layout)
{
    const struct shape from = layout_shape(operand, result->rank, layout),
                       to = layout_shape(result, result->rank, layout);
    int64_t from_stride[MAX_RANK], to_stride[MAX_RANK];
    struct move move = {0};

    shape_broadcast_strides(&from, &to, from_stride);
    shape_strides(&to, to_stride);
    for (int i = 0; i < to.rank; i++)
        move_add(&move, to.extent[i], from_stride[i], to_stride[i]);
    if (move.rank == 0)
        move = (struct move){.rank = 1, .extent = {1}, .from = {1}, .to = {1}};
    return move;
}

bool move_is_dense(const struct move *move)
{
    return move->rank == 1 && move->from[0] == 1;
}

bool move_is_constant(const struct move *move)
{
    return move->rank == 1 && move->from[0] == 0;
}

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
COPY_ROW(uint16_t)
COPY_ROW(uint32_t)
COPY_ROW(uint64_t)

void move_range(const struct move *move, size_t size, void *to, const void *from,
                const int64_t range[2])
{
    int last = move->rank - 1;
    int64_t number = range[0], left = range[1] - range[0], row = 0, at[MOVE_RANK];
    unsigned char *put = to;

    assert(move->rank > 0 && left >= 0 && is_size(size));
    for (int i = last; i >= 0 && left > 0; number /= move->extent[i--]) {
        at[i] = number % move->extent[i];
        row += i < last ? at[i] * move->from[i] : 0;
    }
    while (left > 0) {
        int64_t count = num_min(move->extent[last] - at[last], left), stride = move->from[last];
        const void *get = (const unsigned char *)from + (row + at[last] * stride) * (int64_t)size;
        if (size == sizeof(uint8_t))
            copy_row_uint8_t((void *)put, get, stride, count);
        else if (size == sizeof(uint16_t))
            copy_row_uint16_t((void *)put, get, stride, count);
        else if (size == sizeof(uint32_t))
            copy_row_uint32_t((void *)put, get, stride, count);
        else
            copy_row_uint64_t((void *)put, get, stride, count);
        put += (size_t)count * size;
        left -= count;

        /* On to the next row: count up the other coordinates. */
        at[last] = 0;
        for (int i = last - 1; i >= 0; i--) {
            row += move->from[i];
            if (++at[i] < move->extent[i])
                break;
            row -= at[i] * move->from[i];
            at[i] = 0;
        }
    }
}
