/* reader_priv.h - the state of a reading, shared by scanner, grammar and constructors */
#ifndef NNEFC_CONVERT_PNNX_READER_PRIV_H
#define NNEFC_CONVERT_PNNX_READER_PRIV_H

#include "convert/pnnx/document.h"
#include "diag/context.h"
#include "diag/diag.h"

struct text;

/*
 * The scanner (pnnx_param.l) hands tokens to the grammar (pnnx_param.y), whose actions call the
 * functions below. They collect the line at hand; reader_operator() makes an operator of it.
 */

/* A part of the text. */
struct pnnx_piece {
    const char *text; /* not NUL-terminated */
    int size;
    struct span span;
};

struct pnnx_reader {
    struct context *context;
    struct diag *diag;
    struct pnnx_document *document;
    void *scanner;
    const char *text;
    size_t size;
    uint32_t base, begin, at;    /* of the text; of the token scanned last, and behind it */
    bool ended;                  /* the line end that the last line lacks was made up */
    bool stop;                   /* nothing that follows would make sense */
    bool lost;                   /* there was a line that is not understood */
    int64_t operators, operands; /* as promised */
    struct span counts;
    struct map members; /* attributes by their names in the archive */
    /* the line at hand */
    struct pnnx_piece *word; /* columns in front of the first pair */
    int nword;
    struct pnnx_pairs pairs;
};

/* Reports a fault of the text; returns false. Reading stops if the reports are full. */
bool reader_error(struct pnnx_reader *reader, struct span at, enum diag_code code, const char *fmt,
                  ...) PRINTF_LIKE(4, 5);

/* Reports what stands there instead of one of `expected`; none: they are too many to say. */
void reader_unexpected(struct pnnx_reader *reader, struct span at, const char *const *expected,
                       int count);

/*
 * "found 'x', expected a, b or c", where what was found is shortened; or "the line ends, ..." if it
 * is nothing.
 */
void reader_add_unexpected(struct text *text, const struct pnnx_piece *found, const char *whole,
                           const char *const *expected, int count);

/* The token scanned last, without `front` bytes at its beginning and `back` bytes at its end. */
struct pnnx_piece reader_piece(const struct pnnx_reader *reader, uint32_t front, uint32_t back);

const char *reader_name(struct pnnx_reader *reader, const struct pnnx_piece *piece);

/* --- reader.c: lines ------------------------------------------------------------------------ */

void reader_word(struct pnnx_reader *reader, struct pnnx_piece word);
void reader_magic(struct pnnx_reader *reader, struct span line);
void reader_counts(struct pnnx_reader *reader, struct span line);
/* The grammar sets what the pair gives to the name. */
struct pnnx_pair *reader_pair(struct pnnx_reader *reader, enum pnnx_mark mark,
                              struct pnnx_piece name);
void reader_argument(struct pnnx_reader *reader, struct pnnx_piece name, struct pnnx_piece operand);
void reader_next_line(struct pnnx_reader *reader); /* forget the line at hand */
void reader_lost(struct pnnx_reader *reader);      /* the same, as it could not be read */

/* --- operator.c: what a line stands for ----------------------------------------------------- */

/* Adds the operator of the line at hand to the document, and forgets the line. */
void reader_operator(struct pnnx_reader *reader, struct span line);

/* --- value.c -------------------------------------------------------------------------------- */

/* A word, a number of any kind, or a text if it is neither. */
struct pnnx_value *reader_atom(struct context *context, struct pnnx_piece atom);
struct pnnx_value *reader_text(struct context *context, struct pnnx_piece text);
struct pnnx_value *reader_list(struct context *context, struct span span);
struct pnnx_value *reader_list_close(struct pnnx_value *list, char bracket, struct span span);
struct pnnx_value *reader_item(const struct pnnx_reader *reader, struct pnnx_value *list,
                               struct pnnx_piece atom);

/* A shape grows by its extents; closing it gives it its type, and checks its size. */
struct pnnx_shape *reader_shape_open(const struct pnnx_reader *reader);
struct pnnx_shape *reader_extent(struct pnnx_reader *reader, struct pnnx_shape *shape,
                                 struct pnnx_piece extent);
struct pnnx_shape *reader_shape_close(struct pnnx_reader *reader, struct pnnx_shape *shape,
                                      struct pnnx_piece type, struct span span);

#endif
