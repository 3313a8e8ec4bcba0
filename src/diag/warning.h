/*
 * warning.h - the names of warnings, by which users turn them on and off
 *
 * A diagnostic has a code; several warnings, each with a name, may share a code.
 */
#ifndef NNEFC_DIAG_WARNING_H
#define NNEFC_DIAG_WARNING_H

#include <stdbool.h>

enum diag_warning {
    WARNING_NONE, /* an error that is no warning */
#define WARNING(NAME, flag, code, on, title) WARNING_##NAME,
#include "diag/warning.def"
#undef WARNING
    WARNING_COUNT,
    WARNING_ALL = WARNING_COUNT /* every warning that is not set by its own name */
};

enum { WARNING_STRICT = 2 }; /* in warning.def */

struct diag_warning_info {
    const char *name;  /* "mixed-logic" */
    const char *title; /* for lists */
    int code;          /* enum diag_code */
    bool on_by_default;
    bool strict; /* an error to the pedantic */
};

const struct diag_warning_info *diag_warning_info(enum diag_warning warning);

/* The warning of that name, WARNING_ALL for "all", WARNING_NONE if there is none. */
enum diag_warning diag_warning_find(const char *name);

/* The state of a warning; a state set by name takes precedence over that of WARNING_ALL. */
enum diag_warning_state {
    WARNING_OFF,      /* -Wno-NAME */
    WARNING_ON,       /* -WNAME */
    WARNING_ERROR,    /* -Werror=NAME: on, and an error */
    WARNING_NO_ERROR, /* -Wno-error=NAME: no error; on or off as before */
};

#endif
