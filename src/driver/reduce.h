/* reduce.h - the parts of nnefc reduce: judging a part, remembering tries, and the search */
#ifndef NNEFC_DRIVER_REDUCE_H
#define NNEFC_DRIVER_REDUCE_H

#include "driver/comparison.h"
#include "driver/names.h"
#include "driver/target.h"

#include <signal.h>

struct reduce_settings {
    struct command command;
    struct loading loading;
    struct feeding feeding;
    struct nnefc_tolerance tolerance;
    const char *differs, *check, *code; /* NULL: not given */
    bool crash, as_is;
    enum target_format format, to; /* of OUT, and of what a command is given */
    enum target_format good_format;
    const char *record, *good; /* folder of the inputs; file of what passes; NULL: none */
    int tests;                 /* 0: any number */
    double time, each;         /* of all checks, and of one, in seconds; 0: any */
};

/* UNKNOWN: the check cannot tell.  STOPPED: it was not tried, because no time or no try is left. */
enum answer { ANSWER_PASSES, ANSWER_FAILS, ANSWER_UNKNOWN, ANSWER_STOPPED };

/* A reduction as it goes on. */
struct reduction {
    struct reduce_settings s;
    const struct command *command;
    char *folder;  /* a temporary one; NULL: it is not there */
    sigset_t ends; /* signals that end the reduction */
    int tests;
    double start;
    struct tried *tried; /* what was tried before */
    int ntried;
    bool in_folder; /* a text is checked as a graph is: in a folder, with the data of the model */
    bool broken;    /* a command cannot be run, or a result cannot be written: it was reported */
};

/* --- reduce.c: what was tried ----------------------------------------------------------------- */

/* Add bytes to the hash of a part, which begins as 0. */
uint64_t digest_of(uint64_t digest, const void *bytes, size_t size);

/* Has a signal come, or is the time over? */
bool reduction_is_over(const struct reduction *r);

/* True if the answer is known or STOPPED; *answer is it.  Otherwise the caller finds the answer and
 * reports it by the next function. */
bool answer_known(struct reduction *r, uint64_t digest, enum answer *answer);

/* Remember the answer of a try, and print it: "12: 40 operations: fails". */
void answer_tell(struct reduction *r, uint64_t digest, enum answer answer, int size,
                 const char *unit);

/* While a model and its inputs are read, which may come from a pipe, a signal ends the process as
 * usual: no temporary folder is there meanwhile.  The second function makes it; false after a
 * report. */
void reduction_reads(struct reduction *r);
bool reduction_has_read(struct reduction *r);

/* "folder/name", to be freed. */
char *reduction_path(const struct reduction *r, const char *name);

/* Remove a folder of this program's files, a few folders deep. */
void remove_folder(const char *path);

/* --- reduce_search.c -------------------------------------------------------------------------- */

/* Does what is left fail? */
typedef enum answer (*try_function)(void *data, const bool *kept);

/* Leave out as many items of `kept`, which fails, as possible: in runs of half of them, of a
 * quarter, and so on. */
void search_less(bool *kept, int count, try_function test, void *data);

/* --- reduce_judge.c --------------------------------------------------------------------------- */

/* Inputs of a model, of each sample. */
struct tensors {
    struct nnefc_tensor **at; /* by sample, then by input */
    int inputs, samples;
};
void tensors_free(struct tensors *tensors);

/* Bytes of an item in memory. */
size_t item_size(enum nnefc_dtype dtype);

/* A copy; NULL: there is no memory. */
struct nnefc_tensor *tensor_copy(const struct nnefc_tensor *tensor);

/* Does a model fail with these inputs, any of the samples?  `other` is what --differs=B compares
 * with; else NULL. */
enum answer judge_model(struct reduction *r, struct nnefc_model *model, struct nnefc_model *other,
                        const struct tensors *inputs);

/* The same for an NNEF text. */
enum answer judge_text(struct reduction *r, const char *text, size_t size);

/* What the file or folder of a part says.  Names and labels may not be those of the graph, because
 * NNEF cannot have all of them.  NULL, without a report: it cannot be read, or has not all inputs.
 */
struct nnefc_model *load_written(const char *path, int inputs);

/* Write each input of each sample into a folder for the sample: "folder/1/x.dat". */
bool write_samples(struct reduction *r, struct nnefc_model *model, const struct tensors *inputs,
                   const char *folder);

/* --- what is reduced -------------------------------------------------------------------------- */

/* reduce_graph.c: reduce the graph; returns a status, and whether the model fails as a graph. */
enum nnefc_status reduce_graph(struct reduction *r, bool *fails);

/* reduce_text.c: reduce the text of an NNEF model in the same way. */
enum nnefc_status reduce_text(struct reduction *r, bool *fails);

#endif
