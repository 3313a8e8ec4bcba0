/* expr_make.h - expressions that no text was read for: of documents that are to be printed */
#ifndef NNEFC_SEMA_EXPR_MAKE_H
#define NNEFC_SEMA_EXPR_MAKE_H

#include "ir/datum.h"
#include "parser/expr.h"

struct arena;

struct expr *expr_new(struct arena *arena, enum expr_kind kind);

/* The argument `name = value`. */
struct expr *expr_named(struct arena *arena, const char *name, struct expr *value);

/* The literal, array or tuple; a datum with tensors in it is the caller's to write. */
struct expr *expr_literal(struct arena *arena, const struct datum *datum);

#endif
