/* net.c - operations and values of a model, as a drawing has them */
#include "driver/view/net.h"

#include "driver/memory.h"

#include <assert.h>
#include <stdlib.h>

/* Values by their number in the model. */
struct value_index {
    struct net *net;
    int *of; /* the index of the value of that number, and 1; 0: not seen yet */
    int room;
};

/* Bytes of all items; NNEFC_UNKNOWN if there is an extent that is not known. */
static int64_t bytes_of(const struct nnefc_type *type)
{
    int64_t bytes = type->dtype == NNEFC_INTEGER ? 8 : type->dtype == NNEFC_LOGICAL ? 1 : 4;

    if (type->rank < 0)
        return NNEFC_UNKNOWN;
    for (int i = 0; i < type->rank; i++) {
        if (type->extent[i] == NNEFC_UNKNOWN)
            return NNEFC_UNKNOWN;
        if (type->extent[i] > 0 && bytes > INT64_MAX / type->extent[i])
            return INT64_MAX;
        bytes *= type->extent[i];
    }
    return bytes;
}

/* The index of a value, which is added if it was not seen. */
static int index_of(struct value_index *index, int id)
{
    struct net *net = index->net;

    assert(id >= 0);
    if (id >= index->room) {
        int room = 2 * id + 64;
        index->of = resize_items(index->of, (size_t)room, sizeof *index->of);
        for (int i = index->room; i < room; i++)
            index->of[i] = 0;
        index->room = room;
    }
    if (index->of[id])
        return index->of[id] - 1;
    if ((net->values & (net->values - 1)) == 0)
        net->value = resize_items(net->value, 2 * (size_t)net->values + 1, sizeof *net->value);
    net->value[net->values] =
        (struct net_value){.producer = -1, .first = 1, .last = 0, .group = -1};
    index->of[id] = ++net->values;
    return net->values - 1;
}

static int value_of(struct value_index *index, const struct nnefc_value *value)
{
    int number = index_of(index, value->id);
    struct net_value *found = &index->net->value[number];

    assert(index->net->value); /* index_of() has made it */
    found->name = value->name;
    found->label = value->label;
    found->type = &value->type;
    found->kind = value->kind;
    found->producer = value->producer;
    found->bytes = bytes_of(&value->type);
    return number;
}

/* An input that nothing reads has only its port. */
static int port_value(struct value_index *index, const struct nnefc_port *port)
{
    int number = index_of(index, port->id);
    struct net_value *found = &index->net->value[number];

    assert(index->net->value); /* index_of() has made it */
    if (!found->name) {
        found->name = port->name;
        found->type = &port->type;
        found->kind = NNEFC_VALUE_EXTERNAL;
        found->bytes = bytes_of(&port->type);
    }
    return number;
}

static int *ports_of(struct value_index *index, const struct nnefc_port_list *ports)
{
    int *value = zeroed_items((size_t)ports->count + 1, sizeof *value);

    for (int i = 0; i < ports->count; i++)
        value[i] = port_value(index, ports->at[i]);
    return value;
}

/* The values that operations read, or those that they make. */
static struct value_lists lists_of(struct value_index *index, bool results)
{
    const struct nnefc_operation_list *operations = index->net->operations;
    struct value_lists lists = {0};
    int count = 0;

    lists.first = zeroed_items((size_t)operations->count + 1, sizeof *lists.first);
    for (int i = 0; i < operations->count; i++) {
        const struct nnefc_operation *o = operations->at[i];
        count += results ? o->results->count : o->operands->count;
        lists.first[i + 1] = count;
    }
    lists.value = zeroed_items((size_t)count + 1, sizeof *lists.value);
    for (int i = 0; i < operations->count; i++) {
        const struct nnefc_operation *o = operations->at[i];
        const struct nnefc_value_list *values = results ? o->results : o->operands;
        for (int k = 0; k < values->count; k++)
            lists.value[lists.first[i] + k] = value_of(index, values->at[k]);
    }
    return lists;
}

/* Operations are visited in their order. */
static void find_readers(struct net *net)
{
    for (int i = 0; i < net->operations->count; i++)
        for (int k = net->in.first[i]; k < net->in.first[i + 1]; k++) {
            struct net_value *value = &net->value[net->in.value[k]];
            value->first = value->readers++ ? value->first : i;
            value->last = i;
        }
}

struct net net_new(const struct nnefc_model *model, bool grouped)
{
    const struct nnefc_port_list *inputs = nnefc_model_inputs(model);
    const struct nnefc_port_list *outputs = nnefc_model_outputs(model);
    struct net net = {.operations = nnefc_model_operations(model),
                      .inputs = inputs->count,
                      .outputs = outputs->count};
    struct value_index index = {.net = &net};

    net.out = lists_of(&index, true);
    net.in = lists_of(&index, false);
    net.input = ports_of(&index, inputs);
    net.output = ports_of(&index, outputs);
    free(index.of);
    find_readers(&net);
    net_find_groups(&net, grouped);
    net_find_alike(&net);
    for (int i = 0; i < net.groups; i++) {
        struct net_group *group = &net.group[i];
        group->layout = layout_new(group->boxes, net.edge + group->first_edge, group->edges);
    }
    return net;
}

void net_free(struct net *net)
{
    for (int i = 0; i < net->groups; i++) {
        free(net->group[i].name);
        free(net->group[i].box);
        layout_free(&net->group[i].layout);
    }
    free(net->value);
    free(net->in.first);
    free(net->in.value);
    free(net->out.first);
    free(net->out.value);
    free(net->input);
    free(net->output);
    free(net->group);
    free(net->group_of);
    free(net->place_of);
    free(net->edge);
}
