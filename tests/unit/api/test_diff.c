/*
 * test_diff.c - differences of models: each kind of change of random networks is told as exactly
 * that
 *
 * A network is a chain of statements behind two that could stand in either order.  A mutation
 * changes one thing of it and says what has to be reported.
 */
#include "nnefc/nnefc.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/t.h"

enum { NETWORKS = 20, MOST = 40 };

/* --- networks ------------------------------------------------------------------------------- */

struct statement {
    char name[16];
    const char *op;
    int a, b;           /* operands: index of a statement, -1: x; b is -2: none */
    const char *border; /* of a convolution, which has weights of its own; NULL: is none */
    int stride;
    bool in_fragment;
};

struct network {
    const char *graph, *input;
    struct statement at[MOST];
    int count, batch, constant;
    int output[3], noutput;
    const char *label;  /* of the last weights; NULL: as all others */
    const char *prefix; /* of all names; "" */
};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 33;
}

static const char *const unary[] = {"relu", "sigmoid", "tanh", "abs", "neg", "exp"};
static const char *const binary[] = {"add", "mul", "max", "min"};
enum { UNARY = 6, BINARY = 4 };

static struct statement *add_statement(struct network *net, const char *op, int a, int b)
{
    struct statement *s = &net->at[net->count];

    assert_true(net->count < MOST);
    *s = (struct statement){.op = op, .a = a, .b = b, .stride = 1};
    snprintf(s->name, sizeof s->name, "t%d", net->count++);
    return s;
}

/* Statements 0 and 1 read x and are added by 2; from there on each reads the one before.  Unary,
 * binary and convolution take turns, so that there is one of each. */
static struct network make_network(uint64_t seed)
{
    struct network net = {.graph = "net", .input = "x", .batch = 1, .prefix = "", .constant = 3};
    uint64_t state = seed + 1;
    int length = 9 + (int)(next_random(&state) % 20);

    add_statement(&net, "sin", -1, -2);
    add_statement(&net, "cos", -1, -2);
    add_statement(&net, "add", 0, 1);
    for (int i = 3; i < length || i % 3 != 1; i++) {
        if (i % 3 == 0)
            add_statement(&net, unary[next_random(&state) % UNARY], i - 1, -2);
        else if (i % 3 == 1)
            add_statement(&net, binary[next_random(&state) % BINARY], i - 1,
                          (int)(next_random(&state) % (uint64_t)(i - 1)));
        else
            add_statement(&net, "conv", i - 1, -2)->border = "constant";
    }
    add_statement(&net, "conv", net.count - 1, -2)->border = "constant";
    net.output[net.noutput++] = net.count - 1;
    net.output[net.noutput++] = 3;
    return net;
}

static const char *name_at(const struct network *net, int index, char text[32])
{
    snprintf(text, 32, "%s%s", net->prefix, index < 0 ? net->input : net->at[index].name);
    return text;
}
#define NAME(net, index) name_at((net), (index), (char[32]){0})

static void print_statement(const struct network *net, int index, struct text *to)
{
    const struct statement *s = &net->at[index];

    text_add(to, "    %s = %s( %s", NAME(net, index), s->in_fragment ? "wrap" : s->op,
             NAME(net, s->a));
    if (s->b > -2)
        text_add(to, ", %s", NAME(net, s->b));
    if (s->border)
        text_add(to, ", %sw%s, border = '%s', stride = [%d,%d]", net->prefix, s->name, s->border,
                 s->stride, s->stride);
    text_add(to, " );\n");
}

