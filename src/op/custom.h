/*
 * custom.h - operations that a client of the library implements (NNEF 1.0.5, section 2.5)
 *
 * A fragment of the document that has no body gets its descriptor when it is first invoked.
 */
#ifndef NNEFC_OP_CUSTOM_H
#define NNEFC_OP_CUSTOM_H

#include "op/op.h"

struct arena;

struct custom_op {
    const char *name;                                  /* of the fragment */
    bool (*infer)(struct infer *infer, void *user);    /* NULL: shapes end here */
    bool (*eval)(const struct eval *eval, void *user); /* NULL: cannot run */
    void *user;
};

/* The one of that name that was given last; NULL if there is none. */
const struct custom_op *custom_find(const struct custom_op *customs, int count, const char *name);

/* A descriptor without name and attributes; `custom` may be NULL and must live as long as it. */
struct op_desc *custom_desc(struct arena *arena, const struct custom_op *custom);

/* For the report made last: note the operation without a shape rule, if there is one, which is why
 * the shape of `value` is unknown. */
void custom_note_origin(struct diag *diag, const struct value *value);

#endif
