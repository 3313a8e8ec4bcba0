/*
 * doc.h - NNEF documents that say in comments what is to come of them
 *
 *     #: --std=provisional   options: --std, --pedantic, --expand=all, --keep-only, --steps=N,
 *                            and limits as in struct limits, --expansion_depth=8; those about
 *                            passes are in doc_rewrite.h
 *     #< 1 2 3               values of the external or variable defined here; with a shape in
 *                            front, "[3] 1 2 3", the external gets that instead of its own
 *     #> [2,2] 1 2 3 4       shape and values of what is assigned here, only its shape, or
 *                            "[4] ~1e-4 1..4" with a tolerance, absolute and relative to what
 *                            is expected (1e-5); " ; " between several results
 *     #! N0132 N0133         exactly these errors on this line; "#! N0004 @12" on line 12
 *     #? N0057               that warning on this line, and no other warnings in the document
 *     #^                     a note that belongs to an error or warning points at this line
 *
 * '#<' and '#>' belong to the statement of the graph body that begins last before them; a line that
 * begins with the mark of the line before continues it.  One value stands for a whole tensor.
 *
 * A document R012-ok-... is a near miss of rule R012: it has no errors, and all its warnings are
 * marked.
 *
 * A document is read as it is and, if it has values, with all compounds expanded unless it says
 * --keep-only; both must give the values.  If it has faults too, the values are checked without
 * the statements and lines of the faults, and without the results that these assign.
 */
#ifndef NNEFC_TESTS_SUPPORT_DOC_H
#define NNEFC_TESTS_SUPPORT_DOC_H

#include "base/list.h"
#include "base/text.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "parser/parser.h"
#include "sema/sema.h"
#include "support/corners.h"
#include "support/doc_rewrite.h"
#include "tensor/tensor.h"

#include <stdbool.h>
#include <stddef.h>

struct doc_mark {
    struct doc_mark *next;
    char kind; /* the character behind the '#' */
    int line;
    size_t offset;
    const char *text;   /* what follows */
    struct text joined; /* holds `text` if the mark goes on in later lines */
};
LIST_OF(doc_mark);
DECLARE_APPEND(doc_mark);

struct graph;
struct op_desc;
struct run;
struct shape_override;

/* An announced error ('!'), warning ('?') or note ('^'). */
struct doc_fault {
    struct doc_fault *next;
    char kind;
    int line;
    enum diag_code code;
    bool met;
};
LIST_OF(doc_fault);
DECLARE_APPEND(doc_fault);

struct doc {
    const char *path;
    struct arena *arena;
    char *text;
    size_t size;
    struct doc_mark_list marks; /* all kinds but ':' */
    struct doc_fault_list faults;
    bool has_errors, has_warnings, has_values; /* '!', '?', '>' */
    bool is_near_miss;

    struct parse_options parse;
    struct sema_options sema;
    struct limits limits;
    bool expand_all, keep_only;
    int steps;
    struct doc_rewriting rewriting;
    int *changed; /* graphs that each pass alone has changed are counted here; or NULL */
    bool exact;   /* plans are without algorithms that trade accuracy for speed */
    bool scaled;  /* what rewritten graphs compute may differ in proportion to the largest number on
                    the way there */
    enum corners corners; /* that scalars have some of which are fed; filters have finite ones */
    bool corners_change;  /* see enum corner_rule */
    bool rewrites_both;   /* the reference computes a planned graph as rewritten, too */
    uint64_t seed;        /* by which these are chosen */
    int threads;          /* of plans; 0: two */
    int64_t apart;        /* by how much integers of plans may differ */
    const struct shape_override *shapes; /* of externals instead of all others; what '#<' feeds is
                                            repeated to fill them, the others are fed zeros, and
                                            nothing is expected; or NULL */
    int nshapes;

    struct text complaints; /* a line each */
    struct context *root;   /* of the contexts of all passes: libraries are read once */
};

/* Read a document and its marks.  What is wrong with them is a complaint. */
void doc_read(struct doc *doc, const char *path);
void doc_read_text(struct doc *doc, const char *path, const char *text);
void doc_clear(struct doc *doc);

/* Run it and compare.  True if there are no complaints. */
bool doc_run(struct doc *doc);

/*
 * Run one step of it, without what is faulty, and show the outcome: identifiers that have '#>' are
 * outputs of the graph, too.  `keep` is that of struct lower_options.
 */
struct doc_watcher {
    bool (*keep)(const struct op_desc *op);
    void (*computed)(void *to, const struct doc *doc, struct graph *graph, const struct run *run);
    void *to;
    bool rewrites; /* by the passes that run by default; only its own outputs are shown then, and
                      nothing if there was nothing to be changed */
};
void doc_watch(struct doc *doc, const struct doc_watcher *watcher);

void doc_complain(struct doc *doc, int line, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* --- values in marks: "[2,3] ~1e-4 1 2 3" ------------------------------------------------ */

#define DOC_TOLERANCE 1e-5 /* unless a mark says something else */

/* As a number, and as an integer of all its digits. */
struct doc_item {
    double number;
    int64_t integer;
};

struct doc_values {
    bool has_shape;
    struct shape shape;
    double tolerance;
    int64_t count;
    struct doc_item *item;
};

/* Read up to ';' or the end and move *at behind it.  NULL, or what is wrong. */
const char *doc_values_read(struct arena *arena, const char **at, struct doc_values *values);

/* Fill a tensor.  NULL, or what is wrong. */
const char *doc_values_fill(const struct doc_values *values, struct tensor *tensor);

/* Fill a tensor with as many of them as it takes, again from the first behind the last. */
void doc_values_repeat(const struct doc_values *values, struct tensor *tensor);

/* Compare with a tensor.  True, or what differs is added to `what`. */
bool doc_values_compare(const struct doc_values *values, const struct tensor *tensor,
                        struct text *what);

#endif
