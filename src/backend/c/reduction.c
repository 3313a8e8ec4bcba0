/* reduction.c - reductions along axes, and softmax, as loops */
#include "backend/c/c.h"

#include "backend/c/nest.h"
#include "exec/planner.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { ITEM, RESULT, VIEWS };

/* Loops over the lanes, and within over the items of a lane; `places` are numbers of items of a
 * lane that the inner loops count by. */
static void split(const struct node *node, struct nest *lanes, struct nest *items)
{
    const struct shape *shape = node->in[0].value->shape;
    const struct integers *axes = attr_axes(node);
    int64_t pitch[MAX_RANK], to[MAX_RANK], place[MAX_RANK], all = 1, results = 1, places = 1;
    bool same = shape_equal(shape, node->out[0].shape), along[MAX_RANK] = {false};

    *lanes = (struct nest){.letter = "i", .nview = VIEWS};
    *items = (struct nest){.letter = "k", .nview = VIEWS};
    for (int i = 0; i < axes->count; i++)
        if (axes->item[i] < shape->rank)
            along[axes->item[i]] = true;
    for (int i = shape->rank - 1; i >= 0; i--) {
        pitch[i] = all;
        to[i] = same ? all : results;
        place[i] = places;
        all *= shape->extent[i];
        results *= along[i] ? 1 : shape->extent[i];
        places *= along[i] ? shape->extent[i] : 1;
    }
    for (int i = 0; i < shape->rank; i++)
        if (along[i])
            nest_add(items, shape->extent[i], (const int64_t[]){pitch[i], place[i]});
        else
            nest_add(lanes, shape->extent[i], (const int64_t[]){pitch[i], to[i]});
}

/* The index of an item of a lane: both loops together. */
static void add_item(struct text *to, const char *array, const struct nest *lanes,
                     const struct nest *items, int lane_view)
{
    text_add(to, "%s[", array);
    nest_index(to, lanes, lane_view);
    text_add(to, " + ");
    nest_index(to, items, ITEM);
    text_add(to, "]");
}

/* --- reductions ------------------------------------------------------------------------------ */

/* The start of a fold, what each item does to it, and what becomes of it; all of `best` and `at`
 * are for those that choose. */
struct fold {
    enum op_id op;
    const char *type, *start, *step, *end;
};

static const struct fold folds[] = {
    {OP_sum_reduce, "double", "0", "fold += x;", "(float)fold"},
    {OP_mean_reduce, "double", "0", "fold += x;", "(float)(fold / COUNT)"},
    {OP_max_reduce, "float", "FIRST", "fold = x > fold || x != x ? x : fold;", "fold"},
    {OP_min_reduce, "float", "FIRST", "fold = x < fold || x != x ? x : fold;", "fold"},
    {OP_argmax_reduce, "float", "FIRST",
     "if (x > fold || (x != x && fold == fold)) {\nfold = x;\nchosen = PLACE;\n}", "chosen"},
    {OP_argmin_reduce, "float", "FIRST",
     "if (x < fold || (x != x && fold == fold)) {\nfold = x;\nchosen = PLACE;\n}", "chosen"},
    {OP_all_reduce, "int", "1", "fold &= x != 0;", "(unsigned char)fold"},
    {OP_any_reduce, "int", "0", "fold |= x != 0;", "(unsigned char)fold"},
};

static const struct fold *fold_of(const struct node *node)
{
    for (size_t i = 0; i < sizeof folds / sizeof folds[0]; i++)
        if (is_op(node, folds[i].op))
            return &folds[i];
    return NULL;
}

/* Write a template, with the capital words replaced. */
static void add_template(struct text *to, const char *text, const char *word, const char *by)
{
    const char *at = strstr(text, word);

    if (at)
        text_add(to, "%.*s%s%s", (int)(at - text), text, by, at + strlen(word));
    else
        text_add(to, "%s", text);
}

