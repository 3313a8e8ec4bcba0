/* samples.h - inputs of a model, one after the other: files of a folder */
#ifndef NNEFC_DRIVER_SAMPLES_H
#define NNEFC_DRIVER_SAMPLES_H

#include "driver/compute.h"

/* Each is a file, or a folder with a file for each parameter, named as that is. */
struct samples {
    const struct command *command;
    const struct feeding *feeding; /* how images are read */
    struct nnefc_model *model;
    char **path; /* sorted by name */
    int count;
};

/*
 * The samples of a folder, or the file alone: .npy, .dat, .png or .npz.  Their items are
 * read when they are fed.  Any status but NNEFC_OK after a message.
 */
enum nnefc_status samples_list(struct samples *samples, const char *path);
void samples_free(struct samples *samples);

/* The files of a sample, struct named_file: those in a folder have the names of parameters. */
struct option_list samples_files(const struct samples *samples, int index);
void samples_files_free(struct option_list *list);

/* Give all parameters of a run their inputs. */
enum nnefc_status samples_feed(const struct samples *samples, int index, struct nnefc_run *run);

#endif
