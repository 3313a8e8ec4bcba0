/* report.h - what there is to say, in the form that --message-format asks for */
#ifndef NNEFC_DRIVER_REPORT_H
#define NNEFC_DRIVER_REPORT_H

#include "driver/record.h"
#include "driver/settings.h"

/* What was said so far; one for a run of the program, starts as {0}. */
struct reports {
    const struct nnefc_model *model; /* the one told about last */
    int said;                        /* how many of its diagnostics */
    bool hidden_said;                /* how many more there are */
    bool errors;                     /* of any model were told */
    struct sarif *log;               /* which is written at the end; NULL: none, or no memory */
};

/* Tell what of a model was not told yet: with -q only when there are errors. */
void report_model(const struct settings *settings, struct nnefc_model *model);

/* The model is about to be freed. */
void report_forget(const struct settings *settings);

/* Tell something of the program's own; without a code it is about the command line. */
void report_own(const struct settings *settings, const struct nnefc_diagnostic *said);

/* The program ends with this status. */
void report_end(const struct settings *settings, enum nnefc_status status);

/* One diagnostic; without a model it has neither labels nor notes nor fixes. */
struct report {
    const struct nnefc_model *model;
    int index;
    struct nnefc_diagnostic said;
};

/* A log of SARIF, which sarif_end() turns into what is to be printed. */
struct sarif *sarif_new(void);
void sarif_add(struct sarif *log, const struct report *report);
struct record *sarif_end(struct sarif *log, enum nnefc_status status);

const char *severity_name(enum nnefc_severity severity);

#endif
