/* expression_priv.h - the state of a reading, shared by scanner, grammar and constructors */
#ifndef NNEFC_CONVERT_PNNX_EXPRESSION_PRIV_H
#define NNEFC_CONVERT_PNNX_EXPRESSION_PRIV_H

#include "convert/pnnx/expression.h"
#include "convert/pnnx/reader_priv.h"

struct expression_reader {
    struct context *context;
    void *scanner;
    const char *text;
    uint32_t base, begin, at; /* of the text; of the token scanned last, and behind it */
    int inputs;               /* of the operator */
    struct pnnx_step *step;
    int count, on_stack, depth;
    bool failed;
};

/* The token scanned last. */
struct pnnx_piece expression_piece(const struct expression_reader *reader);

void expression_input(struct expression_reader *reader, struct pnnx_piece digits);
void expression_literal(struct expression_reader *reader, struct pnnx_piece literal);
void expression_call(struct expression_reader *reader, struct pnnx_piece function, int count);
void expression_list(struct expression_reader *reader, int count, struct span span);
void expression_error(struct expression_reader *reader, struct span at, const char *text);

/* Report what stands there instead of one of `expected`. */
void expression_unexpected(struct expression_reader *reader, struct span at,
                           const char *const *expected, int count);

#endif
