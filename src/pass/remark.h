/* remark.h - sentences about what passes leave as it is */
#ifndef NNEFC_PASS_REMARK_H
#define NNEFC_PASS_REMARK_H

#include "pass/edit.h"

/* A reason that lasts as long as the graph. */
const char *pass_because(struct pass *pass, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Remark that `left` was not fused `with` another one, which "its" in the reason means. */
void pass_unfused(struct pass *pass, const struct node *left, const struct node *with,
                  const char *why);

#endif
