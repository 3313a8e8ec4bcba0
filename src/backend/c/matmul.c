/* matmul.c - products of matrices that only a run knows, and linear with such a filter, as loops */
#include "backend/c/c.h"

#include "backend/c/nest.h"
#include "exec/planner.h"

#include <assert.h>
#include <inttypes.h>

enum { LEFT, RIGHT, RESULT, BIAS, ROW_ZERO, COLUMN_ZERO, VIEWS };
enum { BIAS_OPERAND = 2, LEFT_ZERO, RIGHT_ZERO }; /* of quantized_matmul */

struct sides {
    const struct shape *left, *right, *out;
    bool left_transposed, right_transposed;
};

static struct sides sides_of(const struct node *node)
{
    bool linear = is_op(node, OP_linear);

    return (struct sides){.left = node->in[LEFT].value->shape,
                          .right = node->in[RIGHT].value->shape,
                          .out = node->out[0].shape,
                          .left_transposed = !linear && attr_transpose_a(node),
                          .right_transposed = linear || attr_transpose_b(node)};
}

/* Of a shape that counts as one of `rank`; extents of 1 repeat. */
static void strides_of(const struct shape *shape, int rank, int64_t stride[MAX_RANK])
{
    int64_t pitch = 1;

    for (int i = rank - 1; i >= 0; i--) {
        stride[i] = shape_extent(shape, i) == 1 ? 0 : pitch;
        pitch *= shape_extent(shape, i);
    }
}

/* Of the product alone: a bias of more axes makes it larger. */
static int rank_of(const struct node *node, const struct sides *s)
{
    if (!is_op(node, OP_linear))
        return s->out->rank;
    return s->left->rank > s->right->rank ? s->left->rank : s->right->rank;
}

/* Loops over the results, and within over what is summed up for each. */
static void loops_of(const struct node *node, struct nest *results, struct nest *sums)
{
    const struct sides s = sides_of(node);
    int rank = rank_of(node, &s);
    int row = rank - 2, column = rank - 1;
    int64_t left[MAX_RANK], right[MAX_RANK], out[MAX_RANK], bias[MAX_RANK] = {0},
                                                            zero[MAX_RANK] = {0};
    int a = s.left_transposed ? column : row, b = s.right_transposed ? row : column;

    *results = (struct nest){.letter = "i", .nview = VIEWS};
    *sums = (struct nest){.letter = "k", .nview = VIEWS};
    strides_of(s.left, s.out->rank, left);
    strides_of(s.right, s.out->rank, right);
    strides_of(s.out, s.out->rank, out);
    if (is_op(node, OP_linear))
        strides_of(node->in[2].value->shape, s.out->rank, bias);
    if (is_op(node, OP_quantized_matmul)) {
        bias[column] = shape_volume(node->in[BIAS_OPERAND].value->shape) > 1;
        zero[row] = shape_volume(node->in[LEFT_ZERO].value->shape) > 1;
        zero[column] = shape_volume(node->in[RIGHT_ZERO].value->shape) > 1;
    }
    for (int i = 0; i < row; i++)
        nest_add(results, s.out->extent[i],
                 (const int64_t[]){left[i], right[i], out[i], bias[i], 0, 0});
    nest_add(results, s.out->extent[row],
             (const int64_t[]){left[a], 0, out[row], bias[row], zero[row], 0});
    nest_add(results, s.out->extent[column],
             (const int64_t[]){0, right[b], out[column], bias[column], 0, zero[column]});
    for (int i = rank; i < s.out->rank; i++)
        nest_add(results, s.out->extent[i], (const int64_t[]){0, 0, out[i], bias[i], 0, 0});
    nest_add(sums, shape_extent(s.left, row + column - a),
             (const int64_t[]){left[row + column - a], right[row + column - b], 0, 0, 0, 0});
}

