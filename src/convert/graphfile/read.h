/*
 * read.h - reading the bytes of a graph file, none of which is trusted
 *
 * A fault is reported once: from then on `failed` is set, and each read_*() returns 0, "" or an
 * empty shape, so that callers look at the flag only before they use what they read.
 */
#ifndef NNEFC_CONVERT_GRAPHFILE_READ_H
#define NNEFC_CONVERT_GRAPHFILE_READ_H

#include "convert/graphfile/graphfile.h"
#include "convert/graphfile/layout.h"
#include "diag/diag.h"
#include "ir/datum.h"
#include "op/op_build.h"
#include "sema/sema.h"
#include "tensor/blocks.h"
#include "tensor/shape.h"

#include <stdint.h>

/* A section of the file. */
struct graphfile_view {
    const unsigned char *bytes;
    size_t size;
    uint64_t offset; /* in the file */
};

struct graphfile_reader {
    struct context *context;
    const struct graphfile *file;
    struct graphfile_view section[SECTION_COUNT]; /* empty if the file has none */
    const struct graphfile_view *in; /* the section that is read: none of data or blocks */
    size_t at;                       /* the next byte of it */
    bool failed;                     /* something was reported */
};

/* Finds the sections; checks header, table and checksums.  False after a report. */
bool read_sections(struct graphfile_reader *r);

/*
 * Reads the index of the blocks, then goes to the begin of `graph`; their sources are items in the
 * file.  NULL: there are none, or after a report.
 */
const struct tensor_blocks *read_blocks(struct graphfile_reader *r);

/* Goes to the begin of a section. */
void read_section(struct graphfile_reader *r, enum graphfile_section section);

/* Checks that the rest of the section is zeros, fewer than `most`. */
void read_end(struct graphfile_reader *r, size_t most);

/* Reports what is wrong at the byte that was reached, unless a fault was reported; always false. */
bool read_fault(struct graphfile_reader *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

uint64_t read_number(struct graphfile_reader *r); /* of variable length: tensor/bytes.h */

/* How many items follow, of at least one byte each: no more than there are bytes. */
int read_count(struct graphfile_reader *r, const char *what);
const char *read_word(struct graphfile_reader *r); /* in the arena; "" for none */

/* Extents are 1 or more, and the volume is within the limit. */
struct shape read_shape(struct graphfile_reader *r);

/* The place of `size` bytes of data or blocks, which are aligned in the file; NULL after a report.
 */
const void *read_stretch(struct graphfile_reader *r, enum graphfile_section which, uint64_t size,
                         const char *what);

/* An attribute, whose items lie in the arena; `depth`: how many arrays and tuples may be nested in
 * it. */
struct datum read_datum(struct graphfile_reader *r, int depth);

/* --- fit.c: does what a file says fit the signature of an operation? ------------------------ */

/* Are there as many operands as it declares, each of the declared type? */
bool fit_operands(const struct signature *signature, const struct op_call *call);

/* Has the datum the type that the attribute is declared with? */
bool fit_attr(const struct signature *signature, const struct op_attr *attr,
              const struct datum *datum);

#endif
