/*
 * block_product.c - see block_product.h
 *
 * A panel of columns has its codes in words of 32 bits, those of neighbouring columns side by side.
 * With few rows, a code is masked where it stands in half a word: it counts 2^shift times, and the
 * item that it meets 2^-shift times, which changes no digit.  Zero times the sum of the items of a
 * block is taken from the block's sum at the end.  That takes items of ordinary size: others, and
 * many rows, meet the numbers that codes stand for, in tiles.
 */
#include "kernel/block_product.h"

#include "kernel/activate.h"
#include "kernel/pairs.h"
#include "kernel/panel.h"
#include "kernel/table.h"
#include "kernel/transpose.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Rows for which codes do not become numbers; rows that are computed together; sums of a result
 * that go on side by side. */
enum { FEW_ROWS = 8, ROWS = 4, CHAINS = 4 };

/* Bits of a word, and the most numbers that a member has at a time. */
enum { WORD = 32, NUMBERS = 1 << 14 };

/* --- packing --------------------------------------------------------------------------------- */

struct code_packing {
    const struct conv *conv;
    const struct filter *filter;
    float *packed; /* words */
    int bits;
};

static int64_t words_of(int64_t depth, int width)
{
    return num_divide_up(depth, BLOCK_UNIT) * BLOCK_UNIT * width / WORD;
}

/* The codes of a column that begin with item k; what is behind the last item is 0. */
ALWAYS_INLINE uint32_t pack_word(const struct code_packing *p, int64_t column, int64_t k,
                                 const enum filter_form form)
{
    const struct filter *f = p->filter;
    const int64_t count = num_min(WORD / p->bits, p->conv->in_channels - k);
    const int64_t zero = f->zero[column * f->zero_step];
    uint32_t word = 0;

    for (int64_t i = 0; i < count; i++) {
        const int64_t at = column * f->out + (k + i) * f->in;
        word |= (uint32_t)(filter_integer(f->items, form, at) - zero) << i * p->bits;
    }
    return word;
}

ALWAYS_INLINE void pack_panel(const struct code_packing *p, const struct panel *panel,
                              const enum filter_form form)
{
    const int64_t words = words_of(p->conv->in_channels, p->bits), wide = panel->vecs * LANES;
    const int64_t count = wide - LANES + panel->last;
    uint32_t *to = (uint32_t *)(void *)p->packed + panel->channel * words;

    for (int64_t w = 0; w < words; w++)
        for (int64_t c = 0; c < wide; c++)
            to[w * wide + c] =
                c < count ? pack_word(p, panel->channel + c, w * (WORD / p->bits), form) : 0;
}

/* Are codes of a column in whole words, as the packed ones are, but perhaps for their signs? */
static bool has_words(const struct code_packing *p)
{
    const struct filter *f = p->filter;
    const enum filter_form form = f->form;
    const bool nibbles = form == FILTER_SIGNED_NIBBLES || form == FILTER_UNSIGNED_NIBBLES;

    return form != FILTER_WIDE && p->bits == (nibbles ? 4 : 8) &&
           __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && f->in == 1 && f->zero_step == 0 &&
           *f->zero == filter_range(form).low &&
           (f->out * p->bits % WORD == 0 || p->conv->out_channels == 1) &&
           p->conv->in_channels * p->bits % WORD == 0;
}

