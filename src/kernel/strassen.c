/*
 * strassen.c - products of matrices by seven products of quarters instead of eight
 *
 * Winograd's form of Strassen's algorithm.  Quarters of the left matrix a are even and odd rows by
 * halves of the depth; those of the right one b are halves of the depth by halves of the columns:
 *
 *     s1 = a21 + a22   s2 = s1 - a11    s3 = a11 - a21   s4 = a12 - s2
 *     t1 = b22 - t2    t2 = b11 - b12 + b22    t3 = t2 - b11   t4 = b21 - t2
 *     x = a11 b11 + s2 t2   v = s3 t3   z = s1 t1
 *     c11 = a11 b11 + a12 b21   c12 = x + z + s4 b22   c21 = x + v + a22 t4   c22 = x + v + z
 *
 * Each part is a block of rows by a panel of each half of the columns: its sums of quarters and its
 * products stay in the cache.  The packed form of b is that of direct.c with t2 in place of b12.
 * Sums of items of different sizes cost some accuracy: items that are small beside their neighbours
 * lose about a digit.
 */
#include "base/num.h"
#include "kernel/activate.h"
#include "kernel/panel.h"
#include "kernel/table.h"

#include <assert.h>

enum { WIDTH = PANEL_VECS * LANES, /* of a panel */ PARTS = 3 /* for each member */, NONE = -1 };

/* Pairs of rows of a block; and the least sizes at which fewer products outweigh more sums. */
enum { BLOCK = 70, LEAST_BLOCK = 14, LEAST_PAIRS = 24, LEAST_DEPTH = 96 };

/* A run of the algorithm. */
struct quarters {
    const struct conv *conv;
    const struct conv_operands *operands;
    int64_t depth, half; /* of a; of a quarter */
    int64_t columns;
    int64_t pairs;         /* of rows; the last one may be short of the odd one */
    int64_t block, groups; /* pairs of a block; groups of panels, which are done one by one */
    int64_t room;          /* items of scratch memory, by member */
};

/* The scratch memory of a member. */
struct room {
    int64_t *block;           /* the block that the sums belong to; NONE */
    float *s1, *s2, *s3, *s4; /* of a block, [pair][half] */
    float *x, *v, *z;         /* of a panel, [pair][WIDTH] */
};

/* A block of rows by a panel. */
struct strassen_part {
    int64_t block, pair, even, odd; /* its first pair; even rows, odd rows */
    int64_t column;                 /* of the panel in the left half of the columns */
    bool is_last;                   /* of a group */
    struct room room;
};

/* --- geometry ------------------------------------------------------------------------------- */

static int64_t rows_of(const struct conv *conv)
{
    return conv->batch * conv->out.y * conv->out.x;
}

/* A dense product of matrices, large enough, with columns that are two halves of whole panels. */
static bool strassen_fits(const struct conv *conv)
{
    const struct plane *in = &conv->in, *out = &conv->out;
    bool is_dense = conv->src.pixel == conv->in_channels && conv->dst.pixel == conv->out_channels &&
                    conv->src.row == conv->src.pixel * in->x &&
                    conv->dst.row == conv->dst.pixel * out->x;

    return conv_is_pointwise(conv) && is_dense && rows_of(conv) >= 2 * (int64_t)LEAST_PAIRS &&
           conv->in_channels % 2 == 0 && conv->in_channels >= LEAST_DEPTH &&
           conv->out_channels % (2 * (int64_t)WIDTH) == 0;
}

/*
 * Pairs of rows of a block.  All members get as many blocks of nearly the same size: so a member
 * has the same rows from product to product, and they stay in its processor's cache.
 */
static int64_t block_of(const struct conv *conv, int64_t members)
{
    int64_t pairs = num_divide_up(rows_of(conv), 2), blocks = num_divide_up(pairs, BLOCK);
    int64_t alike = num_divide_up(blocks, members) * members;

    if (pairs >= alike * LEAST_BLOCK)
        blocks = alike;
    return num_divide_up(pairs, blocks);
}

