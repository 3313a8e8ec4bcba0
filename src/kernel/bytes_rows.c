/*
 * bytes_rows.c - depthwise convolution of bytes, as products of quads of neighbouring bytes
 *
 * Where windows move by one pixel, and channels are no multiple of 64, blocks of 64 bytes of a row
 * go on from pixel to pixel, so that no lane is without work.  So many blocks as there are patterns
 * have weights that differ; then these are repeated.  Quads are in the order of the bytes: a tap is
 * so many pixels away in the same buffer.
 */
#include "kernel/bytes_columns.h"
#include "kernel/table.h"

#if defined __AVX512VNNI__

enum {
    PATTERNS = 16,
    WORTH_IT = 8,
    NEAR_QUADS = 32 << 10, /* bytes of quads that stay in the first cache, beside weights */
};

/* The number of blocks after which one begins with the first channel again. */
static int64_t patterns_of(const struct conv *conv)
{
    int64_t patterns = conv->in_channels;

    for (int i = 1; i < WIDTH && patterns % 2 == 0; i *= 2)
        patterns /= 2;
    return patterns;
}

/* Blocks of channels would be an eighth longer, or more. */
static bool rows_fit(const struct conv *conv)
{
    const int64_t channels = conv->in_channels;
    const int64_t unused = num_divide_up(channels, WIDTH) * WIDTH - channels;

    return is_depthwise(conv) && conv->stride.x == 1 && conv->src.pixel == channels &&
           unused * WORTH_IT >= channels && patterns_of(conv) <= PATTERNS;
}

static size_t rows_packed_size(const struct conv *conv)
{
    return (size_t)patterns_of(conv) * block_size(conv);
}

static void rows_pack(const struct conv *conv, const struct filter *filter,
                      float *packed, /* NOLINT(readability-non-const-parameter) */
                      struct team *team)
{
    (void)team;
    memset(packed, 0, rows_packed_size(conv));
    for (int64_t i = 0; i < patterns_of(conv) * WIDTH; i++)
        pack_lane(conv, filter, i % conv->out_channels,
                  (char *)packed + (size_t)(i / WIDTH) * block_size(conv), i % WIDTH);
}

/* Bytes of the quads under so many pixels of a row; the last block may be read and written beyond.
 */
static int64_t row_size(const struct conv *conv, int64_t pixels)
{
    return (columns_under(conv, pixels) * conv->in_channels + WIDTH) * QUAD;
}

static int64_t piece_pixels(const struct conv *conv)
{
    return piece_of(conv, NEAR_QUADS / (conv->in_channels * QUAD));
}

static size_t buffer_size(const struct conv *conv)
{
    const int64_t size = row_size(conv, piece_pixels(conv)) * quads_of(conv);

    return (size_t)num_divide_up(size, KERNEL_ALIGNMENT) * KERNEL_ALIGNMENT;
}

/* The initial sums and the factors of all patterns; then the quads of each member. */
static size_t rows_scratch_size(const struct conv *conv, int members)
{
    return buffers_begin(patterns_of(conv)) + rooms_size(buffer_size(conv), members);
}

static void fill_lists(const struct quads_run *r)
{
    const struct byte_operands *operands = r->operands;
    const struct conv *conv = &r->layer->conv;
    const uint32_t excess = (uint32_t)r->layer->src.zero + r->flip;

    for (int64_t i = 0; i < r->blocks * WIDTH; i++) {
        const char *block = (const char *)operands->packed + (size_t)(i / WIDTH) * r->block;
        const int64_t channel = i % conv->out_channels;
        r->begin[i] = begin_of(operands, channel, block, i % WIDTH, excess);
        r->factor[i] = operands->factor ? operands->factor[channel] : 0;
    }
}

/* --- quads ----------------------------------------------------------------------------------- */