static void print_network(const struct network *net, struct text *to)
{
    const char *wrapped = NULL;
    int last = 0;

    for (int i = 0; i < net->count; i++)
        wrapped = net->at[i].in_fragment ? net->at[i].op : wrapped;
    text_add(to, "version 1.0;\n");
    if (wrapped)
        text_add(
            to,
            "extension KHR_enable_fragment_definitions;\nfragment wrap( p: tensor<scalar> ) -> "
            "( q: tensor<scalar> )\n{\n    q = %s( p );\n}\n",
            wrapped);
    text_add(to, "graph %s( %s ) -> ( ", net->graph, NAME(net, -1));
    for (int i = 0; i < net->noutput; i++)
        text_add(to, "%s%s", i ? ", " : "", NAME(net, net->output[i]));
    text_add(to, ", %sk )\n{\n    %s = external<scalar>( shape = [%d,4,8,8] );\n", net->prefix,
             NAME(net, -1), net->batch);
    for (int i = 0; i < net->count; i++)
        last = net->at[i].border ? i : last;
    for (int i = 0; i < net->count; i++)
        if (net->at[i].border)
            text_add(to, "    %sw%s = variable<scalar>( shape = [4,4,3,3], label = '%s%s' );\n",
                     net->prefix, net->at[i].name, net->prefix,
                     i == last && net->label ? net->label : net->at[i].name);
    text_add(to,
             "    %sc = constant<scalar>( shape = [3], value = [1.0, 2.0, %d.0] );\n"
             "    %sk = neg( %sc );\n",
             net->prefix, net->constant, net->prefix, net->prefix);
    for (int i = 0; i < net->count; i++)
        print_statement(net, i, to);
    text_add(to, "}\n");
}

/* --- what is reported ----------------------------------------------------------------------- */

struct expected {
    enum nnefc_change_kind kind;
    enum nnefc_changed what;
    char name[32]; /* of B if it is there, else of A */
    char from[32], to[32];
};

struct expectation {
    struct expected at[8];
    int count;
};

static struct expected *expect(struct expectation *e, enum nnefc_change_kind kind,
                               enum nnefc_changed what, const char *name)
{
    struct expected *x = &e->at[e->count++];

    *x = (struct expected){.kind = kind, .what = what};
    snprintf(x->name, sizeof x->name, "%s", name);
    return x;
}

static void expect_from(struct expected *x, const char *from, const char *to)
{
    snprintf(x->from, sizeof x->from, "%s", from);
    snprintf(x->to, sizeof x->to, "%s", to);
}

static struct nnefc_model *load(const struct network *net)
{
    struct nnefc_model *model = nnefc_model_new();
    struct text text = {0};

    assert_non_null(model);
    print_network(net, &text);
    if (nnefc_model_load_text(model, "net", text.data, text.size) != NNEFC_OK)
        fail_msg("%s\n%s", nnefc_model_diagnostics(model)->at[0]->text, text.data);
    text_free(&text);
    return model;
}

static struct nnefc_diff *diff_of(const struct network *a, const struct network *b, unsigned ignore)
{
    const struct nnefc_diff_options how = {.size = sizeof how, .ignore = ignore};
    struct nnefc_model *x = load(a), *y = load(b);
    struct nnefc_diff *diff = nnefc_diff_new(x, y, &how);

    assert_non_null(diff);
    nnefc_model_free(x);
    nnefc_model_free(y);
    return diff;
}

static const char *or_nothing(const char *text)
{
    return text ? text : "";
}

static void check_exactly(const struct network *a, const struct network *b,
                          const struct expectation *e)
{
    struct nnefc_diff *diff = diff_of(a, b, 0);
    const struct nnefc_change_list *changes = nnefc_diff_changes(diff);

    for (int i = 0; i < changes->count && i < e->count; i++) {
        const struct nnefc_change *c = changes->at[i];
        assert_int_equal(c->kind, e->at[i].kind);
        assert_int_equal(c->what, e->at[i].what);
        assert_string_equal(or_nothing(c->name[1] ? c->name[1] : c->name[0]), e->at[i].name);
        if (e->at[i].to[0]) {
            assert_string_equal(or_nothing(c->from), e->at[i].from);
            assert_string_equal(or_nothing(c->to), e->at[i].to);
        }
    }
    assert_int_equal(changes->count, e->count);
    nnefc_diff_free(diff);
}

/* --- mutations ------------------------------------------------------------------------------ */

