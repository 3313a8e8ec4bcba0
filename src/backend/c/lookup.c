/*
 * lookup.c - parts of tensors that indices name: gather, scatter, and the greatest items
 *
 * An index out of range makes the step fail.
 */
#include "backend/c/c.h"

#include "backend/c/nest.h"
#include "backend/c/writer.h"
#include "exec/planner.h"
#include "op/lookup.h"

#include <inttypes.h>

/* --- one index for a section --------------------------------------------------------------------
 */

static void print_gather(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    const struct shape *input = node->in[0].value->shape;
    int axis = (int)attr_axis(node);
    int64_t extent = input->extent[axis];
    int64_t inner = shape_volume_range(input, axis + 1, input->rank);

    c_code(writer, "for (int i = 0; i < %" PRId64 "; i++) {\nint64_t at = in1[i];\n\n",
           shape_volume(node->in[1].value->shape));
    if (!c_is_within(node->in[1].value, 0, extent - 1)) {
        c_may_fail(writer);
        c_code(writer, "if (at < 0 || at >= %" PRId64 ")\n    return 1;\n", extent);
    }
    c_code(writer,
           "for (int p = 0; p < %" PRId64 "; p++)\n    for (int q = 0; q < %" PRId64
           "; q++)\n        out0[(p * %" PRId64 " + i) * %" PRId64 " + q] = in0[(p * %" PRId64
           " + at) * %" PRId64 " + q];\n}\n",
           shape_volume_range(input, 0, axis), inner, shape_volume(node->in[1].value->shape), inner,
           extent, inner);
}

static const struct c_kernel gather = C_NARROW("gather", print_gather);

unsigned c_gather_match(const struct planner *planner, const struct group *group, void *match)
{
    return c_integers_match(planner, group, match);
}

bool c_gather_make(struct planner *planner, const struct group *group, struct step *step)
{
    return c_make_plain(planner, group, step, &gather);
}

/* --- an index for each dimension ----------------------------------------------------------------
 */

static bool always_in_range(const struct node *node, const struct lookup *lookup)
{
    bool ok = true;

    for (int i = 0; i < lookup->depth; i++)
        ok &= c_is_within(node->in[1].value, -lookup->extent[i], lookup->extent[i] - 1);
    return ok;
}

/* Loops over all parts, which leave open the block that has `n`, the number of the part, and `at`,
 * where it begins. */
static struct nest open_parts(struct c_writer *writer, const struct node *node,
                              const struct lookup *lookup)
{
    enum { AT, NUMBER, VIEWS };
    struct nest nest = {.letter = "i", .nview = VIEWS};
    int64_t number[MAX_RANK];
    bool fails = !always_in_range(node, lookup);
    struct text text = {0};

    shape_strides(&lookup->rows, number);
    for (int i = 0; i < lookup->rows.rank; i++)
        nest_add(&nest, lookup->rows.extent[i],
                 (const int64_t[]){lookup->begin[i], number[i] * lookup->length});
    nest_add(&nest, lookup->length, (const int64_t[]){lookup->step, 1});
    c_code(writer, "{\n");
    nest_open(writer, &nest);
    text_add(&text, "const int n = ");
    nest_index(&text, &nest, NUMBER);
    text_add(&text, ";\nint64_t at = ");
    nest_index(&text, &nest, AT);
    text_add(&text, ", k;\n\n");
    if (fails)
        c_may_fail(writer);
    for (int i = 0; i < lookup->depth; i++) {
        int64_t extent = lookup->extent[i];
        text_add(&text, "k = in1[n * %d + %d];\n", lookup->depth, i);
        if (fails)
            text_add(&text, "if (k < -%" PRId64 " || k >= %" PRId64 ")\n    return 1;\n", extent,
                     extent);
        text_add(&text, "at += (k < 0 ? k + %" PRId64 " : k) * %" PRId64 ";\n", extent,
                 lookup->stride[i]);
    }
    c_code_v(writer, text.data, text.size);
    text_free(&text);
    return nest;
}

static void close_parts(struct c_writer *writer, const struct nest *nest)
{
    nest_close(writer, nest);
    c_code(writer, "}\n");
}

static struct lookup lookup_of_node(const struct node *node)
{
    const struct tensor input = {.shape = *node->in[0].value->shape},
                        index = {.shape = *node->in[1].value->shape};
    const struct tensor *in[] = {&input, &index};

    return lookup_of(&(struct eval){.node = node, .in = in});
}

static void print_gathering(struct c_writer *writer, const struct step *step)
{
    const struct lookup lookup = lookup_of_node(step->nodes[0]);
    const struct nest nest = open_parts(writer, step->nodes[0], &lookup);

    c_code(writer,
           "for (int q = 0; q < %" PRId64 "; q++)\n    out0[n * %" PRId64 " + q] = in0[at + q];\n",
           lookup.size, lookup.size);
    close_parts(writer, &nest);
}

