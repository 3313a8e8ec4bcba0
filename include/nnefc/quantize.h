/*
 * quantize.h - the part of nnefc.h that makes quantized models of others
 *
 *     const struct nnefc_quantize how = {.size = sizeof how, .samples = 75, .checks = 25,
 *                                        .feed = feed_sample, .user = files};
 *
 *     if (nnefc_model_quantize(model, &how) == NNEFC_OK &&
 *         nnefc_model_write_onnx(model, "small.onnx", NULL) == NNEFC_OK)
 *         printf("%.1f dB\n", nnefc_model_quantized(model)->snr);
 *
 * A layer is a sum of products with constant weights; its input and weights become integers of 8
 * bits.  Samples of inputs give the ranges of the inputs of layers, and other samples show which of
 * several ways is best.  Or weights alone become integers, of 4 or 8 bits, which needs no samples.
 * The signal-to-noise ratio (SNR) says how near results are to those of the original model: 10
 * log10(sum of squares of the results / sum of squares of the differences), in dB, over all items
 * of all samples of one result.
 */
#ifndef NNEFC_QUANTIZE_H
#define NNEFC_QUANTIZE_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the range of a tensor is found.  Integers can stand for numbers in this range only. */
enum nnefc_range {
    NNEFC_RANGE_AUTO,       /* the best of the others, with the percentiles 99.999 and 99.99 */
    NNEFC_RANGE_MINMAX,     /* from the least to the greatest item */
    NNEFC_RANGE_PERCENTILE, /* without the items beyond a percentile at each end */
    NNEFC_RANGE_MSE,        /* with the least sum of squares of rounding errors */
};

/* How weights are rounded.  Nearest: each to the nearest integer.  Adapt: one after the other, and
 * later ones make up for the errors of earlier ones.  Auto: the better one, if there are samples.
 */
enum nnefc_rounding { NNEFC_ROUNDING_AUTO, NNEFC_ROUNDING_NEAREST, NNEFC_ROUNDING_ADAPT };

/* The inputs of layers: integers of 8 or 16 bits, or floats.  Mixed: 8 bits, but 16 where `min_snr`
 * or `budget` ask for more.  Auto: floats if weights are in blocks, else 8 bits. */
enum nnefc_activations {
    NNEFC_ACTIVATIONS_AUTO,
    NNEFC_ACTIVATIONS_UINT8,
    NNEFC_ACTIVATIONS_FLOAT,
    NNEFC_ACTIVATIONS_INT16,
    NNEFC_ACTIVATIONS_MIXED
};

enum nnefc_choice { NNEFC_CHOICE_AUTO, NNEFC_CHOICE_YES, NNEFC_CHOICE_NO }; /* auto: the better */

/* With all members but `size`, `samples` and `feed` zero, it asks for the defaults. */
struct nnefc_quantize {
    size_t size; /* sizeof(struct nnefc_quantize) */

    /*
     * Samples 0 to samples - 1 give the ranges.  The results are measured with the next `checks`
     * samples or, if that is 0, with the same samples.  There may be no samples if activations are
     * floats; then nothing is measured.  `feed` gives all parameters of a run their inputs, always
     * the same for the same sample, and returns the status of the functions that it called.  It
     * must not step the run.  Updated variables keep their values from sample to sample.
     */
    int samples, checks;
    enum nnefc_status (*feed)(void *user, int sample, struct nnefc_run *run);
    void *user;

    enum nnefc_range range;
    double percentile; /* of NNEFC_RANGE_PERCENTILE: above 50, up to 100; 0: 99.99 */
    enum nnefc_choice correct_bias;
    bool per_tensor; /* one scale for the weights of a layer, not one for each channel */

    /* Lists with ',' between the names; in a name it is "\,".  Layers stay floats if their result
     * is in `keep`, or their operation in `keep_op`; NULL: none.  SNR is measured at the tensors of
     * `outputs`; NULL: at the results, but before a last softmax or sigmoid, and before operations
     * that compare, sort or round. */
    const char *keep, *keep_op, *outputs;

    /* While the SNR is less than `min_snr` (0: there is no bound), layers become floats again, or
     * get inputs of 16 bits if activations are mixed; those that change the results most come
     * first.  All of them may have `budget` percent of the multiply-adds; 0: 100 with `min_snr`,
     * else none.  With `budget` alone, layers change only if that raises the SNR. */
    double min_snr, budget;