static int64_t aligned(int64_t items)
{
    return num_divide_up(items, LINE) * LINE;
}

static int64_t room_size(const struct conv *conv, int64_t block)
{
    int64_t half = conv->in_channels / 2;

    return 4 * aligned(block * half) + 3 * block * WIDTH + LINE;
}

static struct room room_at(const struct quarters *q, int64_t member)
{
    int64_t s = aligned(q->block * q->half), product = q->block * WIDTH;
    float *own = (float *)q->operands->scratch + member * q->room, *at = own + LINE;
    float *x = at + 4 * s;

    return (struct room){(void *)own, at, at + s,      at + 2 * s,
                         at + 3 * s,  x,  x + product, x + 2 * product};
}

/* --- sums of quarters ----------------------------------------------------------------------- */

/* Items of a pair of rows, at most LANES. */
ALWAYS_INLINE void sum_items(const struct room *room, int64_t at, const float *const quarter[4],
                             int count)
{
    vec a11 = vec_load_some(quarter[0], count), a12 = vec_load_some(quarter[1], count);
    vec a21 = vec_load_some(quarter[2], count), a22 = vec_load_some(quarter[3], count);
    vec s1 = a21 + a22, s2 = s1 - a11;

    vec_store_some(room->s1 + at, s1, count);
    vec_store_some(room->s2 + at, s2, count);
    vec_store_some(room->s3 + at, a11 - a21, count);
    vec_store_some(room->s4 + at, a12 - s2, count);
}

static const float *row_of(const struct quarters *q, const struct strassen_part *p, int64_t row)
{
    return q->operands->src + (2 * p->pair + row) * q->depth;
}

/* Sum the quarters of a block; further groups of the same block find the sums there. */
static void strassen_sum_rows(const struct quarters *q, const struct strassen_part *p)
{
    const struct room *room = &p->room;
    int64_t half = q->half;

    if (*room->block == p->block)
        return;
    *room->block = p->block;
    for (int64_t i = 0; i < p->odd; i++) {
        const float *even = row_of(q, p, 2 * i), *odd = row_of(q, p, 2 * i + 1);
        for (int64_t k = 0; k < half; k += LANES) {
            const float *const quarter[] = {even + k, even + half + k, odd + k, odd + half + k};
            if (half - k >= LANES)
                sum_items(room, i * half + k, quarter, LANES);
            else
                sum_items(room, i * half + k, quarter, (int)(half - k));
        }
    }
    if (p->odd == p->even)
        return;
    /* The last row has no odd one, which counts as 0. */
    const float *even = row_of(q, p, 2 * p->odd);
    for (int64_t k = 0, at = p->odd * half; k < half; k++, at++) {
        room->s1[at] = 0;
        room->s2[at] = -even[k];
        room->s3[at] = even[k];
        room->s4[at] = even[half + k] + even[k];
    }
}

/* --- products of quarters ------------------------------------------------------------------- */

/* A quarter, or a sum of them, of the left matrix. */
struct left {
    const float *items;
    int64_t pitch, rows;
};

/* A quarter of the right matrix, or a difference of two, and the weights to fetch for the next
 * product. */
struct right {
    const float *items, *less, *next;
    int64_t next_items;
};

/* A tile of a product of quarters, but for the place of its results. */
static struct tile tile_of(const struct quarters *q, const struct left *left,
                           const struct right *right)
{
    static const int64_t at_once;

    return (struct tile){.src = left->items,
                         .weights = right->items,
                         .less = right->less,
                         .taps = &at_once,
                         .tap_count = 1,
                         .run = q->half,
                         .in_step = left->pitch,
                         .weights_end = right->items,
                         .next = right->next,
                         .next_items = right->next_items,
                         .vecs = PANEL_VECS,
                         .last = LANES};
}

