/*
 * bytes_columns.c - depthwise convolution of bytes, as products of quads of 64 channels
 *
 * The bytes of 64 channels become four vectors of quads by shuffles within 128 bits: vector v has
 * channels 4v to 4v + 3 of each 16.  Weights, bias and factors are in that order.  Packing the
 * results to bytes restores the order of channels.
 */
#include "kernel/bytes_columns.h"

#include "kernel/table.h"

#if defined __AVX512VNNI__

enum {
    NEAR_COLUMNS = 64,
    NEIGHBOURS = 4, /* pixels that share the loads of weights */
};

/* Keeps a vector in a register: the compiler would load it a second time. */
#define IN_REGISTER(x) __asm__("" : "+v"(x))

static int64_t block_count(const struct conv *conv)
{
    return num_divide_up(conv->out_channels, WIDTH);
}

static size_t columns_packed_size(const struct conv *conv)
{
    return (size_t)block_count(conv) * block_size(conv);
}

/* The index of a channel in the lists of a block. */
static int64_t lane_of(int64_t channel)
{
    return channel % 16 / 4 * LANES + channel / 16 * 4 + channel % 4;
}

static void columns_pack(const struct conv *conv, const struct filter *filter,
                         float *packed, /* NOLINT(readability-non-const-parameter) */
                         struct team *team)
{
    (void)team;
    memset(packed, 0, columns_packed_size(conv));
    for (int64_t c = 0; c < conv->out_channels; c++)
        pack_lane(conv, filter, c, (char *)packed + (size_t)(c / WIDTH) * block_size(conv),
                  lane_of(c % WIDTH));
}

/* --- scratch --------------------------------------------------------------------------------- */

static size_t buffer_size(const struct conv *conv)
{
    return (size_t)(columns_under(conv, piece_of(conv, NEAR_COLUMNS)) * quads_of(conv)) * COLUMN;
}

/* The initial sums and the factors, in the order of lanes; then the columns of each member. */
static size_t columns_scratch_size(const struct conv *conv, int members)
{
    return buffers_begin(block_count(conv)) + rooms_size(buffer_size(conv), members);
}

/* Put the lists of all channels in the order of lanes. */
static void order_lists(const struct quads_run *r)
{
    const struct byte_operands *operands = r->operands;
    const struct conv *conv = &r->layer->conv;
    const uint32_t excess = (uint32_t)r->layer->src.zero + r->flip;

    memset(r->begin, 0, lists_size(r->blocks));
    for (int64_t c = 0; c < conv->out_channels; c++) {
        const char *block = (const char *)operands->packed + (size_t)(c / WIDTH) * r->block;
        const int64_t lane = lane_of(c % WIDTH), at = c / WIDTH * WIDTH + lane;
        r->begin[at] = begin_of(operands, c, block, lane, excess);
        if (operands->factor)
            r->factor[at] = operands->factor[c];
    }
}

/* --- columns --------------------------------------------------------------------------------- */

/* A band of rows of results of a block of channels, and a piece of these rows. */
struct part {
    int64_t image, y, channel; /* the first ones */
    int count;                 /* channels that exist */
    int64_t x, pixels;         /* of the piece */
    int64_t columns;           /* under it */
    const int32_t *begin;
    const float *factor;
    const int8_t *weights;
    uint8_t *buffer;
};

/* The columns of the channels that exist; constant arguments save moves and masks. */
ALWAYS_INLINE void put_columns(uint8_t *to, const struct column_source *source, int64_t count,
                               const __mmask64 exist, const uint8_t flip)
{
    struct column_source s = *source;

    for (int64_t x = 0; x < count; x++) {
        __m512i row[QUAD];
        UNROLL
        for (int i = 0; i < QUAD; i++) {
            row[i] = _mm512_xor_si512(_mm512_maskz_loadu_epi8(exist, s.from[i]),
                                      _mm512_set1_epi8((char)flip));
            IN_REGISTER(row[i]);
            if (s.far)
                __builtin_prefetch(s.from[i] + FAR_AHEAD);
            s.from[i] += s.step[i];
        }
        put_column(to + x * COLUMN, row);
    }
}

