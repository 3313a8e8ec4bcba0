/* graph_copy.c - a graph once more, to be changed while the first stays as it is */
#include "ir/graph_edit.h"

#include "base/arena.h"
#include "diag/context.h"

#include <assert.h>

/* Values of the copy by ids of the original. */
struct copier {
    struct graph *to;
    struct value **value;
};

/* The copies share tensors and the nodes of quantization files. */
static void copy_sources(struct copier *c, const struct source_list *list)
{
    for (const struct source *s = list->first; s; s = s->next) {
        const struct value *from = s->value;
        struct value *value = graph_add_source(c->to, (enum value_kind)from->kind,
                                               (enum dtype)from->dtype, from->shape, s->span);
        struct source *source = value->source, *next = source->next;
        *source = *s;
        source->value = value;
        source->next = next;
        value->name = from->name;
        c->value[from->id] = value;
    }
}

static struct port *copy_ports(const struct copier *c, const struct port *from, int count)
{
    struct port *ports = arena_array_of(c->to->context->arena, struct port, count);

    assert(count >= 0);
    for (int i = 0; i < count; i++)
        ports[i] =
            (struct port){from[i].name, c->value[from[i].value->id], from[i].span, from[i].items};
    return ports;
}

struct graph *graph_copy(const struct graph *graph)
{
    struct copier c = {.to = graph_new(graph->context, graph->name)};

    c.value = arena_array_of(graph->context->arena, struct value *, graph->value_count);
    c.to->provisional = graph->provisional;
    c.to->quantized = graph->quantized;
    c.to->source_names = graph->source_names;
    c.to->nsource_name = graph->nsource_name;
    copy_sources(&c, &graph->externals);
    copy_sources(&c, &graph->variables);
    copy_sources(&c, &graph->constants);
    for (const struct node *from = graph->first; from; from = from->next) {
        struct value **in = arena_array_of(graph->context->arena, struct value *, from->nin);
        for (uint32_t i = 0; i < from->nin; i++)
            in[i] = c.value[from->in[i].value->id];
        struct node *node = graph_add_node(c.to, from->op, in, from->nin, from->nout);
        node->attrs = from->attrs;
        node->group = from->group;
        node->site = from->site;
        node->work = from->work;
        node->span = from->span;
        node->generic = from->generic;
        for (uint32_t i = 0; i < from->nout; i++) {
            node->out[i].name = from->out[i].name;
            node->out[i].shape = graph_shape(c.to, from->out[i].shape);
            node->out[i].dtype = from->out[i].dtype;
            c.value[from->out[i].id] = &node->out[i];
        }
    }
    c.to->ninput = graph->ninput;
    c.to->noutput = graph->noutput;
    c.to->inputs = copy_ports(&c, graph->inputs, graph->ninput);
    c.to->outputs = copy_ports(&c, graph->outputs, graph->noutput);
    return c.to;
}
