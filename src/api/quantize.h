/*
 * quantize.h - the parts of nnefc_model_quantize(): runs of graphs on samples
 *
 * Functions that give false have reported why.
 */
#ifndef NNEFC_API_QUANTIZE_H
#define NNEFC_API_QUANTIZE_H

#include "api/prepare.h"
#include "pass/quantize_adapt.h"
#include "tensor/observed.h"

/* A result that is measured. */
struct measured {
    const char *name;
    uint32_t value; /* its id in the graph that is quantized */
};

/* Sums over all items of all samples of one result. */
struct sums {
    double reference, off, product, got; /* squares of these, but `product` of both */
    double difference, largest;
    double most;        /* of the reference, in one sample */
    int64_t same, rows; /* rows whose greatest item is the same */
};

/* One way to quantize all layers. */
struct way {
    const char *name; /* of the ranges; NULL: what enters layers has none */
    enum range_rule rule;
    double percent;
    bool correct, adapt, equalize;
    double snr;
};

enum { WAYS_MOST = 16 };

/* What a search has found. */
struct found {
    struct way way[WAYS_MOST];
    int ways, best;
    double *alone; /* by layer */
    int *order;    /* of the layers, the worst first */
    double snr;
    struct sums *sums;
};

/* What goes on with a model. */
struct quantizing {
    struct nnefc_model *model;
    struct nnefc_quantize how;
    struct graph *graph; /* that is quantized: a fresh copy */
    struct quantize_plan *plan;
    struct observed *observed; /* by group */
    struct moments *moments;   /* by layer, of what it reads; `sums` NULL: not looked at */
    struct measured *measured;
    int measures;
    struct nnefc_run *reference;  /* computes what is measured with numbers; NULL: not yet */
    struct retained_tensor *kept; /* integers of weights and biases */
    int64_t macs;                 /* multiply-adds of the graph, at least 1 */
    int64_t done, total;          /* steps, for those who look on */
};

/* A copy of the graph; value[id] is that of the id of the graph. */
struct graph *quantizing_copy(const struct quantizing *q, struct value *const **value);

/* Let values be results behind those that the graph has. */
void graph_add_outputs(struct graph *graph, struct value *const *value, int count);

/* Look at the inputs of all layers on all samples: observed[] by group, and if weights may be
 * adapted, moments[] by layer. */
bool quantizing_observe(struct quantizing *q);

/* The corrections of the biases, for the quantizations that the groups have now. */
bool quantizing_correct(struct quantizing *q);

/* Quantize as the plan says, and compare on the samples to measure with: sums[] by measure. */
bool quantizing_measure(struct quantizing *q, struct sums *sums);

/* Ratios are at most this, and at least the same below 0. */
#define QUANTIZED_MOST_SNR 200.0

double quantized_decibels(double signal, double noise);

/* The layer's part of all multiply-adds. */
double quantized_share(const struct quantizing *q, const struct quantize_layer *layer);

/* The report that clients get; it lives as long as the model. */
const struct nnefc_quantized *quantized_report(const struct quantizing *q, const struct found *f);

#endif