/* So many quads from four rows, blocks of pixels at a time. */
static void put_row_quads(uint8_t *to, const struct column_source *source, int64_t count,
                          uint8_t flip)
{
    const __m512i flips = _mm512_set1_epi8((char)flip);
    struct column_source s = *source;

    for (int64_t i = 0; i < count; i += WIDTH) {
        const __mmask64 exist = UINT64_MAX >> (WIDTH - num_min(count - i, WIDTH));
        __m512i row[QUAD];
        UNROLL
        for (int k = 0; k < QUAD; k++) {
            /* So that the unpacking within 128 bits leaves the bytes in their order. */
            row[k] = transposed_fours(
                _mm512_xor_si512(_mm512_maskz_loadu_epi8(exist, s.from[k]), flips));
            s.from[k] += s.step[k] > 0 ? WIDTH : 0;
        }
        put_column(to + i * QUAD, row);
    }
}

/* A piece of a band of rows of results. */
struct row_piece {
    int64_t image, y, x; /* the first row and pixel */
    int64_t pixels;      /* of a row */
    uint8_t *buffer;
};

/* Quad q of all columns under a piece. */
static void put_quads(const struct quads_run *r, const struct row_piece *piece, int64_t q)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t channels = conv->in_channels, pixel = channels * QUAD;
    const int64_t top = piece->y * conv->stride.y - conv->before.y;
    const struct column_area area = {.image = piece->image,
                                     .top = top + q * QUAD * conv->dilation.y,
                                     .rows = rows_of_quad(r, q),
                                     .first = piece->x,
                                     .count = columns_under(conv, piece->pixels)};
    uint8_t *to = piece->buffer + q * row_size(conv, r->piece);
    const struct column_span span = span_of(r, &area);

    put_zeros(r, to, span.begin * pixel);
    put_row_quads(to + span.begin * pixel, &span.source, (span.end - span.begin) * channels,
                  r->flip);
    put_zeros(r, to + span.end * pixel, (area.count - span.end) * pixel);
}

/* --- results --------------------------------------------------------------------------------- */

/* A row of a piece, of which blocks of one pattern are computed. */
struct line {
    int64_t first;           /* item of the results */
    int64_t at, items, step; /* the first byte of a block, those of all, and to the next block */
    const uint8_t *from;
    const int8_t *weights;
    const int32_t *begin;
    const float *factor;
};

/* Results of a block, from byte `at` of the row on, as pixels that do not follow each other, or no
 * bytes. */
static void put_pieces(const struct quads_run *r, const struct line *line, const ints *sum,
                       int64_t at)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t count = num_min(line->items - at, WIDTH);
    struct byte_sink sink = sink_of(r->layer, r->operands);
    int32_t sums[WIDTH + LANES] = {0};

    memcpy(sums, sum, WIDTH * sizeof *sums);
    sink.factor = line->factor;
    for (int64_t i = 0, piece; i < count; i += piece) {
        const int64_t channel = (at + i) % conv->out_channels;
        piece = num_min(num_min(conv->out_channels - channel, count - i), LANES);
        put_sums(sink, ints_load(sums + i),
                 line->first + (at + i) / conv->out_channels * conv->dst.pixel + channel, i,
                 (int)piece);
    }
}

/* The blocks as bytes that follow each other.  Filters of few taps are held in registers. */
ALWAYS_INLINE void do_line_of_few(const struct quads_run *r, const struct line *line,
                                  const enum byte_saturation saturation)
{
    const struct byte_sink sink = sink_of(r->layer, r->operands);
    const struct conv *conv = &r->layer->conv;
    const int64_t tap_step = conv->dilation.x * conv->in_channels * QUAD;
    const int64_t items = line->items, step = line->step;
    const uint8_t *from = line->from + line->at * QUAD;
    uint8_t *to = (uint8_t *)sink.dst + line->first;
    struct held_filter held;

    hold_filter(&held, line->weights, line->begin, line->factor);
    for (int64_t at = line->at; at < items; at += step, from += step * QUAD) {
        const __mmask64 exist = UINT64_MAX >> (WIDTH - num_min(items - at, WIDTH));
        vec steps[VECS];
        held_steps(steps, &held, from, tap_step);
        _mm512_mask_storeu_epi8(to + at, exist, ordered_bytes_of(&sink, steps, saturation));
    }
}

