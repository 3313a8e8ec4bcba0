/*
 * test_edits.c - a graph is sound after every edit that ir/graph_edit.h and pass/edit.h offer
 *
 * Random graphs are edited at random; what an edit needs (the same type and shape, a value that is
 * made before it is read) is seen to, nothing else.  The verifier knows all rules of graphs.
 */
#include "base/text.h"
#include "exec/random.h"
#include "ir/graph.h"
#include "ir/graph_edit.h"
#include "op/graph_print.h"
#include "pass/pass_priv.h"
#include "support/doc_pass.h"
#include "support/random_graph.h"
#include "support/same_graph.h"
#include "tensor/retained.h"

#include "support/t.h"

enum { EDITS = 80, MOST_NODES = 1024, MOST_GRAPHS = 500 };

struct editor {
    struct random random;
    struct doc doc;
    struct doc_pass reading;
    struct graph *graph;
    struct retained_tensor *kept;
    struct passes passes;
    struct pass pass;
};

static int draw(struct editor *e, int count)
{
    return (int)(random_bits(&e->random) % (uint64_t)count);
}

/* --- what may be edited -------------------------------------------------------------------- */

static struct node *any_node(struct editor *e)
{
    struct node *found = NULL;
    int seen = 0;

    for (struct node *n = e->graph->first; n; n = n->next)
        if (draw(e, ++seen) == 0)
            found = n;
    return found;
}

/* New nodes stand before this one. */
static void stand_at(struct editor *e, struct node *node)
{
    e->pass.at = e->graph->before = node;
}

struct choice {
    struct value *value;
    int seen;
};

static void consider(struct editor *e, struct choice *choice, struct value *value,
                     const struct value *like)
{
    if (value != like && (!like || value_may_replace(value, like)) && draw(e, ++choice->seen) == 0)
        choice->value = value;
}

/* Any value that is there before `node`, or at the end; of the same type and shape as `like`. */
static struct value *any_value(struct editor *e, const struct node *node, const struct value *like)
{
    const struct source_list *const lists[] = {&e->graph->externals, &e->graph->variables,
                                               &e->graph->constants};
    struct choice choice = {0};

    for (int i = 0; i < 3; i++)
        for (struct source *s = lists[i]->first; s; s = s->next)
            consider(e, &choice, s->value, like);
    for (struct node *n = e->graph->first; n && n != node; n = n->next)
        for (uint32_t i = 0; i < n->nout; i++)
            consider(e, &choice, &n->out[i], like);
    return choice.value;
}

/* An operand that is no variable which a node changes. */
static struct use *any_use(struct editor *e)
{
    struct node *node = any_node(e);
    uint32_t first = node && (node->op->traits & OP_EFFECT) ? 1 : 0;

    return node && node->nin > first
               ? &node->in[first + (uint32_t)draw(e, (int)(node->nin - first))]
               : NULL;
}

/* --- edits: false if there was nothing to be edited ------------------------------------------- */

static bool make_node(struct editor *e)
{
    static const enum op_id unary[] = {OP_relu, OP_neg, OP_abs},
                            binary[] = {OP_add, OP_max, OP_mul};
    struct node *node = any_node(e);
    struct value *x = any_value(e, node, NULL), *y = x ? any_value(e, node, x) : NULL;
    struct recipe recipe = {.op = op_plain(y ? binary[draw(e, 3)] : unary[draw(e, 3)]),
                            .in = {x, y}};

    if (!x || x->dtype != DTYPE_SCALAR)
        return false;
    stand_at(e, node);
    struct value *made = pass_make(&e->pass, &recipe);
    assert_non_null(made);
    assert_ptr_equal(made->producer->next, node);
    return true;
}

static bool remake_node(struct editor *e)
{
    struct node *node = any_node(e);

    if (!node || (node->op->traits & OP_EFFECT))
        return false;
    stand_at(e, node);
    struct value *made = pass_remake(&e->pass, node, NULL, NULL);
    assert_true(value_may_replace(made, &node->out[0]));
    if (node->nout == 1 && draw(e, 2))
        assert_true(pass_replace(&e->pass, &node->out[0], made));
    return true;
}

/* Also what bypasses a node: what it reads takes the place of what it makes. */
static bool replace_result(struct editor *e)
{
    struct node *node = any_node(e);
    struct value *from = node ? &node->out[draw(e, (int)node->nout)] : NULL;
    struct value *to = from ? any_value(e, node, from) : NULL;

    if (!to || (node->op->traits & OP_EFFECT))
        return false;
    assert_true(pass_replace(&e->pass, from, to));
    assert_null(from->uses);
    return true;
}

static bool link_operand(struct editor *e)
{
    struct use *use = any_use(e);
    struct value *to = use ? any_value(e, use->node, use->value) : NULL;

    if (!to)
        return false;
    if (draw(e, 2))
        pass_set_operand(&e->pass, use, to);
    else
        graph_set_operand(use, to);
    assert_ptr_equal(use->value, to);
    return true;
}

/* A node between a value and one of those that read it. */
static bool insert_on_use(struct editor *e)
{
    struct use *use = any_use(e);

    if (!use)
        return false;
    stand_at(e, use->node);
    struct value *copy =
        pass_make(&e->pass, &(struct recipe){.op = op_plain(OP_copy), .in = {use->value}});
    pass_set_operand(&e->pass, use, copy);
    assert_ptr_equal(copy->uses, use);
    return true;
}

