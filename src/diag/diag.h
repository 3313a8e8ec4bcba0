/*
 * diag.h - errors and warnings: the only way by which the library reports to the user
 *
 * Whoever detects a fault reports it once, with the span it came from.  Faults are
 * collected and printed by diag_print(); the text of a report is at hand until then.
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

/* What a code is called ("N0090"), its clause and its title; for manuals and programs. */
struct diag_info {
    const char *code, *section, *title;
};

struct diag;

struct diag *diag_new(const struct sources *sources);
void diag_free(struct diag *diag);

/* Most errors that are recorded; 0 = no limit. The standard is 20. */
void diag_set_limit(struct diag *diag, int limit);

/*
 * How one warning, or WARNING_ALL, is treated; whether all become errors, except those that are
 * named; whether those are given, too, that are off by default.
 */
void diag_set_warning(struct diag *diag, enum diag_warning warning, enum diag_warning_state state);
void diag_set_werror(struct diag *diag, bool werror);
void diag_set_pedantic(struct diag *diag, bool pedantic);

/* Whether the warning is on, to save the work of finding what it would report. */
bool diag_warns(const struct diag *diag, enum diag_warning warning);

/* Record one error.  Always returns false, so checkers can `return diag_error(...)`. */
bool diag_error(struct diag *diag, struct span at, enum diag_code code, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* Dropped if the warning is off, or if the same warning was recorded for the same place. */
void diag_warning(struct diag *diag, struct span at, enum diag_warning warning, const char *fmt,
                  ...) PRINTF_LIKE(4, 5);

/* An error about a file and not about a place in a text; `file` may be NULL. */
bool diag_file_error(struct diag *diag, const char *file, enum diag_code code, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
void diag_file_warning(struct diag *diag, const char *file, enum diag_warning warning,
                       const char *fmt, ...) PRINTF_LIKE(4, 5);

/*
 * From now on faults of files are shown at `at`, the place in a text that refers to the file, with
 * the name of the file in front; {0} ends that.
 */
void diag_set_origin(struct diag *diag, struct span at);

/* More about the report made last, unless it has that note; nowhere = no source line. */
void diag_note(struct diag *diag, struct span at, const char *fmt, ...) PRINTF_LIKE(3, 4);

/*
 * A few words about a part of the text that the report is about, shown beside it: "declared here".
 * At the place of the report itself they stand behind its carets.
 */
void diag_label(struct diag *diag, struct span at, const char *fmt, ...) PRINTF_LIKE(3, 4);

/*
 * A fix-it for `check --fix`: `replacement` instead of the text at `at`, which is empty for an
 * insertion.  It must never change the meaning of a valid text.  Fix-its of one report are applied
 * together.
 */
void diag_fix(struct diag *diag, struct span at, const char *replacement);

/*
 * What to write instead, shown as `help:`; one a report, a later one replaces it.  A sentence that
 * begins in lower case and ends with a stop.
 */
void diag_help(struct diag *diag, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Whether the last report was recorded, to save the work of finding help for it. */
bool diag_wants_help(const struct diag *diag);

/*
 * Errors beyond the limit are counted only, and DIAG_MOST_HIDDEN of them not even that: diag_full()
 * is true then, and whoever loops over faults should stop.
 */
enum { DIAG_MOST_HIDDEN = 1000 };
int diag_hidden_count(const struct diag *diag);
bool diag_full(const struct diag *diag);

int diag_error_count(const struct diag *diag); /* with those that are hidden */
int diag_count(const struct diag *diag);       /* errors and warnings that are recorded */

/* Report `index` of diag_count(), in the order of reporting. */
struct diag_report {
    enum diag_severity severity;
    enum diag_code code;
    enum diag_warning warning; /* also if it became an error; NONE: an error by its nature */
    struct span at;
    const char *file; /* of diag_file_error(), else NULL */
    const char *text;
};
struct diag_report diag_at(const struct diag *diag, int index);

struct diag_fix {
    struct span at;
    const char *replacement;
};

/* Its help, or NULL; its notes and its labels, of which the text is NULL behind the last. */
const char *diag_help_at(const struct diag *diag, int index);
struct diag_report diag_note_at(const struct diag *diag, int index, int note);
struct diag_report diag_label_at(const struct diag *diag, int index, int label);

/* Its changes, in the order given; NULL behind the last. */
const struct diag_fix *diag_fix_at(const struct diag *diag, int index, int fix);

/* Remove report `from` and all later ones, none of which was printed; their texts stay. */
void diag_take_back(struct diag *diag, int from);

/* Forget all reports, texts included, and that the limit was reached. */
void diag_clear(struct diag *diag);

const struct diag_info *diag_info(enum diag_code code);

enum diag_style {
    DIAG_STYLE_FULL,  /* with the lines it is about, labels, help, changes, rule and notes */
    DIAG_STYLE_SHORT, /* file:line:col: error[N0000]: text [-Wname] */
};

/* Print all reports not printed yet, in the order of reporting, and once how many are hidden. */
void diag_print(struct diag *diag, FILE *to, enum diag_style style, bool colour);

/*
 * One list of reports is for one thread at a time.  Where several threads compute, each reports to
 * a list of its own, which follows that of the model and is moved there by one thread at a time.
 */

/* Give a list the texts, the limit and the rules of another. */
void diag_follow(struct diag *diag, const struct diag *other);

/* Append all reports of `from` to `to`, by the rules of `to`; `from` is empty afterwards. */
void diag_move(struct diag *to, struct diag *from);

/*
 * --- fixit.c: proposed changes are applied to a text ---
 *
 * The changes of one report are made together or not at all.  If changes of two reports touch each
 * other, only those of the first are made; checking the result again finds the second.
 * Reports that propose the same changes are fixed by making them once.
 *
 * Appends the text that `at` covers, all of one source, with its changes to `*mended`, which starts
 * as {0}.  Returns how many reports are fixed; 0: none, and nothing was appended.
 */
int fixit_apply(const struct diag *diag, struct span at, struct text *mended);

#endif
