/* graph_print.c - the graph as text, one value or node a line */
#include "op/graph_print.h"

#include "base/text.h"
#include "op/op_build.h"

#include <inttypes.h>

static void print_type(const struct value *value, struct text *to)
{
    text_add(to, "%s%s", dtype_name((enum dtype)value->dtype), SHAPE_TEXT(value->shape));
}

static void print_port(const char *what, const struct port *port, struct text *to)
{
    text_add(to, "%s %s: ", what, port->name);
    print_type(port->value, to);
    text_add(to, "\n");
}

/* Operands `begin`.. of one array parameter, or a single one. */
static uint32_t print_group(const struct node *node, uint32_t begin, int count, struct text *to)
{
    uint32_t n = count < 0 ? 1 : (uint32_t)count;

    text_add(to, "%s", count < 0 ? "" : "[");
    for (uint32_t i = 0; i < n; i++)
        text_add(to, "%s%s", i ? ", " : "", VALUE_TEXT(node->in[begin + i].value));
    text_add(to, "%s", count < 0 ? "" : "]");
    return n;
}

static void print_node(struct graph *graph, const struct node *node, struct text *to)
{
    bool first = node->nin == 0;
    uint32_t done = 0;

    for (uint32_t i = 0; i < node->nout; i++) {
        text_add(to, "%s%s: ", i ? ", " : "", VALUE_TEXT(&node->out[i]));
        print_type(&node->out[i], to);
    }
    text_add(to, " = %s", node->op->name);
    if (node->generic != DTYPE_UNKNOWN)
        text_add(to, "<%s>", dtype_name(node->generic));
    text_add(to, "(");

    /* Operands, parameter by parameter. */
    if (node->op->traits & OP_VARIADIC)
        done = print_group(node, 0, (int)node->nin, to);
    for (int i = 0; done < node->nin; i++) {
        text_add(to, "%s", done ? ", " : "");
        done += print_group(node, done, node->group ? node->group[i] : -1, to);
    }
    for (const struct op_attr *a = node->op->attrs; a && a->name; a++) {
        struct datum datum = op_attr_datum(graph, node, a);
        text_add(to, "%s%s = ", first ? "" : ", ", a->name);
        datum_print(&datum, to);
        first = false;
    }
    text_add(to, ")\n");
}

static void print_item(const struct tensor *tensor, int64_t index, struct text *to)
{
    text_add(to, index > 0 ? ", " : "");
    if (tensor->dtype == DTYPE_INTEGER)
        text_add(to, "%" PRId64, ((const int64_t *)tensor->data)[index]);
    else
        text_add(to, "%.9g", tensor_item(tensor, index));
}

void graph_print(struct graph *graph, struct text *to)
{
    text_add(to, "graph %s\n", graph->name);
    for (int i = 0; i < graph->ninput; i++)
        print_port("parameter", &graph->inputs[i], to);
    for (int i = 0; i < graph->noutput; i++)
        print_port("result", &graph->outputs[i], to);
    text_add(to, "\n");
    for (const struct source *s = graph->variables.first; s; s = s->next) {
        text_add(to, "variable %s: ", VALUE_TEXT(s->value));
        print_type(s->value, to);
        text_add(to, " ");
        text_add_quoted(to, s->label ? s->label : "");
        text_add(to, "\n");
    }
    for (const struct source *s = graph->constants.first; s; s = s->next) {
        enum { SHOWN = 8 };
        int64_t volume = s->tensor ? shape_volume(&s->tensor->shape) : 0;
        /* Literals stand where they are used. */
        if (s->span.end == 0 && s->value->shape->rank == 0)
            continue;
        text_add(to, "constant %s: ", VALUE_TEXT(s->value));
        print_type(s->value, to);
        text_add(to, " [");
        for (int64_t i = 0; i < volume && i < SHOWN; i++)
            print_item(s->tensor, i, to);
        text_add(to, "%s]\n", volume > SHOWN ? ", ..." : "");
    }
    for (const struct node *n = graph->first; n; n = n->next)
        print_node(graph, n, to);
}
