/* attributes.h - attributes of nodes as numbers, for passes that compute with shapes */
#ifndef NNEFC_PASS_ATTRIBUTES_H
#define NNEFC_PASS_ATTRIBUTES_H

#include "pass/edit.h"

/* One item for each dimension at most, such as axes. */
struct list {
    int count;
    int64_t item[MAX_RANK];
};

struct pair_list {
    int count;
    int64_t item[MAX_RANK][2];
};

struct list node_list(const struct pass *pass, const struct node *node, const char *name);
struct pair_list node_pairs(const struct pass *pass, const struct node *node, const char *name);
int64_t node_integer(const struct pass *pass, const struct node *node, const char *name);
double node_number(const struct pass *pass, const struct node *node, const char *name);
bool node_is_told(const struct pass *pass, const struct node *node, const char *name); /* logical */
bool node_has_word(const struct pass *pass, const struct node *node, const char *name,
                   const char *word);

bool list_has(const struct list *list, int64_t item);
void list_add(struct list *list, int64_t item);
void list_sort(struct list *list); /* ascending */

/* Are all operands and results of known shapes? */
bool node_is_known(const struct node *node);

/* Is it a single item, whatever its rank? */
bool value_is_single(const struct value *value);

/* Must a result be computed by this very node? */
bool node_is_pinned(const struct pass *pass, const struct node *node);

#endif
