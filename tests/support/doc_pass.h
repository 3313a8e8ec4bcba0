/* doc_pass.h - shared by the files of the runner: one way of reading a document */
#ifndef NNEFC_TESTS_SUPPORT_DOC_PASS_H
#define NNEFC_TESTS_SUPPORT_DOC_PASS_H

#include "lower/lower.h"
#include "support/doc.h"

struct feed;
LIST_OF(feed);
DECLARE_APPEND(feed);
struct expectation;
LIST_OF(expectation);
DECLARE_APPEND(expectation);

struct doc_pass {
    struct doc *doc;
    const char *name; /* added to complaints */
    const char *text; /* of doc->size bytes; at the end, of what is not faulty */
    bool (*keep)(const struct op_desc *op);
    const struct doc_watcher *watcher; /* or NULL */
    bool checks_faults;                /* the announced ones must come */
    bool checks_values;
    struct context *context;
    uint32_t base; /* of the text among the sources */
    struct document *document;
    struct graph *graph;
    struct feed_list feeds;
    struct expectation_list expectations;
};

struct retained_tensor;
struct run;

/* From text to graph, with reports but nothing computed. */
void doc_open(struct doc_pass *pass);
void doc_close(struct doc_pass *pass);

/* The text without what is faulty, in which no fault is left. */
const char *doc_sound_part(struct doc *doc);

/* Read what the marks feed, once there is a document. */
void doc_collect_feeds(struct doc_pass *pass);

/* The shapes that '#<' gives to externals; returns how many. */
int doc_overrides(struct doc_pass *pass, struct shape_override **overrides);

/* The text with the faulty lines and statements made blank, once they were reported. */
const char *doc_sound_text(const struct doc_pass *pass);

/* Forget the results that no statement assigns any more. */
void doc_drop_results(struct graph_decl *graph);

/* What follows needs a graph. */

/* What the marks expect, if the values are checked; and how much a result may differ. */
void doc_collect_expectations(struct doc_pass *pass);
double doc_tolerance(const struct doc_pass *pass, const char *name);

/* Is there anything to be computed? */
bool doc_has_values(const struct doc_pass *pass);

/* Identifiers with expected values become outputs, so that they are computed. */
void doc_add_outputs(struct doc_pass *pass);

/* Variables need their tensors before a run is made; doc_clear_feeds() takes them away. */
bool doc_feed_variables(struct doc_pass *pass);
bool doc_feed_inputs(struct doc_pass *pass, struct run *run);
void doc_clear_feeds(struct doc_pass *pass);

/* Let the passes that run by default rewrite the graph of a watcher; false if there was nothing to
 * be changed, or after a complaint.  New tensors are added to *kept. */
bool doc_rewrite_by_default(struct doc_pass *pass, struct retained_tensor **kept);

/* Let those rewrite it that make it faster.  False after a complaint. */
bool doc_rewrite_for_speed(struct doc_pass *pass, struct retained_tensor **kept);

/* Compare shapes, run it if there are values, and compare them. */
void doc_compute(struct doc_pass *pass);

#endif