/* Squares of words are turned.  With an integer's sign inverted, the least one has the code 0. */
static void pack_words(const struct code_packing *p, const struct panel *panel)
{
    const struct filter *f = p->filter;
    const int64_t words = p->conv->in_channels * p->bits / WORD, step = f->out * p->bits / WORD;
    const int64_t wide = panel->vecs * LANES;
    const bool is_signed = filter_range(f->form).low < 0;
    const uint32_t signs = !is_signed ? 0 : p->bits == 4 ? 0x88888888U : 0x80808080U;
    const unsigned char *from = (const unsigned char *)f->items + panel->channel * step * WORD / 8;
    float *to = p->packed + panel->channel * words_of(p->conv->in_channels, p->bits);

    for (int64_t w = 0; w < words; w += LANES)
        for (int64_t v = 0; v < panel->vecs; v++) {
            const int wanted = v + 1 < panel->vecs ? LANES : panel->last;
            const int count = (int)num_min(LANES, words - w);
            vec row[LANES];
            memset(row, 0, sizeof row);
            for (int i = 0; i < wanted; i++) /* words of a file may lie anywhere */
                memcpy(&row[i], from + ((v * LANES + i) * step + w) * WORD / 8,
                       (size_t)count * sizeof *to);
            vec_transpose(row);
            for (int i = 0; i < count; i++)
                vec_store(to + (w + i) * wide + v * LANES, (vec)((bits)row[i] ^ signs));
        }
}

static void pack_panels(void *data, int64_t begin, int64_t end, int member)
{
    const struct code_packing *p = data;
    const struct panels panels = panels_of(p->conv->out_channels);

    (void)member;
    for (int64_t i = begin; i < end; i++) {
        const struct panel panel = panel_at(&panels, i);
        if (has_words(p)) {
            pack_words(p, &panel);
            continue;
        }
        switch (p->filter->form) {
        case FILTER_SIGNED:
            pack_panel(p, &panel, FILTER_SIGNED);
            break;
        case FILTER_UNSIGNED:
            pack_panel(p, &panel, FILTER_UNSIGNED);
            break;
        case FILTER_WIDE:
            pack_panel(p, &panel, FILTER_WIDE);
            break;
        case FILTER_SIGNED_NIBBLES:
            pack_panel(p, &panel, FILTER_SIGNED_NIBBLES);
            break;
        case FILTER_UNSIGNED_NIBBLES:
            pack_panel(p, &panel, FILTER_UNSIGNED_NIBBLES);
            break;
        }
    }
}

#define PACKING(bits)                                                                            \
    static size_t packed_size_##bits(const struct conv *conv)                                    \
    {                                                                                            \
        const struct panels panels = panels_of(conv->out_channels);                              \
        return (size_t)panels_volume(&panels, words_of(conv->in_channels, bits)) *               \
               sizeof(uint32_t);                                                                 \
    }                                                                                            \
    static void pack_##bits(const struct conv *conv, const struct filter *filter, float *packed, \
                            struct team *team)                                                   \
    {                                                                                            \
        struct code_packing p = {conv, filter, NULL, bits};                                      \
        p.packed = packed;                                                                       \
        team_share(team, panels_of(conv->out_channels).count, 1, pack_panels, &p);               \
    }
PACKING(4)
PACKING(8)

/* --- panels ---------------------------------------------------------------------------------- */

struct block_job {
    const struct block_product *product;
    struct panels panels;
    float *items;   /* of each row, times 2^-shift, and zeros up to whole words */
    float *sums;    /* of the items of each block of a row */
    int64_t padded; /* items of a row */
    int64_t blocks; /* that the depth reaches */
    float *numbers; /* of each member */
};

/* A block of a panel: its words lie `step` from each other. */
struct panel_block {
    const uint32_t *words;
    int64_t count, step;
    const float *scale;
    const uint8_t *zero; /* NULL: all are zero_of_all */
    float zero_of_all;
};

static struct panel_block block_of(const struct block_job *job, const struct panel *panel,
                                   int64_t block)
{
    const struct block_product *p = job->product;
    const int64_t words = words_of(p->size * p->blocks, p->bits), wide = panel->vecs * LANES;
    const int64_t own = panel->channel * p->blocks + block * wide;
    const int64_t items = num_min(p->size, p->depth - block * p->size);

    return (struct panel_block){(const uint32_t *)p->codes + panel->channel * words +
                                    block * p->size * p->bits / WORD * wide,
                                num_divide_up(items * p->bits, WORD),
                                wide,
                                p->scale + own,
                                p->zero ? p->zero + own : NULL,
                                (float)p->zero_of_all};
}

ALWAYS_INLINE bits words_at(const uint32_t *from)
{
    bits words;

    memcpy(&words, from, sizeof words);
    return words;
}

