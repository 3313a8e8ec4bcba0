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
 * Sums of products with constant weights get integers of 8 bits.  Samples of inputs tell the ranges
 * of what they read; other samples tell which of several ways is best.  Or weights alone become
 * integers, of 4 or 8 bits, which takes no samples.  The signal-to-noise ratio
 * (SNR) says how near results are to those of the model before: 10 log10(sum of squares of the
 * results / sum of squares of the differences), in dB, over all items of all samples of one result.
 */
#ifndef NNEFC_QUANTIZE_H
#define NNEFC_QUANTIZE_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the range of a tensor is found, of which integers can stand for all numbers. */
enum nnefc_range {
    NNEFC_RANGE_AUTO,       /* the best of the others, with the percentiles 99.999 and 99.99 */
    NNEFC_RANGE_MINMAX,     /* from the least to the greatest item */
    NNEFC_RANGE_PERCENTILE, /* without the items beyond a percentile at each end */
    NNEFC_RANGE_MSE,        /* with the least sum of squares of what rounding changes */
};

/* How weights become integers: each the nearest, or so that what rounding one changes is made up
 * for by the next ones; auto: the better, if there are samples. */
enum nnefc_rounding { NNEFC_ROUNDING_AUTO, NNEFC_ROUNDING_NEAREST, NNEFC_ROUNDING_ADAPT };

/* What enters a layer: integers of 8 or of 16 bits, or what it is; mixed: 8 bits, but 16 where
 * `min_snr` or `budget` ask for more; auto: what it is if weights are in blocks, else 8 bits. */
enum nnefc_activations {
    NNEFC_ACTIVATIONS_AUTO,
    NNEFC_ACTIVATIONS_UINT8,
    NNEFC_ACTIVATIONS_FLOAT,
    NNEFC_ACTIVATIONS_INT16,
    NNEFC_ACTIVATIONS_MIXED
};

enum nnefc_choice { NNEFC_CHOICE_AUTO, NNEFC_CHOICE_YES, NNEFC_CHOICE_NO }; /* auto: the better */

/* Zeroed but for size, samples and feed, it asks for what is usual. */
struct nnefc_quantize {
    size_t size; /* sizeof(struct nnefc_quantize) */

    /*
     * Samples 0 to samples - 1 tell the ranges; the next `checks` measure, or if there are none,
     * the same.  There may be no samples if activations are floats; then nothing is measured.
     * `feed` gives all parameters of a run their inputs, the same for the same number whenever it
     * is called, and the status of what it called; it may not step the run. Variables that the
     * model updates go on from sample to sample.
     */
    int samples, checks;
    enum nnefc_status (*feed)(void *user, int sample, struct nnefc_run *run);
    void *user;

    enum nnefc_range range;
    double percentile; /* of NNEFC_RANGE_PERCENTILE: above 50, up to 100; 0: 99.99 */
    enum nnefc_choice correct_bias;
    bool per_tensor; /* one scale for the weights of a layer, not one for each channel */

    /* Lists with ',' between: results of layers, and operations, that stay numbers; results of the
     * graph or tensors within it at which SNR is measured.  NULL: none; the results, but what goes
     * into a last softmax or sigmoid, and into what compares, sorts or rounds. */
    const char *keep, *keep_op, *outputs;

    /* If the SNR is less than `min_snr`, which is 0 for none, layers become numbers again, or get
     * inputs of 16 bits if activations are mixed, those that hurt most first: as far as they have
     * `budget` percent of all multiply-adds; 0: 100 with `min_snr`, else none.  With `budget`
     * alone, that is done where it raises the SNR. */
    double min_snr, budget;

    int threads; /* 0: one for each core; results do not depend on it */

    int bits; /* of weights: 8, or 4, which are in blocks; 0: 8 */
    /* Weights of a product have a scale for each so many of one channel, 16 to 256, or fewer if
     * these have a rest; nothing but products is quantized, those of at least 64 KiB if there are
     * such.  0: 32 with 4 bits, else there are no blocks. */
    int block;
    enum nnefc_activations activations;
    const char *only; /* like `keep`: all other layers stay numbers; NULL: none */
    enum nnefc_rounding rounding;
    /* Scale channels between two layers so that weights on both sides are as large: with
     * activations of 8 bits. */
    enum nnefc_choice equalize;
    bool again; /* drop the quantization that the model has, but the bounds of what is computed;
                   else layers that are quantized stay as they are */
};

/*
 * Quantize a loaded and rewritten model of which there are no runs.  SNR that is not reached is no
 * fault: the record tells.  After a failure the model is as it was.  NNEFC_UNSUPPORTED: there is no
 * layer to quantize.  Progress is NNEFC_WORK_QUANTIZE.
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
    bool quantized;         /* else it stayed numbers */
    double low, high;       /* the range of its input; both 0: it stayed numbers */
    double cut;             /* the share of the input that is beyond the range */
    double weights_snr;     /* of its weights alone */
    double alone;           /* SNR of the model if nothing else is quantized; NaN: no samples, or
                               the layer had to stay numbers */
    double least, greatest; /* items of the input */
    /* The shares of the input in NNEFC_HISTOGRAM_BINS bins of one width between these; NULL: the
     * layer or its input had to stay numbers. */
    const double *histogram;
    int place;      /* among the layers, in the order in which they are computed: from 0 */
    int bits;       /* of its weights; 0: they are numbers */
    int64_t block;  /* weights of one scale; 0: there are no blocks */
    int input_bits; /* 8 or 16; 0: it stayed numbers */
    double here;    /* SNR of its result in the model as it is now; NaN: no samples */
};
NNEFC_LIST_OF(nnefc_quantized_layer);

/* One of the ways that were tried, with all layers quantized. */
struct nnefc_quantize_way {
    const char *range; /* "minmax", "99.999 %", "mse"; NULL: inputs of layers stay numbers */
    bool correct_bias;
    double snr;
    bool adapt; /* NNEFC_ROUNDING_ADAPT */
    bool equalize;
};
NNEFC_LIST_OF(nnefc_quantize_way);

/* What was measured of a result, or of what goes into it. */
struct nnefc_quantized_output {
    const char *name;
    double snr, cosine;
    double difference, largest; /* greatest difference, and greatest item of the model before */
    double agreement; /* of two axes: the share of rows whose greatest item is the same; else -1 */
};
NNEFC_LIST_OF(nnefc_quantized_output);

struct nnefc_quantized {
    double snr;   /* of the model as it is now: the mean over the outputs; NaN: no samples */
    double share; /* of multiply-adds that are quantized */
    bool reached; /* min_snr, or there was none */
    int64_t before, after; /* bytes of weights */
    struct nnefc_quantize_way best;
    const struct nnefc_quantized_layer_list *layers; /* worst first */
    const struct nnefc_quantize_way_list *ways;      /* in the order in which they were tried */
    const struct nnefc_quantized_output_list *outputs;
};

/* Of the last nnefc_model_quantize() that succeeded; NULL: there was none. */
NNEFC_API const struct nnefc_quantized *nnefc_model_quantized(const struct nnefc_model *model);

#ifdef __cplusplus
}
#endif

#endif
