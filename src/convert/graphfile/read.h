/* read.h - going through the bytes of a graph file, none of which is trusted */
#ifndef NNEFC_CONVERT_GRAPHFILE_READ_H
#define NNEFC_CONVERT_GRAPHFILE_READ_H

#include "convert/graphfile/graphfile.h"
#include "diag/diag.h"
#include "ir/datum.h"
#include "tensor/shape.h"

#include <stdint.h>

struct section_view {
    const unsigned char *bytes;
    size_t size;
    uint64_t offset; /* in the file */
};

struct reader {
    struct context *context;
    const struct native_file *file;
    struct section_view graph, data;
    struct section_view index, blocks; /* of nothing: there are none */
    const struct section_view *in;     /* the section that is read: graph or index */
    size_t at;                         /* in it */
    bool failed;                       /* something was reported */
};

/* Header, table and sums; false after a report. */
bool read_sections(struct reader *r);

/* What the section of the index says, before `in` is the graph; NULL: there are no blocks, or after a report. */
const struct native_blocks *read_blocks(struct reader *r);

/* Nothing but zeros, and fewer than `most`, are left of the section. */
void read_end(struct reader *r, size_t most);

/* Report what is wrong at the byte that was reached; always false. */
bool read_fault(struct reader *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Each gives 0 or nothing after a report. */
uint64_t read_number(struct reader *r);

/* How many items follow, of at least one byte each. */
int read_count(struct reader *r, const char *what);
const char *read_word(struct reader *r); /* in the arena; "" for none */
struct shape read_shape(struct reader *r);
struct datum read_datum(struct reader *r, int depth);

#endif
