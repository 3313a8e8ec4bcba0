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
    double *alone; /* by layer: the SNR of the model if nothing else is quantized */
    double *here;  /* by layer: of its result, in the model as it is quantized */
    int *order;    /* of the layers, the worst first */
    double snr;
    struct sums *sums;
};

/* What is measured, of the model as it was. */
struct reference {
    struct nnefc_run *run;  /* computes it; NULL: not yet, or no longer */
    struct tensor *results; /* by sample and measure; NULL: they are computed each time */
    int count;              /* of samples whose results are there */
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
    struct reference reference;
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

/* Quantize as the plan says, and compare on the samples to measure with: sums[] by measure; the SNR
 * is the mean over these. */
bool quantizing_measure(struct quantizing *q, struct sums *sums, double *snr);

/* The SNR of the result of each layer, quantized as the plan says. */
bool quantizing_measure_along(struct quantizing *q, double *here);

/* Samples to measure with. */
int quantizing_checks(const struct quantizing *q);

void reference_free(const struct quantizing *q, struct reference *reference);

/* Is the word one of those of a list with ',' between?  In a word it is "\,". */
bool quantizing_names(const char *list, const char *word);

/* The length of the first word of a list, as it is written. */
size_t quantizing_word(const char *list);

/* Find measured[]: the results of the graph, or the tensors that the client names. */
bool quantizing_find_measured(struct quantizing *q);

/* Give a group the range of a way, as integers of 8 or 16 bits. */
void quantizing_set_group(struct quantizing *q, int group, const struct way *way, bool wide);

/* Quantize all layers that are not kept, or none. */
void quantizing_enable(struct quantizing *q, bool enabled);

/* The SNR of each layer alone, and their order by it. */
bool quantizing_measure_layers(struct quantizing *q, struct found *f);

/* Layers by their SNR, the least first; equal ones in their order. */
int *quantizing_sort(const struct quantizing *q, const double *alone);

/* Give layers inputs of 16 bits, or let them be numbers, as far as the budget goes. */
bool quantizing_spend(struct quantizing *q, struct found *f);

/* Ratios are at most this, and at least the same below 0. */
#define QUANTIZED_MOST_SNR 200.0

double quantized_decibels(double signal, double noise);

/* The layer's part of all multiply-adds. */
double quantized_share(const struct quantizing *q, const struct quantize_layer *layer);

/* The report that clients get; it lives as long as the model. */
const struct nnefc_quantized *quantized_report(const struct quantizing *q, const struct found *f);

#endif
