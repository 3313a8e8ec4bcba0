/* attributes.c - attributes of nodes as numbers, for passes that compute with shapes */
#include "pass/attributes.h"

#include <assert.h>
#include <string.h>

struct list node_list(const struct pass *pass, const struct node *node, const char *name)
{
    struct datum datum = node_attr(pass, node, name);
    struct list list = {0};

    for (int i = 0; i < datum.count; i++)
        list_add(&list, datum.items[i].integer);
    return list;
}

struct pair_list node_pairs(const struct pass *pass, const struct node *node, const char *name)
{
    struct datum datum = node_attr(pass, node, name);
    struct pair_list list = {.count = datum.count};

    assert(datum.count <= MAX_RANK);
    for (int i = 0; i < datum.count; i++)
        for (int side = 0; side < 2; side++)
            list.item[i][side] = datum.items[i].items[side].integer;
    return list;
}

int64_t node_integer(const struct pass *pass, const struct node *node, const char *name)
{
    return node_attr(pass, node, name).integer;
}

double node_number(const struct pass *pass, const struct node *node, const char *name)
{
    return node_attr(pass, node, name).scalar;
}

bool node_is_told(const struct pass *pass, const struct node *node, const char *name)
{
    return node_attr(pass, node, name).logical;
}

bool node_has_word(const struct pass *pass, const struct node *node, const char *name,
                   const char *word)
{
    return strcmp(node_attr(pass, node, name).string, word) == 0;
}

bool list_has(const struct list *list, int64_t item)
{
    for (int i = 0; i < list->count; i++)
        if (list->item[i] == item)
            return true;
    return false;
}

void list_add(struct list *list, int64_t item)
{
    assert(list->count < MAX_RANK);
    list->item[list->count++] = item;
}

void list_sort(struct list *list)
{
    for (int i = 1; i < list->count; i++) {
        int64_t item = list->item[i];
        int k = i;
        for (; k > 0 && list->item[k - 1] > item; k--)
            list->item[k] = list->item[k - 1];
        list->item[k] = item;
    }
}

bool node_is_known(const struct node *node)
{
    for (uint32_t i = 0; i < node->nin; i++)
        if (!shape_known(node->in[i].value->shape))
            return false;
    for (uint32_t i = 0; i < node->nout; i++)
        if (!shape_known(node->out[i].shape))
            return false;
    return true;
}

bool value_is_single(const struct value *value)
{
    return shape_known(value->shape) && shape_volume(value->shape) == 1;
}

bool node_is_pinned(const struct pass *pass, const struct node *node)
{
    for (uint32_t i = 0; i < node->nout; i++)
        if (value_is_pinned(pass, &node->out[i]))
            return true;
    return false;
}