/* Quad q of the columns under a part. */
static struct column_area area_of(const struct quads_run *r, const struct part *part, int64_t q)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t top = part->y * conv->stride.y - conv->before.y;

    return (struct column_area){.image = part->image,
                                .channel = part->channel,
                                .top = top + q * QUAD * conv->dilation.y,
                                .rows = rows_of_quad(r, q),
                                .first = part->x * conv->stride.x,
                                .count = part->columns};
}

static void put_quads(const struct quads_run *r, const struct part *part, int64_t q)
{
    uint8_t *to = part->buffer + q * part->columns * COLUMN;
    const struct column_area area = area_of(r, part, q);
    const struct column_span span = span_of(r, &area);
    const __mmask64 exist = UINT64_MAX >> (WIDTH - part->count);
    const int64_t count = span.end - span.begin;
    uint8_t *inside = to + span.begin * COLUMN;

    put_zeros(r, to, span.begin * COLUMN);
    if (r->flip != 0)
        put_columns(inside, &span.source, count, exist, r->flip);
    else if (part->count < WIDTH)
        put_columns(inside, &span.source, count, exist, 0);
    else
        put_columns(inside, &span.source, count, UINT64_MAX, 0);
    put_zeros(r, to + span.end * COLUMN, (part->columns - span.end) * COLUMN);
}

/* --- results --------------------------------------------------------------------------------- */

/* The results of 64 channels, from sums in the order of lanes, if they are no bytes. */
static void put_others(const struct byte_sink *sink, const struct part *part, const ints *sum,
                       int64_t at)
{
    int32_t lanes[WIDTH], ordered[WIDTH];

    memcpy(lanes, sum, sizeof lanes);
    for (int64_t c = 0; c < WIDTH; c++)
        ordered[c] = lanes[lane_of(c)];
    for (int c = 0; c < part->count; c += LANES)
        put_sums(*sink, ints_load(ordered + c), at + c, part->channel + c,
                 part->count - c < LANES ? part->count - c : LANES);
}

/* The first item of a row of results. */
static int64_t first_of(const struct quads_run *r, const struct part *part, int64_t row)
{
    const struct steps *dst = &r->layer->conv.dst;

    return part->image * dst->image + (part->y + row) * dst->row + part->x * dst->pixel +
           part->channel;
}

/* A row of results as bytes.  Filters of few taps are held in registers. */
ALWAYS_INLINE void do_row_of_few(const struct quads_run *r, const struct part *part, int64_t row,
                                 const enum byte_saturation saturation)
{
    const struct conv *conv = &r->layer->conv;
    const struct byte_sink sink = sink_of(r->layer, r->operands);
    const int64_t step = conv->dilation.x * COLUMN, next = conv->stride.x * COLUMN;
    const int64_t pixels = part->pixels, to_step = conv->dst.pixel;
    const uint8_t *column = part->buffer;
    uint8_t *to = (uint8_t *)sink.dst + first_of(r, part, row);
    struct held_filter held;

    hold_filter(&held, part->weights + row * ROW_TAPS * COLUMN, part->begin, part->factor);
    for (int64_t x = 0; x < pixels; x++, to += to_step, column += next) {
        vec steps[VECS];
        held_steps(steps, &held, column, step);
        store_first(to, bytes_of(&sink, steps, saturation), part->count);
    }
}

/* The results of 64 channels of a pixel, from item `at` on. */
ALWAYS_INLINE void put_pixel(const struct quads_run *r, const struct part *part,
                             const struct byte_sink *sink, const ints *sum, int64_t at)
{
    vec steps[VECS];

    if (sink->result != RESULT_BYTES) {
        ints copy[VECS];
        UNROLL
        for (int v = 0; v < VECS; v++)
            copy[v] = sum[v];
        put_others(sink, part, copy, at);
        return;
    }
    UNROLL
    for (int v = 0; v < VECS; v++)
        steps[v] = vec_of_ints(sum[v]) * vec_load(part->factor + (int64_t)v * LANES);
    store_first((uint8_t *)sink->dst + at,
                r->saturation == UNSATURATED ? bytes_of(sink, steps, UNSATURATED)
                                             : bytes_of(sink, steps, SATURATED),
                part->count);
}

