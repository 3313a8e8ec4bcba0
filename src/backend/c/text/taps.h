/* --- which taps are inside an image ----------------------------------------------------------- */

NN_INLINE int nn_least(int a, int b)
{
    return a < b ? a : b;
}
NN_INLINE int nn_most(int a, int b)
{
    return a > b ? a : b;
}

/* The taps from `first` on that are inside, of a window that begins at `at`. */
NN_INLINE void nn_inside(int at, int taps, int dilation, int extent, int *first, int *count)
{
    int begin = at < 0 ? (-at + dilation - 1) / dilation : 0;
    int end = at < extent ? (extent - at + dilation - 1) / dilation : 0;

    *first = begin;
    *count = nn_most(nn_least(end, taps) - begin, 0);
}

/* The results from `first` to `end` of an extent, whose windows are inside. */
NN_INLINE void nn_whole(int in, int out, int taps, int stride, int dilation, int pad, int *first,
                        int *end)
{
    const int last = in - 1 - (taps - 1) * dilation + pad;
    const int begin = pad > 0 ? nn_least((pad + stride - 1) / stride, out) : 0;

    *first = begin;
    *end = last < 0 ? begin : nn_most(begin, nn_least(last / stride + 1, out));
}
