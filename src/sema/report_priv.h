/*
 * report_priv.h - what reports of the semantic check say besides the fault
 */
#ifndef NNEFC_SEMA_REPORT_PRIV_H
#define NNEFC_SEMA_REPORT_PRIV_H

#include "sema/sema_priv.h"

/* report.c: faults of types, and what could help */
bool tolerate(struct checker *c, int *count, struct span at, enum diag_warning which,
              const char *text);
bool fits(const struct checker *c, const struct type *from, const struct type *to);
const char *text_of(const struct checker *c, const struct type *type);
void label_type(struct checker *c, const struct expr *expr, const struct type *type);
void help_cast(struct checker *c, const struct expr *expr, const struct type *from,
               const struct type *to);
void report_unknown_operation(struct checker *c, const struct expr *call);
void help_parameter(struct checker *c, const struct expr *call, const struct signature *signature,
                    const char *name, struct span at);
bool is_given(const struct expr *call, const char *name); /* by name, so that nothing else can be */
void help_identifier(struct checker *c, const char *name, struct span at);
void help_unused(struct checker *c, const char *name); /* a result that nothing is assigned to */

/* fix.c: changes for the report made last, where there is but one that its author can have meant */
void fix_cast(struct checker *c, const struct expr *expr, const struct type *from,
              const struct type *to);
void fix_extension(struct checker *c, const char *extension);
void fix_name(struct checker *c, struct span at, const char *name);
void fix_named_tensors(struct checker *c, const struct expr *call, const struct signature *s);

#endif