/* Pixel x of a row and its neighbours, a constant number. */
ALWAYS_INLINE void do_pixels(const struct quads_run *r, const struct part *part, int64_t row,
                             int64_t x, const int count)
{
    const struct conv *conv = &r->layer->conv;
    const struct byte_sink sink = sink_of(r->layer, r->operands);
    const int64_t step = conv->dilation.x * COLUMN, next = conv->stride.x * COLUMN;
    const int8_t *weights = part->weights + row * r->taps * COLUMN;
    const uint8_t *columns = part->buffer + x * next;
    ints sum[NEIGHBOURS][VECS];

    UNROLL
    for (int i = 0; i < count; i++)
        UNROLL
    for (int v = 0; v < VECS; v++)
        sum[i][v] = ints_load(part->begin + (int64_t)v * LANES);
    for (int64_t q = 0; q < r->quads; q++, columns += part->columns * COLUMN)
        for (int64_t tap = 0; tap < conv->kernel.x; tap++, weights += COLUMN) {
            signed_quads w[VECS];
            block_weights(w, weights, 0);
            UNROLL
            for (int i = 0; i < count; i++)
                add_column(sum[i], columns + tap * step + i * next, w);
        }
    UNROLL
    for (int i = 0; i < count; i++)
        put_pixel(r, part, &sink, sum[i], first_of(r, part, row) + (x + i) * conv->dst.pixel);
}

static void do_row(const struct quads_run *r, const struct part *part, int64_t row)
{
    int64_t x = 0;

    for (; x + NEIGHBOURS <= part->pixels; x += NEIGHBOURS)
        do_pixels(r, part, row, x, NEIGHBOURS);
    for (; x < part->pixels; x++)
        do_pixels(r, part, row, x, 1);
}

static void do_piece(const struct quads_run *r, const struct part *part)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t rows = num_min(r->band, conv->out.y - part->y);
    const bool few = r->taps == ROW_TAPS && r->quads == 1;

    for (int64_t q = 0; q < r->quads; q++)
        put_quads(r, part, q);
    for (int64_t row = 0; row < rows; row++)
        if (few && r->saturation == SATURATED_AT_ZERO)
            do_row_of_few(r, part, row, SATURATED_AT_ZERO);
        else if (few && r->saturation == SATURATED)
            do_row_of_few(r, part, row, SATURATED);
        else if (few && r->layer->result == RESULT_BYTES)
            do_row_of_few(r, part, row, UNSATURATED);
        else
            do_row(r, part, row);
}

/* --- filters of three by three that move by two pixels --------------------------------------- */

/*
 * Of the three columns under a window, the next window shares one.  So columns are used as soon as
 * they are made, and no buffer holds them.  A block of at most 32 channels computes two
 * neighbouring pixels, one in each half of its vectors.
 */
static bool moves_by_two(const struct byte_layer *layer)
{
    const struct conv *conv = &layer->conv;

    return layer->result == RESULT_BYTES && conv->kernel.y == ROW_TAPS &&
           conv->kernel.x == ROW_TAPS && conv->stride.y == 2 && conv->stride.x == 2 &&
           conv->dilation.y == 1 && conv->dilation.x == 1;
}

/* The lower half, twice. */
ALWAYS_INLINE __m512i doubled(__m512i x)
{
    return _mm512_shuffle_i64x2(x, x, 0x44);
}

ALWAYS_INLINE void double_filter(struct held_filter *held)
{
    UNROLL
    for (int v = 0; v < VECS; v++) {
        UNROLL
        for (int tap = 0; tap < ROW_TAPS; tap++)
            held->weights[tap][v] = (signed_quads)doubled((__m512i)held->weights[tap][v]);
        held->begin[v] = (ints)doubled((__m512i)held->begin[v]);
        held->factor[v] = (vec)doubled((__m512i)held->factor[v]);
    }
}

