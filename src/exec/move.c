/*
 * move.c - see move.h
 *
 * The last two dimensions are a plane.  Rows of it are copied one by one, but for planes that are
 * turned, whose items are copied block by block.
 */
#include "exec/move.h"

#include "base/team.h"

#include <assert.h>
#include <string.h>

/* Rows and columns of a block, and of one that is turned; items of a part. */
enum { BLOCK = 32, TURNED = 16, PART = 1 << 14 };

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

#define MOVE_PLANE(type)                                                                           \
    static void move_plane_##type(const struct move_rows *p, type *to, const type *from)           \
    {                                                                                              \
        for (int64_t r = 0; r < p->rows; r++)                                                      \
            for (int64_t c = 0; c < p->columns; c++)                                               \
                to[r * p->to_row + c * p->to_column] = from[r * p->from_row + c * p->from_column]; \
    }

MOVE_PLANE(uint8_t)
MOVE_PLANE(uint32_t)
MOVE_PLANE(uint64_t)

static void move_plane(const struct move_rows *p, size_t size, unsigned char *to,
                       const unsigned char *from)
{
    if (size == sizeof(uint8_t))
        move_plane_uint8_t(p, to, from);
    else if (size == sizeof(uint32_t))
        move_plane_uint32_t(p, (void *)to, (const void *)from);
    else
        move_plane_uint64_t(p, (void *)to, (const void *)from);
}

static void copy_plane_rows(const struct move_rows *p, size_t size, unsigned char *to,
                            const unsigned char *from)
{
    for (int64_t r = 0; r < p->rows; r++)
        memcpy(to + r * p->to_row * (int64_t)size, from + r * p->from_row * (int64_t)size,
               (size_t)p->columns * size);
}

/*
 * Where rows are read and columns written in one go, some of both by way of a room of their own:
 * each line of the cache is needed once, even if all of them compete for one place there.
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

/* So that what is read together, and what is written together, stays in the fastest memory. */
static void move_blocks(const struct move_rows *p, size_t size, unsigned char *to,
                        const unsigned char *from)
{
    for (int64_t c = 0; c < p->columns; c += BLOCK) {
        struct move_rows block = *p;
        block.columns = p->columns - c < BLOCK ? p->columns - c : BLOCK;
        move_plane(&block, size, to + c * p->to_column * (int64_t)size,
                   from + c * p->from_column * (int64_t)size);
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

static int64_t at_most(int64_t extent, int64_t most)
{
    return extent < most ? extent : most;
}

static void do_piece(const struct move_job *job, int64_t index)
{
    const struct move *m = job->move;
    int rows = m->rank - 2, columns = m->rank - 1;
    int64_t column = index % job->pieces * job->width;
    int64_t row = index / job->pieces % job->bands * BLOCK;
    int64_t from = m->from_at + row * m->from[rows] + column * m->from[columns];
    int64_t to = m->to_at + row * m->to[rows] + column * m->to[columns];
    struct move_rows plane = {at_most(m->extent[rows] - row, BLOCK),
                              at_most(m->extent[columns] - column, job->width),
                              m->from[rows],
                              m->from[columns],
                              m->to[rows],
                              m->to[columns]};

    index /= job->pieces * job->bands;
    for (int i = rows - 1; i >= 0; index /= m->extent[i--]) {
        from += index % m->extent[i] * m->from[i];
        to += index % m->extent[i] * m->to[i];
    }
    unsigned char *put = job->to + to * (int64_t)job->size;
    const unsigned char *get = job->from + from * (int64_t)job->size;
    if (plane.from_column == 1 && plane.to_column == 1)
        copy_plane_rows(&plane, job->size, put, get);
    else if (plane.from_row == 1 && plane.to_column == 1 && job->size == sizeof(uint32_t))
        turn_plane(&plane, (void *)put, (const void *)get);
    else
        move_blocks(&plane, job->size, put, get);
}

static void do_pieces(void *data, int64_t begin, int64_t end, int member)
{
    (void)member;
    for (int64_t i = begin; i < end; i++)
        do_piece(data, i);
}

void move_run(const struct move *move, size_t size, void *to, const void *from, struct team *team)
{
    int64_t rows = move->extent[move->rank - 2], columns = move->extent[move->rank - 1];
    struct move_job job = {.move = move, .size = size, .to = to, .from = from};

    assert(move->rank >= 2 && (size == 1 || size == 4 || size == 8));
    if (rows == 0 || columns == 0)
        return;
    job.width = at_most(columns, PART / at_most(rows, BLOCK));
    job.pieces = (columns - 1) / job.width + 1;
    job.bands = (rows - 1) / BLOCK + 1;
    int64_t count = job.bands * job.pieces;
    for (int i = 0; i < move->rank - 2; i++)
        count *= move->extent[i];
    team_share(team, count, PART / (at_most(rows, BLOCK) * job.width), do_pieces, &job);
}
