/*
 * attribute.h - what the attributes of a node are, by the names that its fragment gives them
 */
#ifndef NNEFC_EXEC_ATTRIBUTE_H
#define NNEFC_EXEC_ATTRIBUTE_H

#include "op/op.h"

/* The node must have an attribute of that name and kind. */
double attribute_number(const struct node *node, const char *name);
int64_t attribute_integer(const struct node *node, const char *name);
bool attribute_flag(const struct node *node, const char *name);
const struct integers *attribute_integers(const struct node *node, const char *name);
const struct pairs *attribute_pairs(const struct node *node, const char *name);

/* Has it one of that name? */
bool attribute_exists(const struct node *node, const char *name);

/* Is it one of several words, and this one? */
bool attribute_is(const struct node *node, const char *name, const char *word);

#endif