/* How columns are read.  `paired`, and whether `flip` is 0, are constants where it is used. */
struct column_form {
    bool paired; /* the upper half has the column two pixels further on */
    uint8_t flip;
    __m512i zero; /* of the source */
};

/* The channels that exist in a column, and in the upper half: none outside the image. */
struct column_mask {
    __mmask64 low;
    __mmask32 high;
};

static struct column_mask mask_of(const struct quads_run *r, const struct part *part,
                                  int64_t column)
{
    const int64_t x = column - r->layer->conv.before.x, end = r->layer->conv.in.x;
    const __mmask64 exist = UINT64_MAX >> (WIDTH - part->count);

    return (struct column_mask){x >= 0 && x < end ? exist : 0,
                                x >= -2 && x < end - 2 ? (__mmask32)exist : 0};
}

/* The column `at` pixels further on. */
ALWAYS_INLINE void take_column(quads column[VECS], const struct column_source *s, int64_t at,
                               struct column_mask mask, const struct column_form form)
{
    __m512i row[QUAD];

    UNROLL
    for (int i = 0; i < ROW_TAPS; i++) {
        const uint8_t *from = s->from[i] + at * s->step[i];
        row[i] = _mm512_mask_loadu_epi8(form.zero, mask.low, from);
        if (form.paired)
            row[i] = _mm512_inserti64x4(row[i],
                                        _mm256_mask_loadu_epi8(_mm512_castsi512_si256(form.zero),
                                                               mask.high, from + 2 * s->step[i]),
                                        1);
        if (form.flip != 0)
            row[i] = _mm512_xor_si512(row[i], _mm512_set1_epi8((char)form.flip));
        if (s->far)
            __builtin_prefetch(from + FAR_AHEAD);
    }
    row[ROW_TAPS] = row[0]; /* its weights are 0 */
    column_of(column, row);
}

/* The upper half of x, and the lower half of y. */
ALWAYS_INLINE quads between(quads x, quads y)
{
    return (quads)_mm512_shuffle_i64x2((__m512i)x, (__m512i)y, 0x4E);
}

/* A row of results. */
ALWAYS_INLINE void do_moves(const struct quads_run *r, const struct part *part,
                            const struct column_form form)
{
    const struct conv *conv = &r->layer->conv;
    const struct byte_sink sink = sink_of(r->layer, r->operands);
    const enum byte_saturation saturation = r->saturation;
    const int64_t pixels = form.paired ? 2 : 1, width = conv->out.x, to_step = conv->dst.pixel;
    /* All columns of the pixels from `begin` to `end` are in the image: full masks are set once. */
    const int64_t begin = num_max(conv->before.x + 1, 0) / 2;
    const int64_t end = (conv->in.x + conv->before.x - 4 * pixels + 3) / 2;
    const struct column_area area = area_of(r, part, 0);
    struct column_source source = source_of(r, &area, 0);
    struct column_mask second = {0}, third = {0};
    uint8_t *to = (uint8_t *)sink.dst + first_of(r, part, 0);
    struct held_filter held;
    quads first[VECS];

    hold_filter(&held, part->weights, part->begin, part->factor);
    if (form.paired)
        double_filter(&held);
    take_column(first, &source, 0, mask_of(r, part, 0), form);
    for (int64_t x = 0; x < width; x += pixels, to += pixels * to_step) {
        quads column[VECS];
        ints sum[VECS];
        vec steps[VECS];
        if (x < begin + pixels || x >= end) {
            second = mask_of(r, part, 2 * x + 1);
            third = mask_of(r, part, 2 * (x + pixels));
        }
        UNROLL
        for (int v = 0; v < VECS; v++)
            sum[v] = held.begin[v];
        add_quads(sum, first, held.weights[0]);
        take_column(column, &source, 1, second, form);
        add_quads(sum, column, held.weights[1]);
        take_column(column, &source, 2 * pixels, third, form);
        UNROLL
        for (int v = 0; v < VECS; v++) {
            const quads last = form.paired ? between(first[v], column[v]) : column[v];
            sum[v] = quads_add_products(sum[v], last, held.weights[2][v]);
            steps[v] = vec_of_ints(sum[v]) * held.factor[v];
            first[v] = column[v];
        }
        UNROLL
        for (int i = 0; i < ROW_TAPS; i++)
            source.from[i] += 2 * pixels * source.step[i];
        const __m512i bytes = saturation == SATURATED_AT_ZERO
                                  ? bytes_of(&sink, steps, SATURATED_AT_ZERO)
                              : saturation == SATURATED ? bytes_of(&sink, steps, SATURATED)
                                                        : bytes_of(&sink, steps, UNSATURATED);
        store_first(to, bytes, part->count);
        if (form.paired && x + 1 < width)
            store_first(to + to_step, _mm512_castsi256_si512(_mm512_extracti64x4_epi64(bytes, 1)),
                        part->count);
    }
}

