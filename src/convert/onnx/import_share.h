/*
 * import_share.h - what operators mean, apart from how a format writes them
 *
 * The decoders of ONNX and of PNNX read attributes and parameters; these functions make the nodes.
 * As everywhere in an import, NULL stands for a tensor after a fault, and NULL makes NULL.
 */
#ifndef NNEFC_CONVERT_ONNX_IMPORT_SHARE_H
#define NNEFC_CONVERT_ONNX_IMPORT_SHARE_H

#include "convert/onnx/import_make.h"

struct sig_param;

/* A convolution by the attributes of the node; bias NULL: none. */
struct imported *convolve(struct translation *t, struct imported *x, struct imported *filter,
                          struct imported *bias);

/* Of integers less their zero points, as integers: one for all of x, one for all or for each
 * channel of the output of the filter. */
struct imported *convolve_integers(struct translation *t, struct imported *x,
                                   struct imported *zero_x, struct imported *filter,
                                   struct imported *zero_filter);

/* The greatest items of windows by the attributes of the node, and where they are as output 1. */
struct imported *max_pool_of(struct translation *t, struct imported *x);

/* --- parts: import_part.c, import_index.c --------------------------------------------------- */

/* Joined along an axis, negative ones from the end; tensors without items are left out. */
struct imported *join_parts(struct translation *t, struct imported *const *in, int count,
                            int64_t axis);

/* Which items to take along some axes; as ONNX has it, bounds are clamped to the extents. */
struct selection {
    int count;
    int64_t axes[MAX_RANK], begin[MAX_RANK], end[MAX_RANK], stride[MAX_RANK];
};
struct imported *select_items(struct translation *t, struct imported *x, struct selection s);

/*
 * `pads` items before and behind, for each dimension; negative ones take items away.  `fill` is a
 * literal or a known tensor of one item.
 */
struct imported *pad_with(struct translation *t, struct imported *x, const int64_t (*pads)[2],
                          struct imported *fill);

/*
 * The same with NNEF's `border`, or with "wrap", which takes items of the other end.  `fill` is
 * that of border "constant".
 */
struct imported *pad_by(struct translation *t, struct imported *x, const int64_t (*pads)[2],
                        const char *border, struct imported *fill);

/* Indices of which the negative ones count from the end of an extent, from its beginning. */
struct imported *from_front(struct translation *t, struct imported *indices, int64_t extent);

/* Can scalars hold every index into that shape?  False after a report. */
bool index_is_exact(struct translation *t, const struct shape *shape);

/* Items by indices along one axis, negative ones from the end. */
struct imported *gather_at(struct translation *t, struct imported *x, int64_t axis,
                           struct imported *indices);

/* For each index an item from the same place but for its index along the axis. */
struct imported *gather_elements(struct translation *t, struct imported *x, int64_t named,
                                 struct imported *indices);

/* x with each update added at the place that it is gathered from. */
struct imported *scatter_sums(struct translation *t, struct imported *x, int64_t named,
                              struct imported *indices, struct imported *updates);

/* --- shapes: import_shape.c ----------------------------------------------------------------- */

/* One of the extents may be -1, which is what is left; `zero_keeps`: 0 keeps the extent of x. */
struct imported *reshape_as(struct translation *t, struct imported *x,
                            const struct integers *wanted, bool zero_keeps);

/* Repeated so many times along each axis. */
struct imported *repeat_by(struct translation *t, struct imported *x,
                           const struct integers *repeats);

/* Is that an image of rank 4, in blocks that divide its channels, or height and width? */
bool check_blocks(struct translation *t, const struct shape *shape, int64_t block, bool channels);

/* --- along axes: import_reduce.c, import_resize.c ------------------------------------------- */

/* The axes of a reduction: an attribute, input 1, or all of them; none if so is asked. */
bool reduced_axes(struct translation *t, struct integers *axes);

/* Input 0 reduced along those axes; 'keepdims' says whether they remain. */
struct imported *reduction_of(struct translation *t, enum op_id op);

/* Sums of the items up to each one; `exclusive` without itself, `reverse` from the end. */
struct imported *running_sum(struct translation *t, struct imported *x, int axis, bool exclusive,
                             bool reverse);

/* Items along an axis weighed by a matrix of shape [to, from]. */
struct imported *weigh_axis(struct translation *t, struct imported *x, int axis,
                            struct imported *weights);

/* --- interpolation: import_resize.c --------------------------------------------------------- */

struct resized_axis {
    int64_t from, to; /* extents */
    float scale;      /* about to / from; the file may give it with a fraction */
    float step;       /* about from / to, by which PyTorch multiplies; 0: divide by `scale` */
    float begin, end; /* of the region, in parts of the extent */
    bool changed;
};

