/* comparison.h - two subjects, and the findings of their comparison */
#ifndef NNEFC_DRIVER_COMPARISON_H
#define NNEFC_DRIVER_COMPARISON_H

#include "driver/subject.h"

/* One item, as exactly as its type allows. */
struct item {
    enum nnefc_dtype dtype;
    double scalar;
    int64_t integer;  /* or logical */
    bool is_unsigned; /* the integer is one without a sign, of the same bits */
};

/* The result of comparing a pair, or a tensor that only one of the two has. */
struct finding {
    enum part part;
    struct pair pair;
    const char *name[2];       /* NULL: no tensor, or no name */
    struct nnefc_type type[2]; /* of the tensors that exist */
    struct nnefc_difference difference;
    struct item worst[2]; /* if difference.worst is not -1 */
    /* For --layers=all, of tensors that can be compared: the mean of |a - b|, the length of a - b
     * by that of b, and the cosine between them; NaN where it is not defined. */
    double mean, error, cosine;
};

/* What --layers found. */
/*
 * A pair by order may be none at all: passes may have fused one of them with what follows.  So if
 * it differs, both models go on, and it counts only if more differs in the end.
 */
struct layers {
    int compared, alone[2]; /* tensors: pairs, and those of each that the other has not */
    int unlike;             /* pairs by order that differ */
    int step;               /* of the first difference, from 1; 0: no difference */
    int before;             /* how many pairs agree before it */
    bool named;             /* a pair by name differs */
    struct finding *all;    /* of --layers=all: by pair, the farthest apart of all steps; none yet:
                               count is 0 */
    struct finding first;
    struct nnefc_computed made[2]; /* of recorded results no operation */
};

/* The tolerance, 1e-5 both by default: what to allow, and --atol and --rtol. */
#define TOLERANCE_DEFAULTS \
    {                      \
        1e-5, 1e-5         \
    }
extern const struct option tolerance_options[]; /* for a struct nnefc_tolerance */

struct comparison {
    const struct command *command;
    const struct feeding *feeding;
    const struct nnefc_tolerance *tolerance;
    bool by_layers, all_layers; /* all: go on behind a difference */
    const char *page;           /* which is to be written; NULL: none */
    struct subject subject[2];  /* A and B, which is the reference */
    struct finding *findings;   /* of outputs and state; or of inputs whose types differ; or, if
                                   --layers found a difference, of variables that differ */
    int nfinding;
    struct layers layers;
    struct subject_pairs computed; /* for --layers */
};

/* Both subjects have the tensor, and its items agree. */
bool finding_agrees(const struct finding *finding);

/* Store the types and the difference of two tensors.  NNEFC_DIFFERENT if they do not agree. */
enum nnefc_status finding_compare(struct finding *finding, const struct nnefc_tensor *a,
                                  const struct nnefc_tensor *b,
                                  const struct nnefc_tolerance *tolerance);

/*
 * Compare the tensors of a pair, or store the one that exists.  NNEFC_DIFFERENT if they do not
 * agree; other faults are reported.
 */
enum nnefc_status finding_make(struct finding *finding, struct comparison *c, enum part part,
                               const struct pair *pair);

/*
 * Add the findings of all pairs of a part.  Variables are added only if they have the same label
 * and other data, which may be why tensors differ.
 */
enum nnefc_status comparison_add(struct comparison *c, enum part part);

/* Give both the same inputs; NNEFC_DIFFERENT, with findings, if their types or shapes differ. */
enum nnefc_status comparison_feed(struct comparison *c);

/* Compute all steps of both, up to the first pair by name that differs: then NNEFC_DIFFERENT. */
enum nnefc_status comparison_step_by_layers(struct comparison *c);

/* Once results are compared: forget what differs among pairs by order unless a result does. */
enum nnefc_status comparison_judge_layers(struct comparison *c);

/* Do all findings agree, and all tensors that --layers compared? */
bool comparison_agrees(const struct comparison *c);

/* A failure; a difference is none. */
bool comparison_failed(enum nnefc_status status);

/* Print the findings unless the status is a failure.  Returns the status, or that of printing. */
enum nnefc_status comparison_show(const struct comparison *c, enum nnefc_status status);

/* Write the findings of --layers=all as a page, with the models.  False sets errno. */
bool comparison_write(const struct comparison *c, const char *path);

#endif