static void print_product(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    struct nest results, sums;
    struct text line = {0};

    loops_of(node, &results, &sums);
    nest_open(writer, &results);
    text_add(&line, "float sum = ");
    if (is_op(node, OP_linear)) { /* an item for each column, or one */
        text_add(&line, "in2[");
        nest_index(&line, &results, BIAS);
        text_add(&line, "];\n");
    } else {
        text_add(&line, "0;\n");
    }
    c_code_v(writer, line.data, line.size);
    line.size = 0;
    nest_open(writer, &sums);
    text_add(&line, "sum += in0[");
    nest_index(&line, &results, LEFT);
    text_add(&line, " + ");
    nest_index(&line, &sums, LEFT);
    text_add(&line, "] * in1[");
    nest_index(&line, &results, RIGHT);
    text_add(&line, " + ");
    nest_index(&line, &sums, RIGHT);
    text_add(&line, "];\n");
    c_code_v(writer, line.data, line.size);
    nest_close(writer, &sums);
    line.size = 0;
    text_add(&line, "out0[");
    nest_index(&line, &results, RESULT);
    text_add(&line, "] = sum;\n");
    c_code_v(writer, line.data, line.size);
    nest_close(writer, &results);
    text_free(&line);
}

static const struct c_kernel product = C_KERNEL("product", print_product);

unsigned c_matmul_match(const struct planner *planner, const struct group *group, void *match)
{
    const struct node *node = group->nodes[0];
    const struct sides s = sides_of(node);

    (void)planner;
    (void)match;
    return group->count == 1 && rank_of(node, &s) >= 2 ? IN_PLAIN : 0;
}

bool c_matmul_make(struct planner *planner, const struct group *group, struct step *step)
{
    return c_make_plain(planner, group, step, &product);
}

/* --- of integers --------------------------------------------------------------------------------
 */

static void add_at(struct text *to, int operand, const struct nest *nest, int view)
{
    text_add(to, "in%d[", operand);
    nest_index(to, nest, view);
    text_add(to, "]");
}

/* A factor less its zero. */
static void add_factor(struct text *to, const char *type, int side, const struct nest *results,
                       const struct nest *sums)
{
    text_add(to, "((%s)in%d[", type, side);
    nest_index(to, results, side);
    text_add(to, " + ");
    nest_index(to, sums, side);
    text_add(to, "] - zero%d)", side);
}

static void print_integer_product(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    bool quantized = is_op(node, OP_quantized_matmul);
    struct nest results, sums;
    struct text line = {0};

    loops_of(node, &results, &sums);
    const char *type =
        quantized && c_sums_fit(writer, step, sums.rank > 0 ? sums.extent[0] : 1, LEFT_ZERO)
            ? "int32_t"
            : "uint64_t";
    nest_open(writer, &results);
    text_add(&line, "{\n%s sum = ", type);
    if (quantized) {
        text_add(&line, "(%s)", type);
        add_at(&line, BIAS_OPERAND, &results, BIAS);
    } else {
        text_add(&line, "0");
    }
    for (int side = LEFT; side <= RIGHT; side++) {
        text_add(&line, ";\nconst %s zero%d = ", type, side);
        if (quantized) {
            text_add(&line, "(%s)", type);
            add_at(&line, LEFT_ZERO + side, &results, ROW_ZERO + side);
        } else {
            text_add(&line, "0");
        }
    }
    text_add(&line, ";\n\n");
    c_code_v(writer, line.data, line.size);
    line.size = 0;
    nest_open(writer, &sums);
    text_add(&line, "sum += ");
    add_factor(&line, type, LEFT, &results, &sums);
    text_add(&line, " * ");
    add_factor(&line, type, RIGHT, &results, &sums);
    text_add(&line, ";\n");
    c_code_v(writer, line.data, line.size);
    nest_close(writer, &sums);
    line.size = 0;
    text_add(&line, "out0[");
    nest_index(&line, &results, RESULT);
    if (quantized) {
        text_add(&line, "] = (int64_t)sum;\n}\n");
    } else {
        c_needs(writer, C_TEXT_integers);
        text_add(&line, "] = @_wrap((int64_t)sum, %d, %d);\n}\n", (int)attr_bits(node),
                 attr_is_signed(node));
    }
    c_code_v(writer, line.data, line.size);
    nest_close(writer, &results);
    text_free(&line);
}

static const struct c_kernel integer_product = C_NARROW("product", print_integer_product);

unsigned c_whole_match(const struct planner *planner, const struct group *group, void *match)
{
    return c_integers_match(planner, group, match);
}

bool c_whole_make(struct planner *planner, const struct group *group, struct step *step)
{
    return c_make_plain(planner, group, step, &integer_product);
}