    int threads; /* 0: one for each core; results do not depend on it */

    int bits; /* of weights: 8, or 4, which are in blocks; 0: 8 */
    /* The number of weights of one channel that share a scale, 16 to 256; a smaller number is taken
     * if this one does not divide the weights of a channel.  Only products are quantized then:
     * those of at least 64 KiB, if there are any.  0: 32 with 4 bits, else there are no blocks. */
    int block;
    enum nnefc_activations activations;
    const char *only; /* like `keep`, but all other layers stay floats; NULL: no effect */
    enum nnefc_rounding rounding;
    /* Scale channels between two layers so that weights on both sides are equally large; for
     * activations of 8 bits. */
    enum nnefc_choice equalize;
    bool again; /* drop the quantization that the model has, but keep its bounds; else layers that
                   are quantized stay as they are */
};

/*
 * Quantize a loaded and rewritten model of which there are no runs.  It is no fault if the SNR is
 * not reached; see struct nnefc_quantized.  After a failure the model is as it was before.
 * NNEFC_UNSUPPORTED: there is no layer to quantize.  Progress is NNEFC_WORK_QUANTIZE.
 */
NNEFC_API enum nnefc_status nnefc_model_quantize(struct nnefc_model *model,
                                                 const struct nnefc_quantize *how);

enum { NNEFC_HISTOGRAM_BINS = 64 };

/* A sum of products with constant weights. */
struct nnefc_quantized_layer {
    const char *name, *operation;
    struct nnefc_type weights;
    int64_t macs;           /* multiply-adds */
    double share;           /* of those of the model */
    bool quantized;         /* false: it stays floats */
    double low, high;       /* the range of its input; both 0: it stays floats */
    double cut;             /* the share of the input that is beyond the range */
    double weights_snr;     /* of its weights alone */
    double alone;           /* SNR of the model if nothing else is quantized; NaN: no samples, or
                               the layer had to stay floats */
    double least, greatest; /* items of the input */
    /* The shares of the input in NNEFC_HISTOGRAM_BINS bins of one width from `least` to `greatest`;
     * NULL: the layer or its input had to stay floats. */
    const double *histogram;
    int place;      /* index in the order in which layers are computed */
    int bits;       /* of its weights; 0: they are floats */
    int64_t block;  /* number of weights that share a scale; 0: there are no blocks */
    int input_bits; /* 8 or 16; 0: it stays floats */
    double here;    /* SNR of its result in the model as it is now; NaN: no samples */
};
NNEFC_LIST_OF(nnefc_quantized_layer);

/* One of the ways that were tried, with all layers quantized. */
struct nnefc_quantize_way {
    const char *range; /* "minmax", "99.999 %", "mse"; NULL: inputs of layers stay floats */
    bool correct_bias;
    double snr;
    bool adapt; /* NNEFC_ROUNDING_ADAPT */
    bool equalize;
};
NNEFC_LIST_OF(nnefc_quantize_way);

/* The measurements of one tensor of `outputs`. */
struct nnefc_quantized_output {
    const char *name;
    double snr, cosine;
    double difference, largest; /* greatest difference; greatest item of the original model */
    double agreement; /* two axes: the share of rows whose greatest item is the same; else -1 */
};
NNEFC_LIST_OF(nnefc_quantized_output);

struct nnefc_quantized {
    double snr;   /* of the model as it is now: the mean over the outputs; NaN: no samples */
    double share; /* of multiply-adds that are quantized */
    bool reached; /* min_snr was reached by a model with quantized layers, or there was none */
    int64_t before, after; /* bytes of weights */
    struct nnefc_quantize_way best;
    const struct nnefc_quantized_layer_list *layers; /* worst first */
    const struct nnefc_quantize_way_list *ways;      /* in the order in which they were tried */
    const struct nnefc_quantized_output_list *outputs;
};

/* The record of the last nnefc_model_quantize() that succeeded; NULL: there was none. */
NNEFC_API const struct nnefc_quantized *nnefc_model_quantized(const struct nnefc_model *model);

#ifdef __cplusplus
}
#endif

#endif
