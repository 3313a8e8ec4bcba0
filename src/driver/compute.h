/* compute.h - runs: the backend, the data, the progress, and where the time goes */
#ifndef NNEFC_DRIVER_COMPUTE_H
#define NNEFC_DRIVER_COMPUTE_H

#include "driver/load.h"

#include <math.h>

/* --- who computes ----------------------------------------------------------------------------- */

struct computing {
    int backend;   /* of the words of --backend the first is 1; 0: not given */
    bool exact;    /* no algorithm that trades accuracy for speed */
    bool profile;  /* say where the time goes */
    int threads;   /* 0: not given */
    uint64_t seed; /* of operations that draw random numbers */
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

/* If the plan of the run has layers that it computes with integers: add the object "integers" with
 * "layers", "of" and "share", the part of multiplications; print that on the standard error. */
#define INTEGERS_LAYOUT \
    "{integers?{integers*integers: {layers} of {of} layers, {share:.1%} of MACs\n}}"
void record_integers(struct record *to, const struct nnefc_run *run);
void print_integers(const struct nnefc_run *run);

/* On the standard error: how many packed weights of a graph file the run has used. */
void print_packed_use(const struct nnefc_model *model, const struct nnefc_run *run);

/* Write when each step of the last run, which began at `since` seconds by the monotonic clock, went
 * on, by thread: trace events.  False sets errno. */
bool trace_write(const char *path, struct nnefc_run *run, double since);

/* --- with what data --------------------------------------------------------------------------- */

struct feeding {
    struct option_list inputs; /* struct named_file */
    bool random;
    uint64_t seed;
    double fill; /* NaN: not given */
    struct nnefc_image image;
    const char *image_option; /* one that is for images only; NULL: none was given */
    int steps;
};

#define FEEDING_DEFAULTS                   \
    {                                      \
        .seed = 1, .fill = NAN, .steps = 1 \
    }

/* For a struct feeding: images are what files hold, too. */
extern const struct option feed_options[], image_options[], steps_options[];
#define FEED_TITLE "Options for the inputs of models"

/*
 * False after a message if options contradict each other or the inputs, or if the standard input is
 * used twice.  `streams` says how often something else than an input uses it.
 */
bool feeding_agrees(const struct command *command, const struct feeding *feeding, int streams);

/* Extents that a model leaves open are those of the inputs. */
void feeding_tell(const struct feeding *feeding, struct loading *loading);

/* Make data for a parameter that has none, if --random or --fill asks for it. */
enum nnefc_status feed_made(const struct feeding *feeding, struct nnefc_run *run, int index);

/* Feed the parameters whose arrays are in the archives that were given without a name. */
enum nnefc_status feed_archives(const struct feeding *feeding, struct nnefc_run *run);

/* One side of the graph, its parameters or its results, to which files belong. */
struct side {
    const char *what; /* "input" or "output" */
    int count;
    struct nnefc_model *model;
    bool outputs;
    int (*find)(void *data, const char *name); /* index, or -1 after a report; NULL: by the model */
    void *data;
    bool (*is_for_all)(const struct named_file *file); /* it belongs to no single one */
};

/* The caller sets `is_for_all` of the outputs; archives without a name are for all inputs. */
struct side side_of(struct nnefc_model *model, bool outputs);

/*
 * Fill file[index] for each index < side->count, with NULL if no file is given.  Files with a name
 * come first, the others follow in their order for what is left.  Files for all are left out.
 */
enum nnefc_status files_assign(const struct command *command, const struct side *side,
                               const struct option_list *given, const char **file);

/* The inputs of a run, which are others in each step if an input is given several times. */
struct feed {
    const struct command *command;
    const struct feeding *feeding;
    struct nnefc_model *model;
    struct nnefc_run *run; /* the caller's */
    const char **file;     /* by parameter: the one that it has; NULL: none */
    int steps;             /* that the files are for */
};

/*
 * Decide which file is for which parameter, before anything is computed; the caller sets `run`
 * then. feed_free() in any case.
 */
enum nnefc_status feed_plan(struct feed *feed, const struct command *command,
                            const struct feeding *feeding, struct nnefc_model *model);

/* Feed what step number `step` has, from 0; behind the last one the files come again. */
enum nnefc_status feed_step(struct feed *feed, int step);

void feed_free(struct feed *feed);

/* Reports of the run from here on tell which of several steps they are of, from 1. */
void note_step(struct nnefc_run *run, int step, int steps);

/* Of a monotonic clock, since some moment. */
double seconds_now(void);

/* --- progress --------------------------------------------------------------------------------- */

/* Computes step number `step`, from 1; any status but NNEFC_OK ends the run. */
typedef enum nnefc_status (*step_function)(void *data, int step);

/*
 * Call `compute` for each step while a line on the terminal shows how far `run` is.  The line
 * appears after a second and is wiped in the end: scripts and short runs never see it.
 */
enum nnefc_status progress_steps(const struct command *command, int steps, struct nnefc_run *run,
                                 step_function compute, void *data);

/* A step function; `data` is the struct nnefc_run. */
enum nnefc_status compute_step(void *data, int step);

/* --- where the time goes ---------------------------------------------------------------------- */

/* Columns of a step or kind, and the layout of what steps_add() adds: a table of each. */
#define SPENT_LAYOUT                \
    "{minMs:10.4f}  {share:5.1%}  " \
    "{gflops?{gflops:8.1f}  {ofPeak:6.1%}{fewerOperations? *}}{gflops!       -        -}\n"
#define STEPS_LAYOUT                                                                             \
    "{@step\toperations\tbackend\tkernel\tlayout\t        ms   share   GFLOP/s  of peak\n"       \
    "{steps*{name?{name}}{name!-}\t{operations?{operations}}{operations!-}\t"                    \
    "{backend}\t{kernel}\t{layout}\t" SPENT_LAYOUT "}}\n"                                        \
    "{@kind\tsteps          ms   share   GFLOP/s  of peak\n"                                     \
    "{kinds*{kind}\t{steps:5d}  " SPENT_LAYOUT "}{.all*{kind}\t{steps:5d}  " SPENT_LAYOUT "}}\n" \
    "peak: {peakGflops:.1f} GFLOP/s, by as many threads that multiply and add in registers "     \
    "({kernels})\n{.all*{fewerOperations?"                                                       \
    "*: Winograd's or Strassen's algorithm takes fewer operations than the direct form, which "  \
    "is counted\n}}"

/*
 * Add "kernels", "peakGflops", "steps" in their order, and "kinds" of steps, the one that took
 * longest first.  Speeds are compared with the peak of the machine, which this measures.  `runs` is
 * how often the model was computed since nnefc_run_measure().
 */
void steps_add(struct record *to, int threads, struct nnefc_run *run, int runs);

#endif
