/*
 * diag.h - errors and warnings: the only way in which the library reports to the user
 *
 * The function that detects a fault reports it once, with the span it came from.  Reports are
 * collected until diag_print() prints them.  Their texts live until diag_clear() or diag_free().
 *
 * A list of reports is used by one thread at a time.  Where several threads compute, each has a
 * list of its own, which follows that of the model (diag_follow()); one thread at a time moves its
 * reports there (diag_move()).
 */
#ifndef NNEFC_DIAG_DIAG_H
#define NNEFC_DIAG_DIAG_H

#include "base/text.h"
#include "diag/source.h"
#include "diag/warning.h"

#include <stdbool.h>
#include <stdio.h>

enum diag_code {
#define DIAG(code, name, section, title) DIAG_##name,
#include "diag/diag.def"
#undef DIAG
    DIAG_CODE_COUNT
};

enum diag_severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };

/* The name of a code ("N0090"), the section of the standard ("-": none) and a title. */
struct diag_info {
    const char *code, *section, *title;
};

struct diag;

/* `sources` must outlive the list; it may be NULL until diag_follow(). */
struct diag *diag_new(const struct sources *sources);
void diag_free(struct diag *diag);

/* The number of errors that are recorded; 0: no limit.  20 if not set. */
void diag_set_limit(struct diag *diag, int limit);

/*
 * Set the state of one warning or of WARNING_ALL; turn all warnings into errors, except those that
 * were set by name; turn on the warnings that are off by default.
 */
void diag_set_warning(struct diag *diag, enum diag_warning warning, enum diag_warning_state state);
void diag_set_werror(struct diag *diag, bool werror);
void diag_set_pedantic(struct diag *diag, bool pedantic);

/* Whether the warning is on.  If it is off, a caller need not look for what it would report. */
bool diag_warns(const struct diag *diag, enum diag_warning warning);