/* Changes B, which is equal to A, and says what has to be reported. */
typedef void mutation(struct network *b, uint64_t *state, struct expectation *e);

/* The index of a random statement i with i % 3 == kind, behind the first three. */
static int pick(const struct network *net, uint64_t *state, int kind)
{
    int turns = (net->count - 1) / 3 - 1;

    return 3 * (1 + (int)(next_random(state) % (uint64_t)turns)) + kind;
}

/* A statement before `at`; operands of those behind are counted anew. */
static void open_place(struct network *net, int at)
{
    memmove(&net->at[at + 1], &net->at[at], (size_t)(net->count++ - at) * sizeof net->at[0]);
    for (int i = at + 1; i < net->count; i++) {
        net->at[i].a += net->at[i].a >= at;
        net->at[i].b += net->at[i].b >= at;
    }
    for (int i = 0; i < net->noutput; i++)
        net->output[i] += net->output[i] >= at;
}

static void insert(struct network *b, uint64_t *state, struct expectation *e)
{
    int at = pick(b, state, 1);
    const char *op = unary[next_random(state) % UNARY];

    open_place(b, at);
    b->at[at] = (struct statement){.name = "new", .op = op, .a = b->at[at + 1].a, .b = -2};
    b->at[at + 1].a = at;
    expect(e, NNEFC_CHANGE_INSERTED, NNEFC_CHANGED_OPERATION, "new");
}

static void take_out(struct network *b, uint64_t *state, struct expectation *e)
{
    int at = 3 * (2 + (int)(next_random(state) % (uint64_t)((b->count - 1) / 3 - 2)));
    int before = b->at[at].a;

    expect(e, NNEFC_CHANGE_REMOVED, NNEFC_CHANGED_OPERATION, b->at[at].name);
    for (int i = at + 1; i < b->count; i++) {
        b->at[i].a = b->at[i].a == at ? before : b->at[i].a - (b->at[i].a > at);
        b->at[i].b = b->at[i].b == at ? before : b->at[i].b - (b->at[i].b > at);
    }
    memmove(&b->at[at], &b->at[at + 1], (size_t)(--b->count - at) * sizeof b->at[0]);
    b->output[0]--;
}

static void replace(struct network *b, uint64_t *state, struct expectation *e)
{
    struct statement *s = &b->at[pick(b, state, 0)];
    struct expected *x = expect(e, NNEFC_CHANGE_REPLACED, NNEFC_CHANGED_OPERATION, s->name);

    expect_from(x, s->op, "softplus");
    s->op = "softplus";
}

/* What two statements in a row compute changes places. */
static void swap(struct network *b, uint64_t *state, struct expectation *e)
{
    int at = pick(b, state, 1);
    const char *op = b->at[at].op;

    (void)next_random(state);
    b->at[at].op = "sub";
    expect_from(expect(e, NNEFC_CHANGE_REPLACED, NNEFC_CHANGED_OPERATION, b->at[at].name), op,
                "sub");
    op = b->at[at - 1].op;
    b->at[at - 1].op = "rcp";
    expect_from(expect(e, NNEFC_CHANGE_REPLACED, NNEFC_CHANGED_OPERATION, b->at[at - 1].name), op,
                "rcp");
    struct expected first = e->at[1];
    e->at[1] = e->at[0];
    e->at[0] = first;
}

static void attribute(struct network *b, uint64_t *state, struct expectation *e)
{
    struct statement *s = &b->at[pick(b, state, 2) - 3 + 3 * (b->count > 8)];

    s = s->border ? s : &b->at[b->count - 1];
    s->border = "replicate";
    expect_from(expect(e, NNEFC_CHANGE_ATTRIBUTE, NNEFC_CHANGED_OPERATION, s->name), "'constant'",
                "'replicate'");
}

