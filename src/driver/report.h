/*
 * report.h - diagnostics of models and messages of the program, in the form of --message-format
 *
 * Messages begin with "nnefc: " on the standard error, or are diagnostics without a code.
 */
#ifndef NNEFC_DRIVER_REPORT_H
#define NNEFC_DRIVER_REPORT_H

#include "driver/command.h"
#include "driver/memory.h"

/* What was reported so far; one for a run of the program, starts as {0}. */
struct reports {
    const struct nnefc_model *model; /* the one reported last */
    int said;                        /* how many of its diagnostics */
    bool hidden_said;                /* how many more there are */
    bool errors;                     /* of any model were reported */
    struct sarif *log;               /* which is printed at the end; NULL: none */
};

/* The option that every command has, for the struct command. */
extern const struct option message_options[];

/* Which format the word names; -1: none. */
int message_format_find(const char *word);

/* --- the program itself ----------------------------------------------------------------------- */

/* Notes and warnings are not printed with --quiet.  Always NNEFC_USAGE. */
enum nnefc_status usage_report(const struct command *command, enum nnefc_severity severity,
                               const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A fault of the command line, a warning and a note. */
#define usage_error(command, ...)   usage_report(command, NNEFC_ERROR, __VA_ARGS__)
#define usage_warning(command, ...) usage_report(command, NNEFC_WARNING, __VA_ARGS__)
#define usage_note(command, ...)    usage_report(command, NNEFC_NOTE, __VA_ARGS__)

/*
 * Report a name that does not exist: "WRONG 'NAME'; did you mean 'NEAREST'?", or, if none of the
 * names is near, which command lists them, such as "help".  `names` ends with NULL.  Always
 * NNEFC_USAGE.
 */
enum nnefc_status usage_suggest(const struct command *command, const char *wrong, const char *name,
                                const char *const *names, const char *lister);

/* As the library does: a file cannot be written.  Always NNEFC_FILE. */
enum nnefc_status file_error(const struct command *command, const char *file, const char *why);

/* --- models ----------------------------------------------------------------------------------- */

/* Print the diagnostics not printed yet: with --quiet only if there are errors among them. */
void report_model(const struct command *command, struct nnefc_model *model);

/* The status of a call that failed: without a report, memory ran out. */
enum nnefc_status model_failure(const struct nnefc_model *model);

/* Print the diagnostics not printed yet, and free the model. */
void close_model(const struct command *command, struct nnefc_model *model);

/* Print the log of SARIF, if there is one.  The program ends with this status. */
void report_end(const struct command *command, enum nnefc_status status);

/* --- for report.c and sarif.c ----------------------------------------------------------------- */

/* One diagnostic; without a model it has neither labels nor notes nor fixes. */
struct report {
    const struct nnefc_model *model;
    struct nnefc_diagnostic said;
};

/* A log of SARIF; sarif_end() frees it and returns its record. */
struct sarif *sarif_new(void);
void sarif_add(struct sarif *log, const struct report *report);
struct record *sarif_end(struct sarif *log, enum nnefc_status status);

const char *severity_name(enum nnefc_severity severity);

#endif