/* Expanded for what is constant. */
static void do_moves_of(const struct quads_run *r, const struct part *part)
{
    const bool paired = part->count <= WIDTH / 2;
    const __m512i zero = _mm512_set1_epi8((char)r->zero[0]);

    if (paired && r->flip != 0)
        do_moves(r, part, (struct column_form){true, MOVED, zero});
    else if (paired)
        do_moves(r, part, (struct column_form){true, 0, zero});
    else if (r->flip != 0)
        do_moves(r, part, (struct column_form){false, MOVED, zero});
    else
        do_moves(r, part, (struct column_form){false, 0, zero});
}

/* --- running --------------------------------------------------------------------------------- */

static void do_pieces(const struct quads_run *r, struct part *part)
{
    const struct conv *conv = &r->layer->conv;

    for (part->x = 0; part->x < conv->out.x; part->x += part->pixels) {
        part->pixels = num_min(r->piece, conv->out.x - part->x);
        part->columns = columns_under(conv, part->pixels);
        do_piece(r, part);
    }
}

/* Members get channels if they do so in the layers around this one, which are divided by
 * bytes_layer.h: their weights are more than their images then, if these have an eighth of the
 * channels on their other side. */
static bool has_many_channels(const struct conv *conv)
{
    enum { NARROWER = 8 };

    return conv->out_channels > NARROWER * conv->batch * conv->out.y * conv->out.x;
}

static void do_parts(void *data, int64_t begin, int64_t end, int member)
{
    const struct quads_run *r = data;
    const int64_t channels = r->layer->conv.out_channels;
    const bool by_two = moves_by_two(r->layer), by_channels = has_many_channels(&r->layer->conv);

    for (; begin < end; begin++) {
        const int64_t index = begin % (r->blocks * r->bands);
        const int64_t block = by_channels ? index / r->bands : index % r->blocks;
        const int64_t band = by_channels ? index % r->bands : index / r->blocks;
        const char *packed = (const char *)r->operands->packed + (size_t)block * r->block;
        struct part part = {.image = begin / r->blocks / r->bands,
                            .y = band * r->band,
                            .channel = block * WIDTH,
                            .count = (int)num_min(channels - block * WIDTH, WIDTH),
                            .begin = r->begin + block * WIDTH,
                            .factor = r->factor + block * WIDTH,
                            .weights = (const int8_t *)packed + WIDTH * sizeof(int32_t),
                            .buffer = (uint8_t *)r->buffers + room_begin(r->buffer, member)};
        if (by_two)
            do_moves_of(r, &part);
        else
            do_pieces(r, &part);
    }
}

void BYTE_KERNEL(run_byte_columns)(const struct byte_layer *layer,
                                   const struct byte_operands *operands, struct team *team)
{
    const struct conv *conv = &layer->conv;
    struct quads_run r = quads_run_of(layer, operands, block_count(conv), buffer_size(conv));

    r.piece = piece_of(conv, NEAR_COLUMNS);
    order_lists(&r);
    team_share(team, conv->batch * r.bands * r.blocks, 4, do_parts, &r);
}

const struct conv_kernel BYTE_KERNEL(byte_columns) = {
    .name = "depthwise, quads of bytes",
    .packs_phases = true,
    .fits = is_depthwise,
    .packed_size = columns_packed_size,
    .pack = columns_pack,
    .scratch_size = columns_scratch_size,
};

#endif
