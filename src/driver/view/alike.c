/*
 * alike.c - groups that are alike: they have the same operations, with the same attributes and
 *           shapes, that read the same results within the group
 *
 * Groups are compared by a hash of 64 bits (FNV-1a).
 */
#include "driver/memory.h"
#include "driver/view/attribute.h"
#include "driver/view/net.h"

#include <stdlib.h>
#include <string.h>

static uint64_t add_bytes(uint64_t sum, const void *data, size_t size)
{
    const unsigned char *byte = data;

    for (size_t i = 0; i < size; i++)
        sum = (sum ^ byte[i]) * UINT64_C(0x100000001B3);
    return sum;
}

static uint64_t add_number(uint64_t sum, int64_t number)
{
    return add_bytes(sum, &number, sizeof number);
}

static uint64_t add_type(uint64_t sum, const struct nnefc_type *type)
{
    sum = add_number(add_number(sum, type->dtype), type->rank);
    return type->rank > 0
               ? add_bytes(sum, type->extent, (size_t)type->rank * sizeof type->extent[0])
               : sum;
}

static const uint64_t empty_sum = UINT64_C(0xCBF29CE484222325);

/* The hash of an operation, without its place. */
static uint64_t operation_sum(const struct nnefc_operation *o)
{
    uint64_t sum = add_bytes(empty_sum, o->operation, strlen(o->operation));
    char *text = NULL;
    size_t size = 0;
    FILE *memory = must_have(open_memstream(&text, &size));

    for (int i = 0; i < o->attributes->count; i++) {
        fprintf(memory, "%s=", o->attributes->at[i]->name);
        attribute_print(memory, o->attributes->at[i]->value);
        fputc(';', memory);
    }
    if (fclose(memory) != 0)
        end_without_memory();
    sum = add_bytes(sum, text, size);
    free(text);
    for (int i = 0; i < o->results->count; i++)
        sum = add_type(sum, &o->results->at[i]->type);
    for (int i = 0; i < o->operands->count; i++)
        sum = add_number(add_type(sum, &o->operands->at[i]->type),
                         o->operands->at[i]->kind >= NNEFC_VALUE_VARIABLE);
    return sum;
}

/* Results within the group count by their distance from its first operation. */
static uint64_t group_sum(const struct net *net, const struct net_group *group,
                          const uint64_t *sums)
{
    uint64_t sum = add_number(empty_sum, group->end - group->begin);

    for (int i = group->begin; i < group->end; i++) {
        const struct nnefc_value_list *operands = net->operations->at[i]->operands;
        sum = add_number(sum, (int64_t)sums[i]);
        for (int k = 0; k < operands->count; k++) {
            int producer = operands->at[k]->producer;
            sum = add_number(sum, producer >= group->begin ? producer - group->begin : -1);
            sum = add_number(sum, producer >= group->begin ? operands->at[k]->port : -1);
        }
    }
    return sum;
}

struct summed {
    uint64_t sum;
    int group;
};

static int compare_sums(const void *a, const void *b)
{
    const struct summed *x = a, *y = b;

    if (x->sum != y->sum)
        return x->sum < y->sum ? -1 : 1;
    return x->group - y->group;
}

/* Classes have numbers in the order of their first groups. */
static void number_classes(struct net *net)
{
    int classes = 0;

    for (int i = 0; i < net->groups; i++) {
        struct net_group *group = &net->group[i];
        if (group->times > 1)
            group->same = group->same == i ? classes++ : net->group[group->same].same;
    }
}

void net_find_alike(struct net *net)
{
    int count = net->operations->count;
    uint64_t *sums = zeroed_items((size_t)count, sizeof *sums);
    struct summed *all = zeroed_items((size_t)net->groups, sizeof *all);

    for (int i = 0; i < count; i++)
        sums[i] = operation_sum(net->operations->at[i]);
    for (int i = 0; i < net->groups; i++)
        all[i] = (struct summed){group_sum(net, &net->group[i], sums), i};
    free(sums);
    qsort(all, (size_t)net->groups, sizeof *all, compare_sums);
    for (int begin = 0, end; begin < net->groups; begin = end) {
        for (end = begin; end < net->groups && all[end].sum == all[begin].sum;)
            end++;
        for (int i = begin; i < end && end - begin > 1; i++) {
            net->group[all[i].group].times = end - begin;
            net->group[all[i].group].same = all[begin].group;
        }
    }
    free(all);
    number_classes(net);
}
