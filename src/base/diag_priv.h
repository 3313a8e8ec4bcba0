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

struct diag {
    const struct sources *sources;
    struct arena *arena; /* of all texts and notes */
    struct report *report;
    int count, capacity;
    int errors, limit;
    struct span asker; /* of files; nowhere: nobody */
    int printed;
    bool werror;
    bool dropped; /* the report made last was, because of the limit or as a repetition */
    bool stop_printed;
};

/* The line of `where` with `length` bytes from its column underlined, on two lines. */
void diag_print_excerpt(FILE *to, const struct location *where, size_t length, bool colour);

/* `text` without anything that could command a terminal. */
void diag_print_clean(FILE *to, const char *text);

#endif