static void print_reduction(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    const struct fold *fold = fold_of(node);
    bool mean =
        is_op(node, OP_mean_reduce) ||
        (is_op(node, OP_sum_reduce) && ((const struct reduce_attrs *)node->attrs)->normalize);
    struct nest lanes, items;
    struct text line = {0}, first = {0}, item = {0}, place = {0}, count = {0};

    split(node, &lanes, &items);
    fold = mean ? &folds[1] : fold;
    text_add(&first, "in0[");
    nest_index(&first, &lanes, ITEM);
    text_add(&first, "]");
    add_item(&item, "in0", &lanes, &items, ITEM);
    nest_index(&place, &items, RESULT);
    text_add(&count, "%" PRId64,
             shape_volume(node->in[0].value->shape) /
                 (shape_volume(node->out[0].shape) > 0 ? shape_volume(node->out[0].shape) : 1));
    nest_open(writer, &lanes);
    text_add(&line, "%s fold = ", fold->type);
    add_template(&line, fold->start, "FIRST", first.data);
    text_add(&line, ";\n");
    if (node->out[0].dtype == DTYPE_INTEGER)
        text_add(&line, "int chosen = 0;\n");
    c_code_v(writer, line.data, line.size);
    line.size = 0;
    nest_open(writer, &items);
    const char *type = node->in[0].value->dtype == DTYPE_LOGICAL ? "int"
                       : *fold->type == 'd'                      ? "double"
                                                                 : "float";
    text_add(&line, "%s x = %s%s;\n", type, *type == 'd' ? "(double)" : "", item.data);
    add_template(&line, fold->step, "PLACE", place.data);
    text_add(&line, "\n");
    c_code_v(writer, line.data, line.size);
    line.size = 0;
    nest_close(writer, &items);
    text_add(&line, "out0[");
    nest_index(&line, &lanes, RESULT);
    text_add(&line, "] = ");
    add_template(&line, fold->end, "COUNT", count.data);
    text_add(&line, ";\n");
    c_code_v(writer, line.data, line.size);
    nest_close(writer, &lanes);
    text_free(&line);
    text_free(&first);
    text_free(&item);
    text_free(&place);
    text_free(&count);
}

/* Of integers, exact: with the start that the least and greatest of the type give. */
static void print_integer_fold(struct c_writer *writer, const struct node *node,
                               const struct nest *lanes, const struct nest *items)
{
    bool least = is_op(node, OP_integer_min_reduce) || is_op(node, OP_integer_argmin_reduce);
    int bits = (int)attr_bits(node), has_sign = attr_is_signed(node),
        huge = bits == 64 && !has_sign;
    struct text item = {0};

    c_needs(writer, C_TEXT_integers);
    add_item(&item, "in0", lanes, items, ITEM);
    if (is_op(node, OP_integer_sum_reduce)) {
        c_code(writer, "uint64_t fold = 0;\n");
        nest_open(writer, items);
        c_code(writer, "fold += (uint64_t)%s;\n", item.data);
    } else {
        int64_t low = has_sign ? INT64_MIN >> (64 - bits) : 0;
        struct text start = {0};
        c_integer(&start,
                  !least ? low
                  : huge ? -1
                         : ~low & (has_sign ? INT64_MAX : (int64_t)(UINT64_MAX >> (64 - bits))));
        c_code(writer, "int64_t fold = %s;\n", start.data);
        text_free(&start);
        nest_open(writer, items);
        c_code(writer, "const int64_t x = %s;\n", item.data);
        c_code(writer,
               least ? "fold = @_is_less(x, fold, %d) ? x : fold;\n"
                     : "fold = @_is_less(fold, x, %d) ? x : fold;\n",
               huge);
    }
    nest_close(writer, items);
    item.size = 0;
    text_add(&item, "out0[");
    nest_index(&item, lanes, RESULT);
    c_code(writer, "%s] = @_wrap((int64_t)fold, %d, %d);\n", item.data, bits, has_sign);
    text_free(&item);
}

