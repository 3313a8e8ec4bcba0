/* report.h - what there is to say, in the form that --message-format asks for */
#ifndef NNEFC_DRIVER_REPORT_H
#define NNEFC_DRIVER_REPORT_H

#include "driver/settings.h"

#include <jansson.h>

/* What was said so far; one for a run of the program, starts as {0}. */
struct reports {
    const struct nnefc_model *model; /* the one told about last */
    int said;                        /* how many of its diagnostics */
    bool hidden_said;                /* how many more there are */
    bool errors;                     /* of any model were told */
    json_t *log;                     /* of SARIF, which is written at the end; NULL: nothing yet */
};

/* Tell what of a model was not told yet: with -q only when there are errors. */
void report_model(const struct settings *settings, struct nnefc_model *model);

/* The model is about to be freed. */
void report_forget(const struct settings *settings);

/* Tell something of the program's own; without a code it is about the command line. */
void report_own(const struct settings *settings, const struct nnefc_diagnostic *said);

/* The program ends with this status. */
void report_end(const struct settings *settings, enum nnefc_status status);

/* A log of SARIF, the caller's. */
json_t *sarif_new(void);

/* --- for report.c ------------------------------------------------------------------------- */

/* One diagnostic; without a model it has neither labels nor notes nor fixes. */
struct report {
    const struct nnefc_model *model;
    int index;
    struct nnefc_diagnostic said;
};

/* As one object. */
json_t *report_json(const struct report *report);

/* What enters a log, and what ends it. */
void sarif_add(json_t *log, const struct report *report);
void sarif_end(json_t *log, enum nnefc_status status);

const char *severity_name(enum nnefc_severity severity);

/* A string, or null; bytes that are no UTF-8 become U+FFFD. */
json_t *json_text(const char *text);

#endif