/* Set `to` to the product plus `from`, which may be NULL. */
static void multiply(const struct quarters *q, const struct left *left, const struct right *right,
                     const float *from, float *to)
{
    static const struct epilogue none;
    struct tile tile = tile_of(q, left, right);

    tile.dst = to;
    tile.out_step = WIDTH;
    tile.residual = from;
    tile.residual_step = WIDTH;
    tile.epilogue = &none;
    KERNEL(tile_compute)(&tile, left->rows);
}

/* --- results -------------------------------------------------------------------------------- */

/* The place of a quarter of a part in the result: every second row from `row` on. */
struct quarter {
    int64_t rows, row, column;
};

/* Store the sum of two products, of which the second may be NULL, with bias, residual and
 * activation. */
static void strassen_finish(const struct quarters *q, const float *a, const float *b,
                            const struct quarter *at)
{
    const struct conv_operands *operands = q->operands;
    const float *bias = operands->bias ? operands->bias + at->column : NULL;

    for (int64_t i = 0; i < at->rows; i++) {
        int64_t to = (at->row + 2 * i) * q->columns + at->column;
        for (int64_t j = 0; j < WIDTH; j += LANES) {
            vec sum = vec_load(a + i * WIDTH + j);
            if (b)
                sum += vec_load(b + i * WIDTH + j);
            if (bias)
                sum += vec_load(bias + j);
            if (operands->residual)
                sum += vec_load(operands->residual + to + j);
            vec_store(operands->dst + to + j, sum);
        }
        if (q->conv->epilogue.activation != ACTIVATION_NONE)
            KERNEL(activate)(&q->conv->epilogue, operands->dst + to, WIDTH);
    }
}

/* The operands of a product, and the sum that is added to it. */
struct factors {
    const struct left *left;
    const struct right *right;
    const float *sum;
};

/* Store a quarter of the result; `room` has memory for it. */
static void deliver(const struct quarters *q, const struct factors *f, const struct quarter *at,
                    float *room)
{
    struct tile tile = tile_of(q, f->left, f->right);

    if (q->operands->residual) {
        multiply(q, f->left, f->right, f->sum, room);
        strassen_finish(q, room, NULL, at);
        return;
    }
    tile.bias = q->operands->bias ? q->operands->bias + at->column : NULL;
    tile.residual = f->sum;
    tile.residual_step = WIDTH;
    tile.dst = q->operands->dst + at->row * q->columns + at->column;
    tile.out_step = 2 * q->columns;
    tile.epilogue = &q->conv->epilogue;
    KERNEL(tile_compute)(&tile, at->rows);
}

/* --- a part --------------------------------------------------------------------------------- */

/* The seven products, in an order that needs memory for three of them at a time. */
static void compute_part(const struct quarters *q, const struct strassen_part *p)
{
    const struct room *r = &p->room;
    int64_t half = q->half, pitch = 2 * q->depth, volume = half * WIDTH;
    int64_t right = p->column + q->columns / 2;
    const float *b11 = q->operands->packed + p->column * q->depth, *b21 = b11 + volume;
    const float *t2 = q->operands->packed + right * q->depth, *b22 = t2 + volume;
    const float *even = row_of(q, p, 0);
    const struct left a11 = {even, pitch, p->even}, a12 = {even + half, pitch, p->even},
                      a22 = {even + q->depth + half, pitch, p->odd}, s1 = {r->s1, half, p->even},
                      s2 = {r->s2, half, p->even}, s3 = {r->s3, half, p->even},
                      s4 = {r->s4, half, p->even};
    const struct quarter c11 = {p->even, 2 * p->pair, p->column},
                         c12 = {p->even, 2 * p->pair, right},
                         c21 = {p->odd, 2 * p->pair + 1, p->column},
                         c22 = {p->odd, 2 * p->pair + 1, right};

    multiply(q, &a11, &(struct right){b11, NULL, b21, volume}, NULL, r->x);
    deliver(q, &(struct factors){&a12, &(struct right){b21, NULL, t2, 2 * volume}, r->x}, &c11,
            r->z);
    multiply(q, &s2, &(struct right){t2, NULL, NULL, 0}, r->x, r->x);
    multiply(q, &s3, &(struct right){t2, b11, NULL, 0}, r->x, r->v);
    multiply(q, &s1, &(struct right){b22, t2, NULL, 0}, NULL, r->z);
    strassen_finish(q, r->v, r->z, &c22);
    for (int64_t i = 0; i < p->even * WIDTH; i += LANES)
        vec_store(r->x + i, vec_load(r->x + i) + vec_load(r->z + i));
    deliver(q, &(struct factors){&a22, &(struct right){b21, t2, NULL, 0}, r->v}, &c21, r->z);
    deliver(q,
            &(struct factors){
                &s4, &(struct right){b22, NULL, b21 + volume, p->is_last ? 0 : volume}, r->x},
            &c12, r->z);
}

