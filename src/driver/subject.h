/* subject.h - one of the two that are compared: a model that is run, or recorded results */
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
    struct nnefc_tensor *read;     /* the recorded result looked at last */
    int *state;                    /* indices of the variables that are updated, each label once */
    int nstate;
    bool recorded, told;
};

/* What there is of it; recorded results are outputs and may be computed tensors, too. */
enum part { PART_INPUT, PART_OUTPUT, PART_STATE, PART_VARIABLE, PART_COMPUTED };

/* Load the model, or list what is recorded; the first five members are set, the others zeros. */
enum nnefc_status subject_open(struct subject *subject);

/* Make ready to run, unless it is recorded. */
enum nnefc_status subject_start(struct subject *subject, const struct nnefc_image *image);

int subject_count(const struct subject *subject, enum part part);
const char *subject_name(const struct subject *subject, enum part part, int index);
struct nnefc_type subject_type(const struct subject *subject, enum part part, int index);

/* Valid until the next call; NULL if it was not computed, or cannot be read. */
const struct nnefc_tensor *subject_tensor(struct subject *subject, enum part part, int index);

enum nnefc_status subject_status(const struct subject *subject);

/* Say once what there is to say of it, and of which of the two that was. */
void subject_tell(struct subject *subject);

void subject_close(struct subject *subject);

#endif
