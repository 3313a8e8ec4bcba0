/* comparison.h - two subjects, and what is found when they are compared */
#ifndef NNEFC_DRIVER_COMPARISON_H
#define NNEFC_DRIVER_COMPARISON_H

#include "driver/record.h"
#include "driver/subject.h"

/* One item, as exactly as its type allows. */
struct item {
    enum nnefc_dtype dtype;
    double scalar;
    int64_t integer; /* or logical */
};

/* What there is to say of a pair. */
struct finding {
    enum part part;
    struct pair pair;
    const char *name[2];       /* NULL: there is none, or it has no name */
    struct nnefc_type type[2]; /* of that which there is */
    struct nnefc_difference difference;
    struct item worst[2]; /* if difference.worst is not -1 */
};

/* What --layers found. */
struct layers {
    int compared, alone[2]; /* tensors: pairs, and those of each that the other has not */
    int step;               /* in which the first difference is, from 1; 0: there is none */
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
    enum form form;
    bool by_layers;
    struct subject subject[2]; /* A and B, which is the reference */
    struct finding *findings;  /* of outputs and state; of inputs that do not go together; or of
                                  variables that differ, where --layers found that tensors do */
    int nfinding;
    struct layers layers;
    struct subject_pairs computed; /* for --layers */
};

/* Both subjects have it, and it agrees. */
bool finding_agrees(const struct finding *finding);

/* Note types and difference of two tensors.  NNEFC_DIFFERENT if they do not agree. */
enum nnefc_status finding_compare(struct finding *finding, const struct nnefc_tensor *a,
                                  const struct nnefc_tensor *b,
                                  const struct nnefc_tolerance *tolerance);

/*
 * Compare a pair, or note what one of the two has alone.  NNEFC_DIFFERENT if it does not agree;
 * other faults are reported.
 */
enum nnefc_status finding_make(struct finding *finding, struct comparison *c, enum part part,
                               const struct pair *pair);

/*
 * Add what is found of all pairs of a part.  Of variables only those of one label whose data
 * differ, which may be why tensors do.
 */
enum nnefc_status comparison_add(struct comparison *c, enum part part);

/* Give both the same inputs; NNEFC_DIFFERENT, with findings, if these cannot be the same. */
enum nnefc_status comparison_feed(struct comparison *c);

/* Compute all steps of both; NNEFC_DIFFERENT if a step was ended by a tensor that differs. */
enum nnefc_status comparison_step_by_layers(struct comparison *c);

/* Whether all agrees. */
bool comparison_agrees(const struct comparison *c);

/* Something else than that results differ. */
bool comparison_failed(enum nnefc_status status);

/* Print it in its form, unless the status is a failure; returns the status, or that of printing. */
enum nnefc_status comparison_show(const struct comparison *c, enum nnefc_status status);

#endif
