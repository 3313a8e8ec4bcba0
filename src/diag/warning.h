/*
 * warning.h - the names of warnings, by which users turn them on and off
 *
 * What a diagnostic says belongs to its code; a warning is one reason to give it.
 */
#ifndef NNEFC_DIAG_WARNING_H
#define NNEFC_DIAG_WARNING_H

#include <stdbool.h>

enum diag_warning {
    WARNING_NONE, /* what is no warning: an error by its nature */
#define WARNING(NAME, flag, code, on, title) WARNING_##NAME,
#include "diag/warning.def"
#undef WARNING
    WARNING_COUNT,
    WARNING_ALL = WARNING_COUNT /* all of which nothing is said by name */
};

struct diag_warning_info {
    const char *name;  /* "mixed-logic" */
    const char *title; /* for lists */
    int code;          /* enum diag_code */
    bool on_by_default;
};

const struct diag_warning_info *diag_warning_info(enum diag_warning warning);

/* By its name, or "all"; WARNING_NONE if there is none of that name. */
enum diag_warning diag_warning_find(const char *name);

/* In which way a warning is given; what is said of one by name counts more than what is of all. */
enum diag_warning_state {
    WARNING_OFF,      /* -Wno-NAME */
    WARNING_ON,       /* -WNAME */
    WARNING_ERROR,    /* -Werror=NAME: on, and an error */
    WARNING_NO_ERROR, /* -Wno-error=NAME: no error; on or off as before */
};

#endif