ALWAYS_INLINE vec zeros_at(const struct panel_block *b, int64_t v)
{
    return b->zero ? vec_of_ints(ints_of_bytes(b->zero + v * LANES, false))
                   : vec_all(b->zero_of_all);
}

/* Code `i` of the lower half of words, 2^(i * width) times. */
ALWAYS_INLINE vec code_in_place(bits words, const int i, const int width)
{
    return vec_of_ints((ints)(words & ((1U << width) - 1) << i * width));
}

/* --- few rows -------------------------------------------------------------------------------- */

/* What is computed at once: rows by vectors of a panel, of codes of so many bits. */
struct few {
    int64_t rows, vecs;
    int width;
};

/* The words of a vector meet the items of each row. */
ALWAYS_INLINE void add_words(vec sum[ROWS][CHAINS], bits words, const float *const item[ROWS],
                             const struct few few)
{
    const int half = WORD / 2 / few.width, chains = few.rows > 2 ? CHAINS / 2 : CHAINS;

    UNROLL
    for (int i = 0; i < 2 * half; i++) {
        const vec code = code_in_place(i < half ? words : words >> WORD / 2, i % half, few.width);
        UNROLL
        for (int64_t r = 0; r < few.rows; r++)
            sum[r][i % chains] += code * item[r][i];
    }
}

/* Add a block to the sums of some rows. */
ALWAYS_INLINE void add_block(vec total[ROWS][PANEL_VECS], const struct panel_block *b,
                             const float *item[ROWS], const float *const of_items[ROWS],
                             const struct few few)
{
    vec sum[PANEL_VECS][ROWS][CHAINS] = {{{{0}}}};

    for (int64_t w = 0; w < b->count; w++) {
        UNROLL
        for (int64_t v = 0; v < few.vecs; v++)
            add_words(sum[v], words_at(b->words + w * b->step + v * LANES), item, few);
        UNROLL
        for (int64_t r = 0; r < few.rows; r++)
            item[r] += WORD / few.width;
    }
    UNROLL
    for (int64_t v = 0; v < few.vecs; v++) {
        const vec zero = zeros_at(b, v), scale = vec_load(b->scale + v * LANES);
        UNROLL
        for (int64_t r = 0; r < few.rows; r++) {
            vec all = sum[v][r][0] + sum[v][r][1];
            if (few.rows <= 2)
                all += sum[v][r][2] + sum[v][r][3];
            total[r][v] += scale * (all - zero * *of_items[r]);
        }
    }
}

/* Vectors of a panel from `first` on, by rows from `row` on; `few` is constant. */
ALWAYS_INLINE void multiply(const struct block_job *job, const struct panel *panel,
                            const int64_t at[2], const struct few few)
{
    const struct block_product *p = job->product;
    const int64_t row = at[0], first = at[1];
    const float *item[ROWS], *of_items[ROWS];
    vec total[ROWS][PANEL_VECS] = {{{0}}};

    UNROLL
    for (int64_t r = 0; r < few.rows; r++) {
        item[r] = job->items + (row + r) * job->padded;
        of_items[r] = job->sums + (row + r) * job->blocks;
    }
    for (int64_t k = 0; k < job->blocks; k++) {
        struct panel_block b = block_of(job, panel, k);
        b.words += first * LANES;
        b.scale += first * LANES;
        b.zero = b.zero ? b.zero + first * LANES : NULL;
        add_block(total, &b, item, of_items, few);
        UNROLL
        for (int64_t r = 0; r < few.rows; r++)
            of_items[r]++;
    }
    for (int64_t r = 0; r < few.rows; r++)
        for (int64_t v = 0; v < few.vecs; v++) {
            const int64_t column = panel->channel + (first + v) * LANES;
            const int count = first + v < panel->vecs - 1 ? LANES : panel->last;
            const int64_t to = (row + r) * p->columns + column;
            vec sum = total[r][v];
            if (p->bias)
                sum += vec_load_most(p->bias + column, count);
            if (p->residual)
                sum += vec_load_most(p->residual + to, count);
            vec_store_most(p->result + to, sum, count);
        }
}

