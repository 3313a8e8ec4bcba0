/*
 * subject.h - the two subjects of a comparison, and which of their tensors correspond
 *
 * A subject is a model that is run, or recorded results.
 */
#ifndef NNEFC_DRIVER_SUBJECT_H
#define NNEFC_DRIVER_SUBJECT_H

#include "driver/compute.h"

struct subject {
    const struct command *command;
    struct loading loading; /* with the weights of this one */
    const struct rewriting *rewriting;
    const struct computing *computing;
    const char *path;
    struct nnefc_model *model;     /* of recorded results it has only the diagnostics */
    struct nnefc_run *run;         /* NULL: not started, or recorded results */
    struct nnefc_results *results; /* NULL: a model */
    struct nnefc_tensor *read;     /* the recorded result read last */
    int *state;                    /* indices of the variables that are updated, each label once */
    int nstate;
    bool recorded, reported;
};

/* The parts of a subject.  Recorded results are outputs and may be computed tensors, too. */
enum part { PART_INPUT, PART_OUTPUT, PART_STATE, PART_VARIABLE, PART_COMPUTED };

/* Load the model, or list what is recorded.  The first five members are set, the others zeros. */
enum nnefc_status subject_open(struct subject *subject);

/* Make a model ready to run; `image` says how images become inputs. */
enum nnefc_status subject_start(struct subject *subject, const struct nnefc_image *image);

int subject_count(const struct subject *subject, enum part part);

/*
 * The name, or the label of a variable, and the type, which is unknown of recorded results.  The
 * name may be NULL.
 */
struct nnefc_port subject_port(const struct subject *subject, enum part part, int index);

/* Valid until the next call; NULL if it was not computed, or cannot be read. */
const struct nnefc_tensor *subject_tensor(struct subject *subject, enum part part, int index);

/* Report diagnostics once, and which of the two cannot be compared. */
void subject_report(struct subject *subject);
void subject_close(struct subject *subject);

/* --- pairs ------------------------------------------------------------------------------------ */

struct pair {
    int index[2];  /* in A and in B; -1: there is none */
    bool by_order; /* their names differ, or they have none */
};

struct subject_pairs {
    struct pair *pair; /* in the order of A, then those of B alone */
    int count;
};

static inline bool pair_is_whole(const struct pair *pair)
{
    return pair->index[0] >= 0 && pair->index[1] >= 0;
}

/* Can a tensor be of both types?  What is open may be anything. */
bool type_fits(const struct nnefc_type *a, const struct nnefc_type *b);
bool type_is_open(const struct nnefc_type *type);

/*
 * Tensors of equal names correspond.  The rest corresponds by order: inputs, outputs and state one
 * by one; with recorded results, whose order means nothing, only if one is left on either side.
 * Computed tensors correspond from the first on, and from the last back, as long as operations,
 * types and shapes are the same.  Variables correspond by their labels only.  To be freed by
 * pairs_free().
 */
struct subject_pairs pairs_match(const struct subject subjects[2], enum part part);
void pairs_free(struct subject_pairs *pairs);

#endif