/* Nothing is behind the last convolution. */
static void shape(struct network *b, uint64_t *state, struct expectation *e)
{
    struct statement *s = &b->at[b->count - 1];

    (void)next_random(state);
    s->stride = 2;
    expect_from(expect(e, NNEFC_CHANGE_ATTRIBUTE, NNEFC_CHANGED_OPERATION, s->name), "[1, 1]",
                "[2, 2]");
    expect_from(expect(e, NNEFC_CHANGE_TYPE, NNEFC_CHANGED_OPERATION, s->name), "scalar[1,4,8,8]",
                "scalar[1,4,4,4]");
}

static void input_shape(struct network *b, uint64_t *state, struct expectation *e)
{
    (void)next_random(state);
    b->batch = 2;
    expect_from(expect(e, NNEFC_CHANGE_TYPE, NNEFC_CHANGED_INPUT, "x"), "scalar[1,4,8,8]",
                "scalar[2,4,8,8]");
}

static void rewire(struct network *b, uint64_t *state, struct expectation *e)
{
    struct statement *s = &b->at[pick(b, state, 1)];
    int other = s->b == 2 ? 0 : 2;

    expect_from(expect(e, NNEFC_CHANGE_OPERAND, NNEFC_CHANGED_OPERATION, s->name), NAME(b, s->b),
                NAME(b, other));
    s->b = other;
}

static void constant(struct network *b, uint64_t *state, struct expectation *e)
{
    (void)next_random(state);
    b->constant = 5;
    expect(e, NNEFC_CHANGE_WEIGHTS, NNEFC_CHANGED_CONSTANT, "c");
}

static void label(struct network *b, uint64_t *state, struct expectation *e)
{
    char name[20];

    (void)next_random(state);
    b->label = "other";
    snprintf(name, sizeof name, "w%s", b->at[b->count - 1].name);
    expect_from(expect(e, NNEFC_CHANGE_LABEL, NNEFC_CHANGED_VARIABLE, name),
                b->at[b->count - 1].name, "other");
}

static void rename_one(struct network *b, uint64_t *state, struct expectation *e)
{
    struct statement *s = &b->at[pick(b, state, 0)];
    char before[16];

    snprintf(before, sizeof before, "%s", s->name);
    snprintf(s->name, sizeof s->name, "renamed");
    expect_from(expect(e, NNEFC_CHANGE_RENAMED, NNEFC_CHANGED_OPERATION, "renamed"), before,
                "renamed");
}

static void order(struct network *b, uint64_t *state, struct expectation *e)
{
    struct statement first = b->at[0];

    (void)next_random(state);
    b->at[0] = b->at[1];
    b->at[1] = first;
    for (int i = 2; i < b->count; i++) {
        b->at[i].a = b->at[i].a == 0 || b->at[i].a == 1 ? 1 - b->at[i].a : b->at[i].a;
        b->at[i].b = b->at[i].b == 0 || b->at[i].b == 1 ? 1 - b->at[i].b : b->at[i].b;
    }
    expect_from(expect(e, NNEFC_CHANGE_ORDER, NNEFC_CHANGED_OPERATION, "t1"), "t0", "k");
}

static void extra_output(struct network *b, uint64_t *state, struct expectation *e)
{
    int at = pick(b, state, 1);

    b->output[b->noutput++] = at;
    expect(e, NNEFC_CHANGE_INSERTED, NNEFC_CHANGED_OUTPUT, b->at[at].name);
}

static void fewer_outputs(struct network *b, uint64_t *state, struct expectation *e)
{
    (void)next_random(state);
    expect(e, NNEFC_CHANGE_REMOVED, NNEFC_CHANGED_OUTPUT, b->at[b->output[1]].name);
    b->noutput--;
}

/* The one that stands in front now has moved there. */
static void output_order(struct network *b, uint64_t *state, struct expectation *e)
{
    int first = b->output[0];

    (void)next_random(state);
    b->output[0] = b->output[1];
    b->output[1] = first;
    expect(e, NNEFC_CHANGE_ORDER, NNEFC_CHANGED_OUTPUT, b->at[b->output[0]].name);
}

static void fragment(struct network *b, uint64_t *state, struct expectation *e)
{
    struct statement *s = &b->at[pick(b, state, 0)];

    s->in_fragment = true;
    expect_from(expect(e, NNEFC_CHANGE_FRAGMENT, NNEFC_CHANGED_OPERATION, s->name), "", "wrap");
}