/* One row by all vectors of a panel; else each vector by up to ROWS rows. */
ALWAYS_INLINE void multiply_panel(const struct block_job *job, const struct panel *panel,
                                  const int width)
{
    const int64_t rows = job->product->rows, vecs = panel->vecs;
    int64_t at[2] = {0, 0};

    if (rows == 1 && vecs == 1)
        multiply(job, panel, at, (struct few){1, 1, width});
    else if (rows == 1 && vecs == 2)
        multiply(job, panel, at, (struct few){1, 2, width});
#if LANES == 16
    else if (rows == 1 && vecs == 3)
        multiply(job, panel, at, (struct few){1, 3, width});
    else if (rows == 1)
        multiply(job, panel, at, (struct few){1, PANEL_VECS, width});
#endif
    for (at[1] = 0; rows > 1 && at[1] < vecs; at[1]++)
        for (at[0] = 0; at[0] < rows; at[0] += ROWS) {
            const int64_t left = rows - at[0];
            if (left >= 4)
                multiply(job, panel, at, (struct few){ROWS, 1, width});
            else if (left == 3)
                multiply(job, panel, at, (struct few){3, 1, width});
            else if (left == 2)
                multiply(job, panel, at, (struct few){2, 1, width});
            else
                multiply(job, panel, at, (struct few){1, 1, width});
        }
}

static void multiply_panels(void *data, int64_t begin, int64_t end, int member)
{
    const struct block_job *job = data;
    const struct block_product *p = job->product;

    (void)member;
    for (int64_t i = begin; i < end; i++) {
        const struct panel panel = panel_at(&job->panels, i);
        if (p->bits == 4)
            multiply_panel(job, &panel, 4);
        else
            multiply_panel(job, &panel, 8);
        for (int64_t r = 0; r < p->rows && p->epilogue->activation != ACTIVATION_NONE; r++)
            KERNEL(activate)
        (p->epilogue, p->result + r * p->columns + panel.channel,
         (panel.vecs - 1) * LANES + panel.last);
    }
}

/* Items times 2^-shift, and their sums.  False: some are too large or too small for that. */
static bool prepare_row(const struct block_job *job, int64_t row)
{
    const struct block_product *p = job->product;
    const int half = WORD / 2 / p->bits;
    const float *from = p->left + row * p->depth;
    float *to = job->items + row * job->padded, *sum = job->sums + row * job->blocks;
    float most = 0;
    bool is_finite = true;

    for (int64_t b = 0; b < job->blocks; b++)
        sum[b] = 0;
    for (int64_t k = 0; k < p->depth; k++) {
        const float size = fabsf(from[k]);
        is_finite &= size < 0x1p100F;
        most = size > most ? size : most;
        to[k] = from[k] * (1 / (float)(1 << k % half * p->bits));
        sum[k / p->size] += from[k];
    }
    for (int64_t k = p->depth; k < job->padded; k++)
        to[k] = 0;
    return is_finite && (most > 0x1p-90F || most <= 0);
}

/* --- numbers --------------------------------------------------------------------------------- */

/* The numbers of codes k and on of a panel, up to whole words. */
ALWAYS_INLINE void decode(const struct block_job *job, const struct panel *panel,
                          const int64_t range[2], float *to, const int width)
{
    const int64_t size = job->product->size, each = WORD / width;
    const int half = (int)each / 2;

    for (int64_t k = range[0]; k < range[1]; k += each) {
        const struct panel_block b = block_of(job, panel, k / size);
        const uint32_t *from = b.words + k % size / each * b.step;
        for (int64_t v = 0; v < panel->vecs; v++) {
            const bits words = words_at(from + v * LANES);
            const vec zero = zeros_at(&b, v), scale = vec_load(b.scale + v * LANES);
            float *item = to + (k - range[0]) * b.step + v * LANES;
            UNROLL
            for (int i = 0; i < 2 * half; i++)
                vec_store(item + i * b.step,
                          (code_in_place(words >> i * width, 0, width) - zero) * scale);
        }
    }
}