/* Record one error.  Always returns false, so checkers can `return diag_error(...)`. */
bool diag_error(struct diag *diag, struct span at, enum diag_code code, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* Record a warning, unless it is off or the same warning was recorded for the same place. */
void diag_warning(struct diag *diag, struct span at, enum diag_warning warning, const char *fmt,
                  ...) PRINTF_LIKE(4, 5);

/* An error about a file and not about a place in a text; `file` may be NULL. */
bool diag_file_error(struct diag *diag, const char *file, enum diag_code code, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
void diag_file_warning(struct diag *diag, const char *file, enum diag_warning warning,
                       const char *fmt, ...) PRINTF_LIKE(4, 5);

/*
 * Remember a file that was read for the model, by st_dev and st_ino; whether a file was.  What is
 * made of the model does not replace it unasked (file/out.h).
 */
void diag_add_input(struct diag *diag, uint64_t device, uint64_t inode);
bool diag_is_input(struct diag *diag, uint64_t device, uint64_t inode);

/*
 * Show later faults of files at `at`, the place in a text that refers to the file, with the name of
 * the file in front; {0} ends that.
 */
void diag_set_origin(struct diag *diag, struct span at);

/* Let each later report begin with this note, which has to last; NULL ends that. */
void diag_set_note(struct diag *diag, const char *note);

/* Add a note to the last report, unless it has the same note; at {0} no source line is shown. */
void diag_note(struct diag *diag, struct span at, const char *fmt, ...) PRINTF_LIKE(3, 4);

/*
 * Add a few words about a part of the text to the last report: "declared here".  They are shown
 * beside that part; at the place of the report itself they stand behind its carets.  Always returns
 * false, as diag_error() does.
 */
bool diag_label(struct diag *diag, struct span at, const char *fmt, ...) PRINTF_LIKE(3, 4);

/*
 * Add a fix-it to the last report: `check --fix` puts `replacement` in place of the text at `at`,
 * which is empty for an insertion.  It must never change the meaning of a valid text.  The fix-its
 * of one report are applied together.
 */
void diag_fix(struct diag *diag, struct span at, const char *replacement);

/*
 * Set the help of the last report, shown as `help:`: what to write instead.  It replaces an earlier
 * one.  The text is a sentence that begins in lower case and ends with a stop.  Always returns
 * false, as diag_error() does.
 */
bool diag_help(struct diag *diag, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Help for a report on an unknown name: the nearest of those that `name_at` returns, NULL at the
 * end, and the first of them.  Always returns false. */
bool diag_help_names(struct diag *diag, const char *name,
                     const char *(*name_at)(int index, const void *data), const void *data);

/*
 * Whether a caller should look for help: the last report was recorded, and it is none of so many
 * that the time to compare names would count.
 */
bool diag_wants_help(const struct diag *diag);

/*
 * Errors beyond the limit are only counted, up to DIAG_MOST_HIDDEN.  Then diag_full() is true, and
 * a loop over faults should stop.
 */
enum { DIAG_MOST_HIDDEN = 1000 };
int diag_hidden_count(const struct diag *diag);
bool diag_hides(const struct diag *diag, enum diag_code code); /* is it the code of the last? */
bool diag_full(const struct diag *diag);

int diag_error_count(const struct diag *diag); /* those beyond the limit included */
int diag_count(const struct diag *diag);       /* errors and warnings that are recorded */

/* Report `index` of diag_count(), in the order of reporting. */
struct diag_report {
    enum diag_severity severity;
    enum diag_code code;
    enum diag_warning warning; /* also if it became an error; NONE: it is no warning */
    struct span at;
    const char *file; /* of diag_file_error(), else NULL */
    const char *text;
};
struct diag_report diag_at(const struct diag *diag, int index);

/* Record a report as the functions above do, of which `head` has code or warning, place or file. */
void diag_add(struct diag *diag, struct diag_report head, const char *fmt, ...) PRINTF_LIKE(3, 4);

struct diag_fix {
    struct span at;
    const char *replacement;
};

/* The help of report `index`, or NULL; its notes and labels, whose text is NULL behind the last. */
const char *diag_help_at(const struct diag *diag, int index);
struct diag_report diag_note_at(const struct diag *diag, int index, int note);
struct diag_report diag_label_at(const struct diag *diag, int index, int label);

/* The fix-its of report `index` in the order in which they were added; NULL behind the last. */
const struct diag_fix *diag_fix_at(const struct diag *diag, int index, int fix);

/* Remove report `from` and all later ones.  None of them may have been printed. */
void diag_take_back(struct diag *diag, int from);

/* Forget all reports, texts included, and that the limit was reached. */
void diag_clear(struct diag *diag);

const struct diag_info *diag_info(enum diag_code code);

enum diag_style {
    DIAG_STYLE_FULL,  /* with source lines, labels, help, changes, rule and notes */
    DIAG_STYLE_SHORT, /* file:line:col: error[N0000]: text [-Wname] */
};

/* Print all reports not printed yet, in order, and once the number of errors beyond the limit. */
void diag_print(struct diag *diag, FILE *to, enum diag_style style, bool colour);

/* Give a list the texts, the limit and the rules of another. */
void diag_follow(struct diag *diag, const struct diag *other);

/* Append all reports of `from` to `to`, by the rules of `to`; `from` is empty afterwards. */
void diag_move(struct diag *to, struct diag *from);

/* The same of the reports from number `first` on, which were not printed. */
void diag_move_since(struct diag *to, struct diag *from, int first);

/*
 * Apply the fix-its of all reports to the text that `at` covers, which is all of one source, and
 * append the result to *mended, which starts as {0}.  Returns the number of reports that are fixed;
 * if it is 0, nothing was appended.
 *
 * The fix-its of one report are made together or not at all.  If those of two reports touch each
 * other, only those of the first are made; checking the result again finds the second.  Reports
 * that propose the same changes are fixed by making them once.
 */
int fixit_apply(const struct diag *diag, struct span at, struct text *mended);

#endif
