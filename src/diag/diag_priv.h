/* diag_priv.h - what diag.c collects and diag_print.c prints */
#ifndef NNEFC_DIAG_DIAG_PRIV_H
#define NNEFC_DIAG_DIAG_PRIV_H

#include "base/list.h"
#include "base/text.h"
#include "diag/diag.h"

struct note {
    struct note *next;
    struct span at;
    const char *text;
    bool label;
};

LIST_OF(note);

struct diag_entry {
    struct diag_report head;
    const char *help; /* or NULL */
    struct note_list notes;
    struct diag_fix *fixes;
    int fix_count, fix_room;
};

struct arena;

/* What was asked for of one warning, or of all. */
struct diag_warning_rule {
    enum { ASKED_NOTHING, ASKED_NO, ASKED_YES } on, error;
};

struct diag {
    const struct sources *sources;
    struct arena *arena; /* of all texts and notes */
    struct diag_entry *report;
    int count, capacity;
    int errors, limit;
    int hidden;         /* errors beyond the limit */
    struct span origin; /* of files; nowhere: nobody */
    int printed;
    struct diag_warning_rule rules[WARNING_COUNT + 1];
    bool pedantic;
    bool dropped; /* the report made last was, because of the limit or as a repetition */
    bool hidden_printed;
};

/* Asked for by name or for all warnings. */
bool warning_is_error(const struct diag *diag, enum diag_warning warning);

/* Colours of what is printed. */
enum paint {
    PAINT_PLAIN,
    PAINT_STRONG,
    PAINT_FRAME, /* line numbers, bars, what is marked beside the place of the report */
    PAINT_NOTE,
    PAINT_WARNING,
    PAINT_ERROR,
    PAINT_ADDED,
    PAINT_REMOVED,
};

enum paint paint_of(enum diag_severity severity);

/* --- diag_row.c: one line of output, from left to right; starts as {0} ------------------------ */

struct diag_row {
    struct text text, paint; /* a byte of `paint` for each of `text` */
    size_t width;            /* in columns */
};

/* Tabs become spaces, and what must not reach a terminal '?'. */
void row_add(struct diag_row *row, enum paint paint, const char *text, size_t size);
void row_add_text(struct diag_row *row, enum paint paint, const char *text);
void row_repeat(struct diag_row *row, enum paint paint, char c, size_t count);
void row_pad(struct diag_row *row, size_t column);

/* Print without blanks at the end, and forget. */
void row_end(struct diag_row *row, FILE *to, bool colour);

/* --- diag_excerpt.c: a line of source text, cut around what matters in it --------------------- */

struct excerpt_part {
    size_t begin, end; /* bytes of the line */
};

struct excerpt {
    const char *text;
    size_t size;
    struct excerpt_part *kept; /* in order, apart from each other */
    int count;
};

/* `marked` need not be in order. */
struct excerpt excerpt_new(struct arena *arena, const struct excerpt_part *marked, int count,
                           const char *text, size_t size);

/* The column at which a byte is shown, relative to the first shown. */
size_t excerpt_column(const struct excerpt *e, size_t byte);
void excerpt_add(const struct excerpt *e, struct diag_row *row);

/* --- diag_snippet.c, diag_change.c: parts of texts with a frame on their left ----------------- */

struct painter {
    const struct sources *sources;
    struct arena *arena; /* for what lasts as long as the report is printed */
    FILE *to;
    bool colour;
    int gutter; /* columns of the largest line number */
};

struct mark {
    struct span at;
    const char *label; /* or NULL */
    enum paint paint;
    bool primary; /* underlined by ^ instead of - */
};

/* The lines that the marks are in, the first of which tells the place. */
void snippet_print(const struct painter *p, const struct mark *marks, int count);

/* The lines as they would read, with some of the changes if there are very many. */
void change_print(const struct painter *p, const struct diag_fix *fixes, int count);

/* "   |" or " 12 |", without an end. */
void frame_bar(const struct painter *p, struct diag_row *row);
void frame_line(const struct painter *p, struct diag_row *row, int line, char bar);
void frame_end(const struct painter *p, struct diag_row *row);

#endif