/* Where an item of the result lies, by the names of ONNX. */
enum resize_transform {
    RESIZE_HALF_PIXEL,
    RESIZE_SYMMETRIC, /* half_pixel_symmetric */
    RESIZE_PYTORCH_HALF_PIXEL,
    RESIZE_ALIGN_CORNERS,
    RESIZE_ASYMMETRIC,
    RESIZE_TF_HALF_PIXEL, /* tf_half_pixel_for_nn */
    RESIZE_TF_CROP        /* tf_crop_and_resize */
};

enum resize_mode { RESIZE_NEAREST, RESIZE_LINEAR, RESIZE_CUBIC };

enum resize_rounding {
    RESIZE_PREFER_FLOOR,
    RESIZE_PREFER_CEIL,
    RESIZE_FLOOR,
    RESIZE_CEIL,
    RESIZE_OLD /* as before opset 11 */
};

struct resize {
    struct resized_axis axis[MAX_RANK];
    int rank;
    enum resize_mode mode;
    enum resize_transform transform;
    enum resize_rounding rounding; /* of the nearest item */
    double cubic, outside;         /* coefficient; value beyond the region */
    bool antialias;                /* a smaller result averages over all items */
    bool exclude;                  /* items beyond the ends do not count */
    bool crops;                    /* to the region */
};

/* Every axis as it is. */
struct resize resize_nothing(const struct shape *x);

/* To an extent, which gives the scale; false after a report. */
bool resize_axis_to(struct translation *t, struct resized_axis *axis, int64_t to);

/* Interpolate along all axes that change. */
struct imported *resize_by(struct translation *t, struct imported *x, struct resize *r);

/* The greatest or the least items along an axis, in their order, and their indices as output 1. */
struct imported *extreme_items(struct translation *t, struct imported *x, int axis, bool largest,
                               int64_t count);

/* --- products and attention ----------------------------------------------------------------- */

/* a by the transpose of b, of rank 2; c NULL: nothing is added. */
struct imported *linear(struct translation *t, struct imported *a, struct imported *b,
                        struct imported *c);

/* The same of matrices that the attributes transA and transB say to transpose; c may be NULL. */
struct imported *flipped_product(struct translation *t, struct imported *a, struct imported *b,
                                 struct imported *c);

/* The sum of x and input `index`; x if that is left out. */
struct imported *add_bias(struct translation *t, struct imported *x, int index);

/* Numbers of integers, of the type of the scale.  Zero point (NULL: 0) and scale broadcast. */
struct imported *dequantized(struct translation *t, struct imported *x, struct imported *zero,
                             struct imported *scale);

/* Sums of products by a label for each dimension, such as "bij,bjk->bik". */
struct imported *einsum(struct translation *t, const char *equation, struct imported *const *in,
                        int count);

/* [batch, length, heads * size] to [batch, heads, length, size], and back; rank 4 stays. */
struct imported *split_heads(struct translation *t, struct imported *x, int64_t heads);
struct imported *join_heads(struct translation *t, struct imported *x);

/* Tensors are [batch, heads, length, size]. */
struct attending {
    struct imported *q, *k, *v;
    struct imported *mask;   /* what is added, or logicals that are false where it hides; or NULL */
    struct imported *counts; /* of keys of each batch; NULL: all count */
    int64_t past;            /* how many keys stand in front of that of the first query */
    bool causal;
    bool keeps_hidden; /* a query whose keys are all hidden has weights as any other */
    double scale;      /* of the products */
    double softcap;    /* 0: none */
};

/*
 * [batch, heads, queries, size].  `stages` gets the products of queries and keys, these capped,
 * these masked, and the weights; NULL: they are not wanted, which may allow a single operation.
 */
struct imported *attend(struct translation *t, const struct attending *a,
                        struct imported *stages[4]);

/* --- compositions: import_fragment.c -------------------------------------------------------- */

/* The argument of a parameter that is no tensor; so many in front of it are.  A fault sets
 * t->failed. */
typedef struct datum argument_reader(struct translation *t, const struct sig_param *param,
                                     int tensors);

/*
 * Expand a fragment of a library that stands upon builder->standard.  `in` are its tensors in their
 * order; those that are NULL or not there have their defaults, and so have other parameters if
 * `read` is NULL.  Results behind the first become outputs of the node.
 */
struct imported *expand_fragment(struct translation *t, const struct signature *sig,
                                 struct imported *const *in, int count, argument_reader *read);

/* A fragment of onnx.nnef by its name; other parameters than the tensors have their defaults. */
struct imported *compose_plain(struct translation *t, const char *fragment,
                               struct imported *const *in, int count);

/* Matrices [N,2,3] or [N,3,4], for places of the shape `size` of an image?  False after a report.
 */
bool check_affine_grid(struct translation *t, const struct shape *theta,
                       const struct integers *size);

/* --- item by item: import_math.c ------------------------------------------------------------ */

/* Have all inputs that are integers one type of them?  False after a report. */
bool are_alike(struct translation *t);

/* The remainder with the sign of the dividend, or else that of the divisor. */
struct imported *modulo(struct translation *t, struct imported *x, struct imported *y,
                        bool as_dividend);

#endif
