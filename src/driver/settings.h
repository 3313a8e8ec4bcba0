/* settings.h - what the command line asks for */
#ifndef NNEFC_DRIVER_SETTINGS_H
#define NNEFC_DRIVER_SETTINGS_H

#include "nnefc/nnefc.h"

#include <stdbool.h>
#include <stdint.h>

/* [NAME=]FILE */
struct named_file {
    const char *name; /* NULL: the next in order */
    const char *file;
};

struct named_shape {
    const char *name;
    int rank;
    int64_t extent[NNEFC_MAX_RANK];
};

struct named_extent {
    const char *name;
    int64_t extent;
};

/* One -W. */
struct warning_setting {
    const char *name; /* NULL: every warning that is given */
    enum nnefc_warning_state state;
};

/* How diagnostics are told. */
enum message_format { FORMAT_HUMAN, FORMAT_SHORT, FORMAT_JSON, FORMAT_SARIF };

struct reports;

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/* Lists have room for as many items as there are arguments. */
/* TARGET_BY_NAME: the name of the file tells. */
enum target_format { TARGET_BY_NAME, TARGET_NNEF, TARGET_ONNX, TARGET_GRAPH, TARGET_PNNX };

struct settings {
    const char *model;   /* NULL: not given */
    const char **models; /* of a command for several: all of them, the first is `model` */
    int nmodel;
    const char *target; /* of a command that has a second operand */

    enum nnefc_format from; /* AUTO: as the file says */
    enum nnefc_dialect dialect;
    bool pedantic;
    enum nnefc_keep keep;
    struct warning_setting *warnings; /* in the order given */
    int nwarning;
    int error_limit; /* -1: as the library has it */
    struct limit {
        enum nnefc_limit limit;
        int64_t value;
    } * limits;
    int nlimit;
    char *data, *data_of_b; /* the second of 'compare' only, when told */
    int data_count;         /* how often it was told */
    char *quant_file;
    char *bin; /* weights of a model of PNNX */
    bool quantize;
    bool qdq; /* ... as QuantizeLinear and DequantizeLinear */
    struct named_shape *shapes;
    int nshape;
    struct named_extent *extents; /* of ONNX models */
    int nextent;
    struct named_file *bounds; /* likewise */
    int nbound;

    enum message_format format;
    struct reports *reports; /* never NULL */
    enum colour colour;
    bool quiet;

    bool extensions; /* of list-ops: those that NNEF lacks */
    enum nnefc_profile profile;
    bool profile_told;

    bool dump;
    enum nnefc_stage stage; /* to dump */
    bool dump_plan;         /* ... how that is run */
    bool fix, diff;

    struct named_file *inputs, *outputs;
    int ninput, noutput;
    struct named_file *expected; /* of run */
    int nexpected;
    bool random, filled;
    uint64_t seed;
    double fill;
    struct nnefc_image image;
    const char *image_option; /* given, but for images only; NULL: none */
    int threads, steps;       /* threads 0: not told */
    const char *backend;      /* NULL: not told */
    bool exact;
    bool steps_told;                  /* where the time goes is to be told */
    int warmup;                       /* of bench: runs that are not measured, */
    double seconds;                   /* and how long others are */
    enum target_format target_format; /* of convert */
    struct nnefc_rewrite rewrite;
    bool raw, list_passes, verbose;
    bool check_data; /* of graph files */
    bool pack;       /* of compile: packed weights, too */
    struct nnefc_onnx onnx;
    struct nnefc_dynamic *dynamic; /* what onnx.dynamic shows */
    bool json, markdown, list, force;
    bool no_data; /* of verify */
    bool graph;   /* of list: what a model of PNNX becomes */

    bool layers;
    struct nnefc_tolerance tolerance;
    bool shares_memory; /* the limit on memory is for two models */
};

#endif