/* The first item that no other is beyond. */
static void print_integer_choice(struct c_writer *writer, const struct node *node,
                                 const struct nest *lanes, const struct nest *items)
{
    int huge = attr_bits(node) == 64 && !attr_is_signed(node);
    struct text item = {0}, place = {0}, to = {0};

    c_needs(writer, C_TEXT_integers);
    text_add(&to, "in0[");
    nest_index(&to, lanes, ITEM);
    c_code(writer, "int64_t best = %s];\nint chosen = 0;\n", to.data);
    add_item(&item, "in0", lanes, items, ITEM);
    nest_index(&place, items, RESULT);
    nest_open(writer, items);
    c_code(
        writer,
        is_op(node, OP_integer_argmin_reduce)
            ? "const int64_t x = %s;\nif (@_is_less(x, best, %d)) {\nbest = x;\nchosen = %s;\n}\n"
            : "const int64_t x = %s;\nif (@_is_less(best, x, %d)) {\nbest = x;\nchosen = %s;\n}\n",
        item.data, huge, place.data);
    nest_close(writer, items);
    to.size = 0;
    text_add(&to, "out0[");
    nest_index(&to, lanes, RESULT);
    c_code(writer, "%s] = chosen;\n", to.data);
    text_free(&item);
    text_free(&place);
    text_free(&to);
}

static void print_sums(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    bool chooses = is_op(node, OP_integer_argmax_reduce) || is_op(node, OP_integer_argmin_reduce);
    struct nest lanes, items;

    split(node, &lanes, &items);
    nest_open(writer, &lanes);
    c_code(writer, "{\n");
    if (chooses)
        print_integer_choice(writer, node, &lanes, &items);
    else
        print_integer_fold(writer, node, &lanes, &items);
    c_code(writer, "}\n");
    nest_close(writer, &lanes);
}

static const struct c_kernel sums = C_NARROW("reduction", print_sums);

unsigned c_sums_match(const struct planner *planner, const struct group *group, void *match)
{
    return c_integers_match(planner, group, match);
}

bool c_sums_make(struct planner *planner, const struct group *group, struct step *step)
{
    return c_make_plain(planner, group, step, &sums);
}

static const struct c_kernel reduction = C_KERNEL("reduction", print_reduction);

unsigned c_reduction_match(const struct planner *planner, const struct group *group, void *match)
{
    const struct node *node = group->nodes[0];

    (void)planner;
    (void)match;
    return group->count == 1 && fold_of(node) && node->in[0].value->dtype != DTYPE_INTEGER
               ? IN_PLAIN
               : 0;
}

bool c_reduction_make(struct planner *planner, const struct group *group, struct step *step)
{
    return c_make_plain(planner, group, step, &reduction);
}

/* --- softmax --------------------------------------------------------------------------------- */

static void print_softmax(struct c_writer *writer, const struct step *step)
{
    struct nest lanes, items;
    struct text first = {0}, from = {0}, to = {0};

    if (shape_volume(step->nodes[0]->out[0].shape) == 0) { /* there is no first item, either */
        c_code(writer, "(void)in0;\n(void)out0;\n");
        return;
    }
    split(step->nodes[0], &lanes, &items);
    c_needs_math(writer, "expf", 4);
    text_add(&first, "in0[");
    nest_index(&first, &lanes, ITEM);
    add_item(&from, "in0", &lanes, &items, ITEM);
    add_item(&to, "out0", &lanes, &items, ITEM);
    nest_open(writer, &lanes);
    c_code(writer, "float most = %s], sum = 0;\n\n", first.data);
    nest_open(writer, &items);
    c_code(writer, "most = %s > most ? %s : most;\n", from.data, from.data);
    nest_close(writer, &items);
    nest_open(writer, &items);
    c_code(writer, "float e = expf(%s - most);\n%s = e;\nsum += e;\n", from.data, to.data);
    nest_close(writer, &items);
    nest_open(writer, &items);
    c_code(writer, "%s /= sum;\n", to.data);
    nest_close(writer, &items);
    nest_close(writer, &lanes);
    text_free(&first);
    text_free(&from);
    text_free(&to);
}

static const struct c_kernel softmax = C_KERNEL("softmax", print_softmax);

unsigned c_softmax_match(const struct planner *planner, const struct group *group, void *match)
{
    (void)planner;
    (void)match;
    return group->count == 1 ? IN_PLAIN : 0;
}

bool c_softmax_make(struct planner *planner, const struct group *group, struct step *step)
{
    return c_make_plain(planner, group, step, &softmax);
}
