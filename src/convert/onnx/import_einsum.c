/*
 * import_einsum.c - sums of products by labels of dimensions
 *
 * Two operands at a time are multiplied as matrices.  A dimension that both have is one of the
 * batch if the result wants it; else it is summed up.  Dimensions of an ellipsis have digits as
 * labels.
 */
#include "convert/onnx/import_share.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LABELS_MAX = 2 * MAX_RANK + 1 };

/* A tensor with a label for each of its dimensions. */
struct labelled {
    struct imported *x;
    char label[LABELS_MAX];
};

static bool has(const char *labels, char label)
{
    return strchr(labels, label) != NULL;
}

/* Labels of one term, with digits for the `dots` dimensions of an ellipsis; false after a report.
 */
static bool read_term(struct translation *t, const char *term, size_t size, int dots, char *labels)
{
    size_t count = 0;

    for (size_t i = 0; i < size; i++) {
        char c = term[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (c == ' ')
            continue;
        if (!letter && !(c == '.' && i + 2 < size && term[i + 1] == '.' && term[i + 2] == '.'))
            return import_error(t, DIAG_ONNX_GRAPH, "has '%c' in its equation", c);
        for (int k = dots; !letter && k > 0; k--)
            labels[count++] = (char)('0' + k);
        if (letter)
            labels[count++] = c;
        else
            i += 2;
        if (count > MAX_RANK)
            return import_error(t, DIAG_ONNX_GRAPH, "has too many labels in its equation");
    }
    labels[count] = '\0';
    for (size_t i = 0; i < count; i++)
        if (strchr(labels + i + 1, labels[i]))
            return import_unsupported(t, "names dimension '%c' twice in one operand", labels[i]);
    return true;
}

/* Dimensions in the order of labels, with extent 1 for those that are missing. */
static struct imported *ordered(struct translation *t, const struct labelled *from,
                                const char *labels)
{
    struct shape shape = {0};
    int64_t order[MAX_RANK];
    int count = 0;

    for (const char *l = labels; *l; l++) {
        const char *at = strchr(from->label, *l);
        shape.extent[shape.rank++] = at ? from->x->shape.extent[at - from->label] : 1;
        if (at)
            order[count++] = at - from->label;
    }
    return reshape_to(t, transpose_by(t, from->x, order), &shape);
}

/* Sum up the dimensions that neither the result wants nor the other operand has. */
static void drop(struct translation *t, struct labelled *from, const char *wanted,
                 const char *other)
{
    int64_t gone[MAX_RANK];
    struct integers axes = {0, gone};
    int count = 0;

    for (int i = 0; from->label[i]; i++)
        if (has(wanted, from->label[i]) || has(other, from->label[i]))
            from->label[count++] = from->label[i];
        else
            gone[axes.count++] = i;
    from->label[count] = '\0';
    from->x = drop_axes(t, reduce(t, OP_sum_reduce, from->x, &axes), &axes, false);
}

/* The product of the extents of some labels, which are all there. */
static int64_t product_of(const struct labelled *from, const char *labels)
{
    int64_t product = 1;

    for (const char *l = labels; *l; l++)
        product *= from->x->shape.extent[strchr(from->label, *l) - from->label];
    return product;
}

/* Labels have room for one more. */
static void add_label(char *labels, char label)
{
    size_t size = strlen(labels);

    assert(!has(labels, label));
    labels[size] = label;
    labels[size + 1] = '\0';
}

/* How the labels of two operands take part in their product. */
struct classes {
    char batch[LABELS_MAX], summed[LABELS_MAX], left[LABELS_MAX], right[LABELS_MAX];
};

/* Labels of *a that *b has, too, are of the batch or summed up; all others stand on one side. */
static struct classes classify(const struct labelled *a, const struct labelled *b,
                               const char *wanted)
{
    struct classes c = {"", "", "", ""};

    for (int i = 0; a->label[i]; i++)
        add_label(!has(b->label, a->label[i]) ? c.left
                  : has(wanted, a->label[i])  ? c.batch
                                              : c.summed,
                  a->label[i]);
    for (int i = 0; b->label[i]; i++)
        if (!has(a->label, b->label[i]))
            add_label(c.right, b->label[i]);
    return c;
}

/* Extents of a shared label are the same, or 1 in one of them. */
static bool match(struct translation *t, struct labelled *a, struct labelled *b)
{
    struct shape shapes[] = {a->x->shape, b->x->shape};

    for (int i = 0; a->label[i]; i++) {
        const char *at = strchr(b->label, a->label[i]);
        int64_t *x = &shapes[0].extent[i], *y = at ? &shapes[1].extent[at - b->label] : x;
        if (*x != *y && *x != 1 && *y != 1)
            return import_error(t, DIAG_SHAPE_MISMATCH,
                                "has extents %" PRId64 " and %" PRId64 " for dimension '%c'", *x,
                                *y, a->label[i]);
        *x = *y = *x > *y ? *x : *y;
    }
    a->x = spread_to(t, a->x, &shapes[0]);
    b->x = spread_to(t, b->x, &shapes[1]);
    return a->x && b->x;
}

/*
 * *a becomes the product of both, as matrices [batch, left, summed] by [batch, summed, right].
 * False after a report.
 */
static bool multiply(struct translation *t, struct labelled *a, struct labelled *b,
                     const char *wanted)
{
    char labels[3 * LABELS_MAX];
    struct shape shape = {0};

    if (!match(t, a, b))
        return false;
    struct classes c = classify(a, b, wanted);
    int64_t batch = product_of(a, c.batch), sum = product_of(a, c.summed);
    struct shape left = {.rank = 3, .extent = {batch, product_of(a, c.left), sum}};
    struct shape right = {.rank = 3, .extent = {batch, sum, product_of(b, c.right)}};
    snprintf(labels, sizeof labels, "%s%s%s", c.batch, c.left, c.summed);
    struct imported *x = reshape_to(t, ordered(t, a, labels), &left);
    snprintf(labels, sizeof labels, "%s%s%s", c.batch, c.summed, c.right);
    struct imported *y = reshape_to(t, ordered(t, b, labels), &right);
    snprintf(labels, sizeof labels, "%s%s%s", c.batch, c.left, c.right);
    if (strlen(labels) > MAX_RANK)
        return import_unsupported(t, "has a product of more than %d dimensions", MAX_RANK);
    for (const char *l = labels; *l; l++) {
        const struct labelled *from = has(a->label, *l) ? a : b;
        shape.extent[shape.rank++] = from->x->shape.extent[strchr(from->label, *l) - from->label];
    }
    a->x = reshape_to(t, matmul(t, x, y), &shape);
    memcpy(a->label, labels, sizeof a->label);
    return a->x;
}

/* Without an arrow: ellipsis, and what is named once, in the order of letters. */
static void implied(const char *equation, int dots, char *labels)
{
    int count = 0;

    for (int k = dots; k > 0; k--)
        labels[count++] = (char)('0' + k);
    for (char c = 'A'; c <= 'z' && count < MAX_RANK; c++) {
        const char *first = strchr(equation, c);
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (letter && first && !strchr(first + 1, c))
            labels[count++] = c;
    }
    labels[count] = '\0';
}

/* The tensors are there, and get their labels; so does the result. */
static bool read_equation(struct translation *t, const char *equation, struct labelled *terms,
                          int count, char *wanted)
{
    const char *arrow = strstr(equation, "->"), *at = equation;
    int dots = 0;

    for (int i = 0; i < count; i++) {
        size_t size = strcspn(at, ",-");
        int rest = terms[i].x->shape.rank; /* dimensions that an ellipsis stands for */
        for (size_t k = 0; k < size; k++)
            rest -= at[k] != '.' && at[k] != ' ';
        bool has_dots = memchr(at, '.', size);
        if (!read_term(t, at, size, has_dots && rest > 0 ? rest : 0, terms[i].label))
            return false;
        dots = has_dots && rest > dots ? rest : dots;
        if ((int)strlen(terms[i].label) != terms[i].x->shape.rank ||
            (at[size] != ',') != (i + 1 == count))
            return import_error(t, DIAG_ONNX_GRAPH,
                                "has equation '%s', which does not fit its %d "
                                "inputs",
                                equation, count);
        at += size + 1;
    }
    if (arrow)
        return read_term(t, arrow + 2, strlen(arrow + 2), dots, wanted);
    implied(equation, dots, wanted);
    return true;
}

/*
 * From left to right.  Labels that neither the result nor a later operand has are summed up as soon
 * as possible, which keeps the products small.
 */
struct imported *einsum(struct translation *t, const char *equation, struct imported *const *in,
                        int count)
{
    struct labelled *terms = import_alloc(t, count, sizeof *terms), *sum = &terms[0];
    char wanted[LABELS_MAX] = "", needed[2 * LABELS_MAX];

    assert(count > 0);
    for (int i = 0; i < count; i++)
        terms[i].x = in[i];
    if (!read_equation(t, equation, terms, count, wanted))
        return NULL;
    for (int i = 1; i < count; i++) {
        snprintf(needed, sizeof needed, "%s", wanted);
        for (int k = i + 1; k < count; k++)
            for (const char *l = terms[k].label; *l; l++)
                if (!has(needed, *l) && strlen(needed) < LABELS_MAX)
                    add_label(needed, *l);
        drop(t, sum, needed, terms[i].label);
        drop(t, &terms[i], needed, sum->label);
        if (!sum->x || !terms[i].x || !multiply(t, sum, &terms[i], needed))
            return NULL;
    }
    drop(t, sum, wanted, "");
    if (!sum->x)
        return NULL;
    for (const char *l = wanted; *l; l++)
        if (!has(sum->label, *l))
            return import_refuse(t, DIAG_ONNX_GRAPH, "wants dimension '%c', which no input has",
                                 *l);
    return ordered(t, sum, wanted);
}

struct imported *import_einsum(struct translation *t)
{
    return einsum(t, get_string(t, "equation", ""), t->in, t->nin);
}
