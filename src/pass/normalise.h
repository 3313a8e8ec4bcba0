/* normalise.h - shared by the files of the pass 'normalise-attributes' */
#ifndef NNEFC_PASS_NORMALISE_H
#define NNEFC_PASS_NORMALISE_H

#include "pass/edit.h"

/* Let the node have these attributes, a struct of its operator; nothing is done if it has them. */
void settle(struct pass *pass, struct node *node, const void *attrs);

void normalise_window(struct pass *pass, struct node *node);  /* all of section 4.3 */
void normalise_maximum(struct pass *pass, struct node *node); /* max, relu */
void normalise_clamp(struct pass *pass, struct node *node);

#endif
