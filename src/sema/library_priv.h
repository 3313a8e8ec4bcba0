/* library_priv.h - the library, and how it meets the operators */
#ifndef NNEFC_SEMA_LIBRARY_PRIV_H
#define NNEFC_SEMA_LIBRARY_PRIV_H

#include "sema/sema_priv.h"

/* Texts whose bodies invoke the operations of a standard. */
enum library_more { LIBRARY_EXTENSIONS, LIBRARY_ONNX, LIBRARY_MORE };

struct library {
    enum dialect dialect;
    const char *text;
    const struct library *base;  /* NULL: it is that of a standard */
    const struct library **more; /* those on top of it, by enum library_more, once asked for */
    struct types *types;
    struct signature **signatures;
    int count;
    const struct signature *unary[UNARY_NOT + 1], *binary[BINARY_IN + 1];
};

/* join.c: let fragments and their parameters point to descriptors and their rows. */
void library_join(struct checker *c, struct library *library);
void signature_join(struct signature *s, const struct op_desc *op, enum dialect dialect);

#endif
