/* --- products with integers in blocks --------------------------------------------------------- */

#define NN_PIECE 32 /* items of what is summed whose weights are made at a time */

struct nn_blocks {
    int rows, depth, columns;
    int size, blocks; /* items of a block */
    int bits, zero;   /* of a code; of all blocks, if they have none of their own */
    int clamps;
    float low, high;
};

/* The codes, scales and zeros of the columns of a panel. */
struct nn_codes {
    const uint8_t *code;
    const float *scale;
    const int16_t *zero;
};

/* Weights of `count` items from k on, of one block, for `width` columns. */
NN_PART void nn_unpack(const struct nn_blocks *g, const struct nn_codes *p, int k, int count,
                       const int width, float *w)
{
    const float *scale = p->scale + k / g->size * width;
    const int16_t *zeros = p->zero ? p->zero + k / g->size * width : NULL;

    for (int i = 0; i < count; i++, k++, w += width) {
        const uint8_t *code = p->code + (g->bits == 4 ? k / 2 : k) * width;
        const int shift = g->bits == 4 ? k % 2 * 4 : 0, mask = g->bits == 4 ? 15 : 255;
        for (int o = 0; o < width; o++)
            w[o] = (float)((code[o] >> shift & mask) - (zeros ? zeros[o] : g->zero)) * scale[o];
    }
}

/* `memory` holds the weights of a piece and 15 items more. */
NN_INLINE void nn_blocks(const struct nn_blocks *g, const float *x, const uint8_t *code,
                         const float *scale, const int16_t *zero, const float *b,
                         const float *residual, float *y, float *memory)
{
    static const float none[NN_PANEL] = {0.0F};
    const int bytes = g->bits == 4 ? (g->depth + 1) / 2 : g->depth;
    struct nn_conv middle, last; /* limits come behind the last piece */

    memset(&middle, 0, sizeof middle);
    last = middle;
    last.clamps = g->clamps;
    last.low = g->low;
    last.high = g->high;
    for (int o = 0; o < g->columns; o += NN_PANEL) {
        const int width = nn_least(NN_PANEL, g->columns - o);
        const struct nn_codes panel = {code + nn_far(o, bytes), scale + nn_far(o, g->blocks),
                                       zero ? zero + nn_far(o, g->blocks) : NULL};
        for (int k = 0, count; k < g->depth; k += count) {
            struct nn_taps t = {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, memory};
            count = nn_least(nn_least(NN_PIECE, g->depth - k), g->size - k % g->size);
            t.run = count;
            if (width == NN_PANEL)
                nn_unpack(g, &panel, k, count, NN_PANEL, memory);
            else
                nn_unpack(g, &panel, k, count, width, memory);
            nn_pixels(k + count < g->depth ? &middle : &last, &t, x + k, g->depth, memory, width,
                      k == 0 ? b + o : none,
                      k > 0      ? y + o
                      : residual ? residual + o
                                 : NULL,
                      y + o, g->columns, g->rows);
        }
    }
}
