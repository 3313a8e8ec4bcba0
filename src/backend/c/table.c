/*
 * table.c - operations that compute nothing, in forms that no loop is known for, by a table
 *
 * The reference moves the numbers of the items instead of the items, and so tells where each item
 * of the result comes from.  Tensors of the provisional dialect lack dimensions, for example.
 */
#include "backend/c/c.h"

#include "backend/c/writer.h"
#include "base/arena.h"
#include "exec/planner.h"
#include "op/compute.h"

#include <assert.h>
#include <inttypes.h>

enum { MOST = 1 << 24 }; /* numbers that a float tells apart */

/* The numbers of the items of all operands, one operand after the other. */
static bool number_operands(const struct node *node, struct tensor *tensors,
                            const struct tensor **in)
{
    int64_t next = 0;
    bool ok = true;

    for (uint32_t i = 0; i < node->nin && ok; i++) {
        const struct value *value = node->in[i].value;
        ok = tensor_allocate(&tensors[i], (enum dtype)value->dtype, value->shape);
        in[i] = &tensors[i];
        for (int64_t k = 0, count = shape_volume(value->shape); ok && k < count; k++, next++)
            if (value->dtype == DTYPE_INTEGER)
                ((int64_t *)tensors[i].data)[k] = next;
            else
                ((float *)tensors[i].data)[k] = (float)next;
    }
    return ok;
}

/* Which operand has that item; its number becomes one of the operand's. */
static int operand_of(const struct node *node, int64_t *number)
{
    int operand = 0;

    while (*number >= shape_volume(node->in[operand].value->shape))
        *number -= shape_volume(node->in[operand++].value->shape);
    return operand;
}

/* A loop for each run of items that lie as far apart as each other. */
static void print_runs(struct c_writer *writer, const struct node *node, int out,
                       const struct tensor *from)
{
    const int64_t count = shape_volume(&from->shape);

    for (int64_t i = 0; i < count;) {
        int64_t first = (int64_t)tensor_item(from, i), end = i + 1, step = 0, at = first;
        int operand = operand_of(node, &at);
        for (; end < count; end++) {
            int64_t next = (int64_t)tensor_item(from, end), here = next;
            if (end == i + 1)
                step = next - first;
            if (operand_of(node, &here) != operand || next - first != step * (end - i))
                break;
        }
        if (end == i + 1)
            c_code(writer, "out%d[%" PRId64 "] = in%d[%" PRId64 "];\n", out, i, operand, at);
        else
            c_code(writer,
                   "for (int i = 0; i < %" PRId64 "; i++)\n    out%d[%" PRId64
                   " + i] = in%d[%" PRId64 " + i * %" PRId64 "];\n",
                   end - i, out, i, operand, at, step);
        i = end;
    }
}

static void print_table(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    struct tensor *tensors = arena_array_of(writer->arena, struct tensor, node->nin + 1);
    struct tensor *out = arena_array_of(writer->arena, struct tensor, node->nout + 1);
    const struct tensor **in = arena_array_of(writer->arena, const struct tensor *, node->nin + 1);

    if (!number_operands(node, tensors, in) || !node_compute(node, in, out, writer->diag)) {
        writer->ok = false;
    } else {
        for (uint32_t i = 0; i < node->nout; i++) {
            print_runs(writer, node, (int)i, &out[i]);
            tensor_clear(&out[i]);
        }
    }
    for (uint32_t i = 0; i < node->nin; i++)
        tensor_clear(&tensors[i]);
}

static const struct c_kernel table = C_NARROW("move", print_table);

unsigned c_table_match(const struct planner *planner, const struct group *group, void *match)
{
    const struct node *node = group->nodes[0];
    int64_t items = 0;

    (void)planner;
    (void)match;
    for (uint32_t i = 0; i < node->nin && items < MOST; i++)
        items += node->in[i].value->dtype == DTYPE_LOGICAL ? MOST
                                                           : shape_volume(node->in[i].value->shape);
    return group->count == 1 && items < MOST ? IN_PLAIN : 0;
}

bool c_table_make(struct planner *planner, const struct group *group, struct step *step)
{
    return c_make_plain(planner, group, step, &table);
}