static bool replace_operands(struct editor *e)
{
    struct node *node = any_node(e);
    struct value *from = node ? &node->out[0] : NULL;
    struct value *to = from ? any_value(e, node, from) : NULL;

    if (!to || to->kind != VALUE_RESULT)
        return false;
    graph_replace_operands(from, to);
    assert_null(from->uses);
    return true;
}

static bool sweep_node(struct editor *e)
{
    struct node *node = any_node(e);
    bool needed = node && node_is_needed(&e->pass, node);

    if (!node)
        return false;
    assert_int_equal(pass_sweep(&e->pass, node) == 0, needed);
    return !needed;
}

static bool erase_node(struct editor *e)
{
    struct node *node = any_node(e);

    if (!node || node_is_needed(&e->pass, node))
        return false;
    graph_erase_node(e->graph, node);
    return true;
}

static bool is_unused(const struct value *value, void *data)
{
    return !value_stays(data, value);
}

static bool erase_sources(struct editor *e)
{
    static const enum value_kind kinds[] = {VALUE_VARIABLE, VALUE_CONSTANT};

    graph_erase_sources(e->graph, kinds[draw(e, 2)], is_unused, &e->pass);
    return true;
}

/* A tensor of its own in the place of what a node makes or reads. */
static bool fix_value(struct editor *e)
{
    struct use *use = any_use(e);
    struct tensor tensor;

    if (!use || use->value->dtype != DTYPE_SCALAR)
        return false;
    stand_at(e, use->node);
    assert_true(pass_tensor(&e->pass, &tensor, DTYPE_SCALAR, use->value->shape));
    random_fill(&e->random, &tensor, -1, 1);
    struct value *like = use->value->kind == VALUE_VARIABLE ? use->value : NULL;
    struct value *made = pass_fixed(&e->pass, NULL, &tensor, like);
    assert_non_null(value_items(made));
    if (value_may_replace(made, use->value))
        pass_set_operand(&e->pass, use, made);
    return true;
}

static bool make_literal(struct editor *e)
{
    struct use *use = any_use(e);

    if (!use || use->value->dtype != DTYPE_SCALAR || use->value->shape->rank > 0)
        return false;
    struct value *made = pass_literal(&e->pass, draw(e, 4));
    if (value_may_replace(made, use->value))
        pass_set_operand(&e->pass, use, made);
    return true;
}

static bool (*const edits[])(struct editor *e) = {
    make_node,        make_node,  remake_node, replace_result, link_operand, insert_on_use,
    replace_operands, sweep_node, erase_node,  erase_sources,  fix_value,    make_literal,
};

/* --- graphs ------------------------------------------------------------------------------- */

static void open_graph(struct editor *e, uint64_t seed)
{
    struct random_graph *random = random_graph_new(seed);
    struct text text = {0};

    *e = (struct editor){.random = random_stream(seed, "edits")};
    random_graph_text(random, &text);
    doc_read_text(&e->doc, "graph.nnef", text.data);
    e->reading = (struct doc_pass){.doc = &e->doc, .name = "", .text = e->doc.text};
    doc_open(&e->reading);
    assert_non_null(e->graph = e->reading.graph);
    assert_true(doc_feed_variables(&e->reading));
    text_free(&text);
    random_graph_free(random);
}

static void begin_pass(struct editor *e)
{
    static const struct pass_options options = {.rounds = 1};
    static struct pass_report report;

    e->passes = (struct passes){
        .graph = e->graph, .options = &options, .kept = &e->kept, .report = &report};
    e->pass = (struct pass){.graph = e->graph, .options = &options, .all = &e->passes};
    passes_begin(&e->passes);
}

static void close_graph(struct editor *e)
{
    passes_end(&e->passes);
    doc_clear_feeds(&e->reading);
    retained_tensors_free(e->reading.context, e->kept);
    doc_close(&e->reading);
    doc_clear(&e->doc);
}

static void assert_sound(const struct editor *e, const struct graph *before, uint64_t seed,
                         int edit)
{
    struct text why = {0};
    bool sound = graph_verify(e->graph, &why) && same_interface(e->graph, before, false, &why);

    if (!sound)
        print_error("seed %d, edit %d: %s\n", (int)seed, edit, why.data);
    text_free(&why);
    assert_true(sound);
}

static int edit_graph(uint64_t seed)
{
    struct editor e, before;
    int done = 0;

    open_graph(&e, seed);
    open_graph(&before, seed);
    begin_pass(&e);
    begin_pass(&before);
    for (int i = 0; i < EDITS && e.graph->node_count < MOST_NODES; i++) {
        int edit = draw(&e, (int)(sizeof edits / sizeof *edits));
        done += edits[edit](&e);
        stand_at(&e, NULL);
        assert_sound(&e, before.graph, seed, edit);
    }
    close_graph(&before);
    close_graph(&e);
    return done;
}

static void graphs_are_sound_after_10000_random_edits(void **state)
{
    int done = 0;
    uint64_t seed = 1;

    (void)state;
    for (; done < 10000 && seed < MOST_GRAPHS; seed++)
        done += edit_graph(seed);
    assert_true(done >= 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_are_sound_after_10000_random_edits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
