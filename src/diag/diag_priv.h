/* diag_priv.h - the collected reports, and the parts of the printer */
#ifndef NNEFC_DIAG_DIAG_PRIV_H
#define NNEFC_DIAG_DIAG_PRIV_H

#include "base/list.h"
#include "base/text.h"
#include "diag/diag.h"

struct note {
    struct note *next;
    struct span at; /* {0}: nowhere */
    const char *text;
    bool label; /* shown beside the text at `at`, if that is in a source */
};

LIST_OF(note);

struct diag_entry {
    struct diag_report head;
    const char *help; /* or NULL */
    struct note_list notes;
    struct diag_fix *fixes;
    int fix_count;
};

struct arena;

/* The settings of one warning, or of all. */
struct diag_warning_rule {
    enum { ASKED_NOTHING, ASKED_NO, ASKED_YES } on, error;
};

struct diag_input {
    uint64_t device, inode;
};

struct diag {
    const struct sources *sources;
    struct arena *arena; /* owns all texts, notes and fix-its */
    struct diag_entry *report;
    int count;
    int errors, limit;          /* recorded errors and their limit; 0: none */
    int hidden;                 /* errors beyond the limit */
    enum diag_code hidden_code; /* of the last of these */
    struct span origin;         /* where faults of files are shown; {0}: at no place */
    const char *note;           /* of each report that is added; NULL: none */
    int printed;                /* reports that were printed, from the first */
    struct diag_input *input;
    int inputs, inputs_sorted; /* the first ones are sorted */
    struct diag_warning_rule rules[WARNING_COUNT + 1];
    bool pedantic;
    bool dropped; /* the last report was not recorded: limit, repetition or a warning that is off */
    bool hidden_printed;
};

enum paint {
    PAINT_PLAIN,
    PAINT_STRONG,
    PAINT_FRAME, /* line numbers, bars, marks that are not the place of the report */
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

/* Append a text; a character that must not reach a terminal becomes '?'. */
void row_add(struct diag_row *row, enum paint paint, const char *text, size_t size);
void row_add_text(struct diag_row *row, enum paint paint, const char *text);
void row_repeat(struct diag_row *row, enum paint paint, char c, size_t count);

/* Append blanks up to a column. */
void row_pad(struct diag_row *row, size_t column);

/* Print the row without blanks at its end, and empty it. */
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

/*
 * Choose what to show of the line `text`: all of it, or if it is long, what surrounds the parts in
 * `marked`, which need not be in order.
 */
struct excerpt excerpt_new(struct arena *arena, const struct excerpt_part *marked, int count,
                           const char *text, size_t size);

/* The column at which a byte of the line is shown, from 0. */
size_t excerpt_column(const struct excerpt *e, size_t byte);
void excerpt_add(const struct excerpt *e, struct diag_row *row);

/* --- diag_snippet.c, diag_change.c: parts of texts with a frame on their left ----------------- */

struct painter {
    const struct sources *sources;
    struct arena *arena; /* freed once the report is printed */
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

/* Print the lines that have marks; the first mark is the place in the heading. */
void snippet_print(const struct painter *p, const struct mark *marks, int count);

/* Print the lines as the fix-its would change them; not all, if there are very many. */
void change_print(const struct painter *p, const struct diag_fix *fixes, int count);

/* Begin a row with "   |" or " 12 |"; end it. */
void frame_bar(const struct painter *p, struct diag_row *row);
void frame_line(const struct painter *p, struct diag_row *row, int line, char bar);
void frame_end(const struct painter *p, struct diag_row *row);

/* Print a row with a bar only, or one that stands for lines left out: "...". */
void frame_blank(const struct painter *p);
void frame_gap(const struct painter *p);

#endif