static const struct c_kernel gathering = C_NARROW("gather", print_gathering);

unsigned c_gathering_match(const struct planner *planner, const struct group *group, void *match)
{
    return c_integers_match(planner, group, match);
}

bool c_gathering_make(struct planner *planner, const struct group *group, struct step *step)
{
    return c_make_plain(planner, group, step, &gathering);
}

/* --- updates ------------------------------------------------------------------------------------
 */

/* What an update does to an item: of integers exact, of scalars in float. */
static const char *update_of(enum combining how, enum dtype dtype)
{
    bool integers = dtype == DTYPE_INTEGER;

    switch (how) {
    case COMBINING_ADD:
        return integers ? "*to = (int64_t)((uint64_t)*to + (uint64_t)y);" : "*to += y;";
    case COMBINING_MUL:
        return integers ? "*to = (int64_t)((uint64_t)*to * (uint64_t)y);" : "*to *= y;";
    case COMBINING_MAX:
        return integers ? "*to = y > *to ? y : *to;" : "*to = @_greater(*to, y);";
    case COMBINING_MIN:
        return integers ? "*to = y < *to ? y : *to;" : "*to = @_lesser(*to, y);";
    case COMBINING_NONE:
        break;
    }
    return "*to = y;";
}

/* Does the last update of a part, which stays, differ from another one?  It is asked of all. */
static void print_clashes(struct c_writer *writer, const struct node *node,
                          const struct lookup *lookup)
{
    bool scalars = node->out[0].dtype == DTYPE_SCALAR;
    const struct nest nest = open_parts(writer, node, lookup);

    c_may_fail(writer);
    if (scalars)
        c_needs(writer, C_TEXT_bits);
    c_code(writer,
           scalars ? "for (int q = 0; q < %" PRId64 "; q++)\n    if (@_bits32(out0[at + q]) != "
                     "@_bits32(in2[n * %" PRId64 " + q]))\n        return 1;\n"
                   : "for (int q = 0; q < %" PRId64 "; q++)\n    if (out0[at + q] != in2[n * "
                     "%" PRId64 " + q])\n        return 1;\n",
           lookup->size, lookup->size);
    close_parts(writer, &nest);
}

static void print_scatter(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    const struct lookup lookup = lookup_of_node(node);
    enum combining how = attr_combining(node);
    const char *type = c_type_of((enum dtype)node->out[0].dtype)->name;

    if (node->out[0].dtype == DTYPE_SCALAR)
        c_needs(writer, C_TEXT_items);
    c_code(writer, "for (int i = 0; i < %" PRId64 "; i++)\n    out0[i] = in0[i];\n",
           shape_volume(node->out[0].shape));
    const struct nest nest = open_parts(writer, node, &lookup);
    c_code(writer,
           "for (int q = 0; q < %" PRId64 "; q++) {\nconst %s y = in2[n * %" PRId64
           " + q];\n%s *to = out0 + at + q;\n\n",
           lookup.size, type, lookup.size, type);
    c_code(writer, "%s\n}\n", update_of(how, (enum dtype)node->out[0].dtype));
    close_parts(writer, &nest);
    if (how == COMBINING_NONE)
        print_clashes(writer, node, &lookup);
}

static const struct c_kernel scatter = C_NARROW("scatter", print_scatter);

unsigned c_scatter_match(const struct planner *planner, const struct group *group, void *match)
{
    return c_integers_match(planner, group, match);
}

bool c_scatter_make(struct planner *planner, const struct group *group, struct step *step)
{
    return c_make_plain(planner, group, step, &scatter);
}

/* --- the greatest items -------------------------------------------------------------------------
 */

static void print_topk(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    const struct shape *shape = node->in[0].value->shape;
    int axis = (int)attr_axis(node);
    static const char *const types[] = {
        [DTYPE_SCALAR] = "scalars", [DTYPE_INTEGER] = "integers", [DTYPE_LOGICAL] = "truths"};

    c_needs(writer, C_TEXT_topk);
    c_code(writer,
           "@_topk_%s(%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %d, in0, out0, out1);\n",
           types[node->in[0].value->dtype], shape_volume_range(shape, 0, axis), shape->extent[axis],
           attr_count(node), shape_volume_range(shape, axis + 1, shape->rank), attr_largest(node));
}

static const struct c_kernel topk = C_KERNEL("topk", print_topk);

unsigned c_topk_match(const struct planner *planner, const struct group *group, void *match)
{
    return c_integers_match(planner, group, match);
}

bool c_topk_make(struct planner *planner, const struct group *group, struct step *step)
{
    return c_make_plain(planner, group, step, &topk);
}