/* --- the whole ------------------------------------------------------------------------------ */

static void compute_groups(void *data, int64_t begin, int64_t end, int member)
{
    const struct quarters *q = data;
    int64_t panels = q->columns / 2 / WIDTH, rows = rows_of(q->conv);

    for (int64_t i = begin; i < end; i++) {
        int64_t block = i / q->groups, group = i % q->groups;
        int64_t first = block * q->block, pairs = num_min(q->block, q->pairs - first);
        int64_t last = panels * (group + 1) / q->groups - 1;
        struct strassen_part p = {
            .block = block,
            .pair = first,
            .even = pairs,
            .odd = num_min(2 * (first + pairs), rows) - 2 * first - pairs,
            .room = room_at(q, member),
        };
        strassen_sum_rows(q, &p);
        for (int64_t panel = panels * group / q->groups; panel <= last; panel++) {
            p.is_last = panel == last;
            p.column = panel * WIDTH;
            compute_part(q, &p);
        }
    }
}

static void strassen_run(const struct conv *conv, const struct conv_operands *operands,
                         struct team *team)
{
    int64_t members = team_size(team), block = block_of(conv, members);
    struct quarters q = {.conv = conv,
                         .operands = operands,
                         .depth = conv->in_channels,
                         .half = conv->in_channels / 2,
                         .columns = conv->out_channels,
                         .pairs = num_divide_up(rows_of(conv), 2),
                         .block = block,
                         .groups = 1,
                         .room = room_size(conv, block)};
    int64_t blocks = num_divide_up(q.pairs, q.block);

    assert(strassen_fits(conv) && block > 0);
    assert(operands->src && operands->packed && operands->dst && operands->scratch);
    while (members > 1 && blocks * q.groups < PARTS * members && q.groups < q.columns / 2 / WIDTH)
        q.groups++;
    for (int64_t i = 0; i < members; i++)
        *room_at(&q, i).block = NONE;
    team_share(team, blocks * q.groups, 1, compute_groups, &q);
}

/* t2 takes the place of b12. */
static void strassen_pack(const struct conv *conv, const struct filter *filter, float *packed,
                          struct team *team)
{
    int64_t half = conv->in_channels / 2, columns = conv->out_channels;

    assert(strassen_fits(conv));
    KERNEL(direct).pack(conv, filter, packed, team);
    for (int64_t column = 0; column < columns / 2; column += WIDTH) {
        const float *b11 = packed + column * conv->in_channels;
        float *b12 = packed + (column + columns / 2) * conv->in_channels;
        for (int64_t i = 0; i < half * WIDTH; i++)
            b12[i] = b11[i] - b12[i] + b12[half * WIDTH + i];
    }
}

static size_t strassen_scratch_size(const struct conv *conv, int members)
{
    return (size_t)(room_size(conv, block_of(conv, members)) * members) * sizeof(float);
}

const struct conv_kernel KERNEL(strassen) = {
    .name = "strassen",
    .shortens = true,
    .fits = strassen_fits,
    .packed_size = KERNEL(direct_packed_size),
    .pack = strassen_pack,
    .scratch_size = strassen_scratch_size,
    .run = strassen_run,
};