/* Chunks of the depth that numbers have room for, one after the other. */
static void multiply_numbers(void *data, int64_t begin, int64_t end, int member)
{
    static const int64_t at_once;
    const struct block_job *job = data;
    const struct block_product *p = job->product;
    float *numbers = job->numbers + (int64_t)member * NUMBERS;
    const int64_t chunk = NUMBERS / (PANEL_VECS * LANES);

    for (int64_t i = begin; i < end; i++) {
        const struct panel panel = panel_at(&job->panels, i);
        for (int64_t k = 0; k < p->depth; k += chunk) {
            const int64_t range[] = {k, num_min(k + chunk, p->depth)};
            if (p->bits == 4)
                decode(job, &panel, range, numbers, 4);
            else
                decode(job, &panel, range, numbers, 8);
            struct tile tile = {.src = p->left + k,
                                .weights = numbers,
                                .taps = &at_once,
                                .tap_count = 1,
                                .run = range[1] - k,
                                .bias = p->bias ? p->bias + panel.channel : NULL,
                                .residual = p->residual ? p->residual + panel.channel : NULL,
                                .dst = p->result + panel.channel,
                                .in_step = p->depth,
                                .out_step = p->columns,
                                .residual_step = p->columns,
                                .epilogue = range[1] == p->depth ? p->epilogue : NULL,
                                .weights_end = numbers,
                                .vecs = panel.vecs,
                                .last = panel.last,
                                .more = k > 0};
            KERNEL(tile_compute)(&tile, p->rows);
        }
    }
}

/* --- the whole ------------------------------------------------------------------------------- */

static int64_t padded_depth(const struct block_product *p)
{
    return num_divide_up(p->depth, BLOCK_UNIT) * BLOCK_UNIT;
}

static size_t scratch_size(const struct block_product *p, int members)
{
    const int64_t few = num_min(p->rows, FEW_ROWS);

    return (size_t)(members * (int64_t)NUMBERS + few * (padded_depth(p) + p->blocks)) *
           sizeof(float);
}

static void run(const struct block_product *p, struct team *team)
{
    struct block_job job = {.product = p,
                            .panels = panels_of(p->columns),
                            .padded = padded_depth(p),
                            .blocks = num_divide_up(p->depth, p->size),
                            .numbers = p->scratch};
    bool few = p->rows <= FEW_ROWS;

    assert(p->bits == 4 || p->bits == 8);
    assert(p->size % BLOCK_UNIT == 0 || job.blocks == 1);
    job.items = job.numbers + (int64_t)team_size(team) * NUMBERS;
    job.sums = job.items + num_min(p->rows, FEW_ROWS) * job.padded;
    for (int64_t r = 0; few && r < p->rows; r++)
        few = prepare_row(&job, r);
    team_share(team, job.panels.count, 1, few ? multiply_panels : multiply_numbers, &job);
}

static int64_t zeros(int64_t blocks, int64_t columns)
{
    const struct panels panels = panels_of(columns);

    return panels_volume(&panels, blocks);
}

static int64_t zero_at(const struct block_product *p, int64_t block, int64_t column)
{
    const struct panels panels = panels_of(p->columns);
    int64_t i = column / LANES * panels.count / panels.vecs;

    while (i + 1 < panels.count && panel_at(&panels, i + 1).channel <= column)
        i++;
    const struct panel panel = panel_at(&panels, i);
    return panel.channel * p->blocks + block * panel.vecs * LANES + column - panel.channel;
}

#define PACKER(bits)                                              \
    {                                                             \
        .name = "codes of " #bits " bits", .fits = conv_fits_any, \
        .packed_size = packed_size_##bits, .pack = pack_##bits    \
    }

const struct block_kernels KERNEL(blocks) = {
    .packing_4 = PACKER(4),
    .packing_8 = PACKER(8),
    .scratch_size = scratch_size,
    .run = run,
    .zeros = zeros,
    .zero_at = zero_at,
};
