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

/* Read what the marks feed, once there is a document. */
void doc_collect_feeds(struct doc_pass *pass);

/* The shapes that '#<' gives to externals; returns how many. */
int doc_overrides(struct doc_pass *pass, struct shape_override **overrides);

/* The text with the faulty lines and statements made blank, once they were reported. */
const char *doc_sound_text(const struct doc_pass *pass);

/* Forget the results that no statement assigns any more. */
void doc_drop_results(struct graph_decl *graph);

/* With a graph: compare shapes, run it if there are values, and compare them. */
void doc_compute(struct doc_pass *pass);

#endif