static void do_line(const struct quads_run *r, const struct line *line)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t taps = r->taps, pixel = conv->in_channels * QUAD;

    for (int64_t at = line->at; at < line->items; at += line->step) {
        ints sum[VECS];
        UNROLL
        for (int v = 0; v < VECS; v++)
            sum[v] = ints_load(line->begin + (int64_t)v * LANES);
        for (int64_t tap = 0; tap < taps; tap++) {
            const uint8_t *from = line->from + tap / conv->kernel.x * row_size(conv, r->piece) +
                                  tap % conv->kernel.x * conv->dilation.x * pixel + at * QUAD;
            signed_quads w[VECS];
            block_weights(w, line->weights, tap);
            add_column(sum, from, w);
        }
        put_pieces(r, line, sum, at);
    }
}

/* Row `row` of a piece. */
static void do_row(const struct quads_run *r, const struct row_piece *piece, int64_t row)
{
    const struct conv *conv = &r->layer->conv;
    const bool few = r->taps == ROW_TAPS && r->quads == 1 &&
                     conv->dst.pixel == conv->out_channels && r->layer->result == RESULT_BYTES;

    for (int64_t i = 0; i < r->blocks; i++) {
        const char *block = (const char *)r->operands->packed + (size_t)i * r->block;
        const struct line line = {
            .first = piece->image * conv->dst.image + (piece->y + row) * conv->dst.row +
                     piece->x * conv->dst.pixel,
            .at = i * WIDTH,
            .items = piece->pixels * conv->out_channels,
            .step = r->blocks * WIDTH,
            .from = piece->buffer,
            .weights = (const int8_t *)block + WIDTH * sizeof(int32_t) + row * r->taps * COLUMN,
            .begin = r->begin + i * WIDTH,
            .factor = r->factor + i * WIDTH};
        if (few && r->saturation == SATURATED_AT_ZERO)
            do_line_of_few(r, &line, SATURATED_AT_ZERO);
        else if (few && r->saturation == SATURATED)
            do_line_of_few(r, &line, SATURATED);
        else if (few)
            do_line_of_few(r, &line, UNSATURATED);
        else
            do_line(r, &line);
    }
}

static void do_bands(void *data, int64_t begin, int64_t end, int member)
{
    const struct quads_run *r = data;
    const struct conv *conv = &r->layer->conv;

    for (; begin < end; begin++)
        for (int64_t x = 0; x < conv->out.x; x += r->piece) {
            const struct row_piece piece = {.image = begin / r->bands,
                                            .y = begin % r->bands * r->band,
                                            .x = x,
                                            .pixels = num_min(r->piece, conv->out.x - x),
                                            .buffer = (uint8_t *)r->buffers +
                                                      room_begin(r->buffer, member)};
            for (int64_t q = 0; q < r->quads; q++)
                put_quads(r, &piece, q);
            for (int64_t row = 0; row < num_min(r->band, conv->out.y - piece.y); row++)
                do_row(r, &piece, row);
        }
}

void BYTE_KERNEL(run_byte_rows)(const struct byte_layer *layer,
                                const struct byte_operands *operands, struct team *team)
{
    const struct conv *conv = &layer->conv;
    struct quads_run r = quads_run_of(layer, operands, patterns_of(conv), buffer_size(conv));

    assert(rows_fit(conv));
    r.piece = piece_pixels(conv);
    fill_lists(&r);
    team_share(team, conv->batch * r.bands, 2, do_bands, &r);
}

const struct conv_kernel BYTE_KERNEL(byte_rows) = {
    .name = "depthwise, rows of quads",
    .packs_phases = true,
    .fits = rows_fit,
    .packed_size = rows_packed_size,
    .pack = rows_pack,
    .scratch_size = rows_scratch_size,
};

#endif
