/* matmul.c - products of matrices that only a run knows, and linear with such a filter, as loops */
#include "backend/c/c.h"

#include "backend/c/nest.h"
#include "exec/planner.h"

#include <assert.h>
#include <inttypes.h>

enum { LEFT, RIGHT, RESULT, BIAS, VIEWS };

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

static void print_product(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    const struct sides s = sides_of(node);
    int row = s.out->rank - 2, column = s.out->rank - 1;
    int64_t left[MAX_RANK], right[MAX_RANK], out[MAX_RANK], bias[MAX_RANK] = {0};
    int a = s.left_transposed ? column : row, b = s.right_transposed ? row : column;
    struct nest results = {.letter = "i", .nview = VIEWS};
    struct nest sums = {.letter = "k", .nview = VIEWS};
    struct text line = {0};

    strides_of(s.left, s.out->rank, left);
    strides_of(s.right, s.out->rank, right);
    strides_of(s.out, s.out->rank, out);
    if (is_op(node, OP_linear))
        strides_of(node->in[2].value->shape, s.out->rank, bias);
    for (int i = 0; i < row; i++)
        nest_add(&results, s.out->extent[i], (const int64_t[]){left[i], right[i], out[i], bias[i]});
    nest_add(&results, s.out->extent[row], (const int64_t[]){left[a], 0, out[row], bias[row]});
    nest_add(&results, s.out->extent[column],
             (const int64_t[]){0, right[b], out[column], bias[column]});
    nest_add(&sums, s.left->extent[row + column - a],
             (const int64_t[]){left[row + column - a], right[row + column - b], 0, 0});
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
    return group->count == 1 && node->out[0].dtype == DTYPE_SCALAR && s.out->rank >= 2 &&
                   s.left->rank == s.out->rank && s.right->rank == s.out->rank
               ? IN_PLAIN
               : 0;
}

bool c_matmul_make(struct planner *planner, const struct group *group, struct step *step)
{
    return c_make_plain(planner, group, step, &product);
}
