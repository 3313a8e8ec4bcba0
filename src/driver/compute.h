/* compute.h - runs: who computes, with what data, and how far a run is */
#ifndef NNEFC_DRIVER_COMPUTE_H
#define NNEFC_DRIVER_COMPUTE_H

#include "driver/load.h"
#include "driver/rewrite.h"

#include <time.h>

/* --- who computes ----------------------------------------------------------------------------- */

struct computing {
    const char *backend; /* NULL: not given */
    bool exact;          /* no algorithm that trades accuracy for speed */
    bool profile;        /* say where the time goes */
    int threads;         /* 0: not given */
};

extern const struct option backend_options[], profile_options[]; /* for a struct computing */
#define RUN_TITLE "Options of commands that run models"

/* The option --threads, of the struct computing at `offset`. */
#define THREADS_OPTION(offset, help_text)                                                          \
    {                                                                                              \
        "--threads", NULL, "N", help_text, .expects = "a whole number from 1 to 1024",             \
                                           .set = set_threads,                                     \
                                           .field = (offset) + offsetof(struct computing, threads) \
    }

/*
 * Make a model ready to run.  Fills in *run, which nnefc_run_free() takes; NULL after a failure.
 * `usual` is the backend if none is given.
 */
enum nnefc_status start_run(const struct computing *computing, const char *usual,
                            struct nnefc_model *model, struct nnefc_run **run);

/* On the standard error: how many packed weights of a graph file the run has used. */
void print_packed_use(const struct nnefc_model *model, const struct nnefc_run *run);

/* --- with what data --------------------------------------------------------------------------- */

struct feeding {
    struct option_list inputs; /* struct named_file */
    bool random, filled;
    uint64_t seed;
    double fill;
    struct nnefc_image image;
    const char *image_option; /* one that is for images only; NULL: none was given */
    int steps;
};

#define FEEDING_DEFAULTS      \
    {                         \
        .seed = 1, .steps = 1 \
    }

extern const struct option feed_options[]; /* for a struct feeding */
#define FEED_TITLE "Options for the inputs of models"

/*
 * False after a message if options contradict each other or the inputs, or if more than one of
 * inputs and of what else is read, of which there are `streams`, is the standard input.
 */
bool feeding_agrees(const struct command *command, const struct feeding *feeding, int streams);

/* Make data for a parameter that has none, if that is asked for: --random or --fill. */
enum nnefc_status feed_made(const struct feeding *feeding, struct nnefc_run *run, int index);

/* Feed all parameters that are in archives of arrays without a name. */
enum nnefc_status feed_archives(const struct feeding *feeding, struct nnefc_run *run);

/* One side of the graph, its parameters or its results, to which files are given. */
struct side {
    const char *what; /* "input" or "output" */
    int count;
    int (*find)(void *data, const char *name); /* index, or -1 after a report */
    void *data;
    bool (*is_for_all)(const struct named_file *file); /* one that belongs to no single one */
};

struct side side_of_inputs(struct nnefc_model *model);
struct side side_of_outputs(struct nnefc_model *model);

/*
 * Fill file[index] for each index < side->count, NULL where no file is given: of those that are not
 * for all first the ones with a name, then the others in order for what is left.
 */
enum nnefc_status files_assign(const struct command *command, const struct side *side,
                               const struct option_list *given, const char **file);

/* --- how far it is ---------------------------------------------------------------------------- */

/* One line on a terminal, for runs that take over a second. */
struct progress {
    bool wanted, shown;
    int step, steps;
    struct timespec start, last;
};

void progress_begin(struct progress *progress, bool quiet, int steps);

/* An nnefc_progress; `data` is the struct progress. */
void progress_show(void *data, int done, int total);

/* Wipe the line. */
void progress_end(struct progress *progress);

/* Run all steps that are asked for, and show how far it is. */
enum nnefc_status progress_steps(const struct command *command, int steps, struct nnefc_run *run);

#endif
