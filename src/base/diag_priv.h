/* diag_priv.h - what diag.c collects and diag_print.c prints */
#ifndef NNEFC_BASE_DIAG_PRIV_H
#define NNEFC_BASE_DIAG_PRIV_H

#include "base/diag.h"
#include "base/list.h"

struct note {
    struct note *next;
    struct span at;
    const char *text;
    bool label;
};

LIST_OF(note);

struct fix {
    struct fix *next;
    struct diag_fix change;
};

LIST_OF(fix);

struct report {
    struct diag_report said;
    const char *help; /* or NULL */
    struct note_list notes;
    struct fix_list fixes;
};

struct arena;

/* What was asked for of one warning, or of all. */
struct diag_warning_rule {
    enum { ASKED_NOTHING, ASKED_NO, ASKED_YES } on, error;
};

struct diag {
    const struct sources *sources;
    struct arena *arena; /* of all texts and notes */
    struct report *report;
    int count, capacity;
    int errors, limit;
    struct span asker; /* of files; nowhere: nobody */
    int printed;
    struct diag_warning_rule rules[WARNING_COUNT + 1];
    bool pedantic;
    bool dropped; /* the report made last was, because of the limit or as a repetition */
    bool stop_printed;
};

/* Asked for by name or for all warnings. */
bool warning_is_error(const struct diag *diag, enum diag_warning warning);

/* The line of `where` with `length` bytes from its column underlined, on two lines. */
void diag_print_excerpt(FILE *to, const struct location *where, size_t length, bool colour);

/* `text` without anything that could command a terminal. */
void diag_print_clean(FILE *to, const char *text);

#endif
