/* attributes.c - lists of axes and the like that passes compute with */
#include "pass/attributes.h"

#include "op/check.h"

#include <assert.h>

struct dim_list list_of(const struct integers *integers)
{
    struct dim_list list = {0};

    for (int i = 0; i < integers->count; i++)
        list_add(&list, integers->item[i]);
    return list;
}

struct pair_list pair_list_of(const struct pairs *pairs)
{
    struct pair_list list = {.count = pairs->count};

    assert(pairs->count <= MAX_RANK);
    for (int i = 0; i < pairs->count; i++)
        for (int side = 0; side < 2; side++)
            list.item[i][side] = pairs->item[i][side];
    return list;
}

struct pairs list_pairs(const struct pair_list *list)
{
    return (struct pairs){list->count, (const int64_t(*)[2])list->item};
}

bool list_has(const struct dim_list *list, int64_t item)
{
    const struct integers items = list_integers(list);

    return integers_contain(&items, item);
}

void list_sort(struct dim_list *list)
{
    for (int i = 1; i < list->count; i++) {
        int64_t item = list->item[i];
        int k = i;
        for (; k > 0 && list->item[k - 1] > item; k--)
            list->item[k] = list->item[k - 1];
        list->item[k] = item;
    }
}

bool value_is_single(const struct value *value)
{
    return shape_known(value->shape) && shape_volume(value->shape) == 1;
}
