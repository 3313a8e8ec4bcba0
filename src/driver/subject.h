/* subject.h - one of the two that are compared: a model that is run, or recorded results */
#ifndef NNEFC_DRIVER_SUBJECT_H
#define NNEFC_DRIVER_SUBJECT_H

#include "driver/settings.h"

struct subject {
    struct settings settings;      /* as they are for this one; the model is its path */
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

/* Load the model, or list what is recorded; `data`, which may be NULL, is the folder of weights. */
enum nnefc_status subject_open(struct subject *subject, const struct settings *settings,
                               const char *path, char *data);

/* Make ready to run, if that is to be. */
enum nnefc_status subject_start(struct subject *subject);

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