static void graph_name(struct network *b, uint64_t *state, struct expectation *e)
{
    (void)next_random(state);
    b->graph = "other";
    expect_from(expect(e, NNEFC_CHANGE_RENAMED, NNEFC_CHANGED_GRAPH, "other"), "net", "other");
}

static mutation *const mutations[] = {
    insert,       take_out,      replace,      swap,     attribute,  shape,
    input_shape,  rewire,        constant,     label,    rename_one, order,
    extra_output, fewer_outputs, output_order, fragment, graph_name,
};

static void each_mutation_is_told_as_exactly_that(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < NETWORKS; seed++) {
        for (size_t m = 0; m < sizeof mutations / sizeof mutations[0]; m++) {
            struct network a = make_network(seed), b = make_network(seed);
            struct expectation e = {.count = 0};
            uint64_t random = seed * 100 + m;
            mutations[m](&b, &random, &e);
            check_exactly(&a, &b, &e);
        }
    }
}

/* Pairs are found without names, too. */
static void each_mutation_is_told_if_all_names_differ(void **state)
{
    const unsigned ignore = NNEFC_IGNORE_NAMES | NNEFC_IGNORE_LABELS;

    (void)state;
    for (uint64_t seed = 0; seed < NETWORKS; seed++) {
        for (size_t m = 0; m < sizeof mutations / sizeof mutations[0]; m++) {
            struct network a = make_network(seed), b = make_network(seed);
            struct expectation e = {.count = 0};
            uint64_t random = seed * 100 + m;
            if (mutations[m] == rename_one || mutations[m] == label || mutations[m] == graph_name)
                continue;
            mutations[m](&b, &random, &e);
            b.prefix = "q";
            struct nnefc_diff *diff = diff_of(&a, &b, ignore);
            const struct nnefc_change_list *changes = nnefc_diff_changes(diff);
            assert_int_equal(changes->count, e.count);
            for (int i = 0; i < e.count; i++)
                assert_int_equal(changes->at[i]->kind, e.at[i].kind);
            nnefc_diff_free(diff);
        }
    }
}

/* --- what is no difference ------------------------------------------------------------------- */

static void a_model_does_not_differ_from_itself(void **state)
{
    const struct expectation nothing = {.count = 0};

    (void)state;
    for (uint64_t seed = 0; seed < NETWORKS; seed++) {
        struct network net = make_network(seed);
        check_exactly(&net, &net, &nothing);
    }
}

/* Names of tensors and the labels of variables. */
static void other_names_are_renames_only(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < NETWORKS; seed++) {
        struct network a = make_network(seed), b = make_network(seed);
        b.prefix = "q";
        struct nnefc_diff *diff = diff_of(&a, &b, 0);
        const struct nnefc_change_list *changes = nnefc_diff_changes(diff);
        int weights = 0, renamed = 0;
        for (int i = 0; i < a.count; i++)
            weights += a.at[i].border != NULL;
        for (int i = 0; i < changes->count; i++) {
            const struct nnefc_change *c = changes->at[i];
            assert_true(c->kind == NNEFC_CHANGE_RENAMED || c->kind == NNEFC_CHANGE_LABEL);
            assert_true(c->to[0] == 'q');
            assert_string_equal(c->to + 1, c->from);
            renamed += c->kind == NNEFC_CHANGE_RENAMED;
        }
        assert_int_equal(renamed, a.count + weights + 3); /* x, c, k */
        assert_int_equal(changes->count, renamed + weights);
        nnefc_diff_free(diff);
        diff = diff_of(&a, &b, NNEFC_IGNORE_NAMES | NNEFC_IGNORE_LABELS);
        assert_int_equal(nnefc_diff_changes(diff)->count, 0);
        nnefc_diff_free(diff);
    }
}

/* --- digests --------------------------------------------------------------------------------- */

static void equal_operations_have_equal_digests(void **state)
{
    static const char text[] = "version 1.0; graph g( x ) -> ( y, z, u ) {"
                               "x = external<scalar>( shape = [2] );"
                               "y = relu( x ); z = relu( x ); u = relu( y ); }";
    struct nnefc_model *model = nnefc_model_new();

    (void)state;
    assert_non_null(model);
    assert_int_equal(nnefc_model_digests(model)->count, 0);
    assert_int_equal(nnefc_model_load_text(model, "g", text, sizeof text - 1), NNEFC_OK);
    const struct nnefc_digest_list *digests = nnefc_model_digests(model);
    assert_int_equal(digests->count, 3);
    assert_true(digests->at[0]->whole == digests->at[1]->whole);
    assert_true(digests->at[0]->whole != digests->at[2]->whole);
    assert_true(digests->at[0]->alone == digests->at[2]->alone);
    nnefc_model_free(model);
}

/* y and z are alike but for the entry of one of them; x has one, too. */
static void digests_tell_what_the_quantization_file_says(void **state)
{
    static const char text[] =
        "version 1.0; graph g( x ) -> ( y, z ) {"
        "x = external<scalar>( shape = [2] ); y = relu( x ); z = relu( x ); }";
    static const char both[] = "'x': linear_quantize(bits = 8, max = 2.0, min = 0.0);"
                               "'y': linear_quantize(min = 0.0, max = 1.0, bits = 8);";
    static const char *const entries[] = {"'x': linear_quantize(min = 0.0, max = 1.0, bits = 8);",
                                          "'x': linear_quantize(min = 0.0, max = 2.0, bits = 8);",
                                          both};
    enum { COUNT = sizeof entries / sizeof entries[0] };
    struct nnefc_model *models[COUNT];
    const struct nnefc_digest_list *digests[COUNT];

    (void)state;
    for (int i = 0; i < COUNT; i++) {
        models[i] = nnefc_model_new();
        assert_int_equal(nnefc_model_set_quant_file(models[i], "g.quant"), NNEFC_OK);
        assert_int_equal(nnefc_model_set_text(models[i], "g.quant", entries[i], strlen(entries[i])),
                         NNEFC_OK);
        assert_int_equal(nnefc_model_load_text(models[i], "g", text, sizeof text - 1), NNEFC_OK);
        digests[i] = nnefc_model_digests(models[i]);
    }
    assert_true(digests[0]->at[0]->alone == digests[1]->at[0]->alone);
    assert_true(digests[0]->at[0]->whole != digests[1]->at[0]->whole);
    assert_true(digests[0]->at[0]->whole == digests[0]->at[1]->whole);
    assert_true(digests[1]->at[1]->whole == digests[2]->at[1]->whole);
    assert_true(digests[2]->at[0]->alone != digests[2]->at[1]->alone);
    for (int i = 0; i < COUNT; i++)
        nnefc_model_free(models[i]);
}

static void models_that_are_not_loaded_are_not_compared(void **state)
{
    struct nnefc_model *model = nnefc_model_new();
    struct network net = make_network(1);
    struct nnefc_model *loaded = load(&net);

    (void)state;
    assert_non_null(model);
    assert_null(nnefc_diff_new(loaded, model, NULL));
    assert_int_equal(nnefc_model_status(model), NNEFC_USAGE);
    assert_null(nnefc_diff_new(NULL, NULL, NULL));
    assert_int_equal(nnefc_diff_changes(NULL)->count, 0);
    nnefc_model_free(model);
    nnefc_model_free(loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mutation_is_told_as_exactly_that),
        cmocka_unit_test(each_mutation_is_told_if_all_names_differ),
        cmocka_unit_test(a_model_does_not_differ_from_itself),
        cmocka_unit_test(other_names_are_renames_only),
        cmocka_unit_test(equal_operations_have_equal_digests),
        cmocka_unit_test(digests_tell_what_the_quantization_file_says),
        cmocka_unit_test(models_that_are_not_loaded_are_not_compared),
    };
    return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
