/* test_groups.c - groups of fragments, of names and of sections, and where their boxes lie */
#include "driver/view/net.h"
#include "driver/view/place.h"

#include <stdlib.h>
#include <string.h>

#include "support/t.h"

static const char head[] = "version 1.0;\nextension KHR_enable_fragment_definitions;\n";

static struct nnefc_model *load(const char *text)
{
    struct nnefc_model *model = nnefc_model_new();

    assert_int_equal(nnefc_model_load_text(model, "g.nnef", text, strlen(text)), NNEFC_OK);
    return model;
}

/* The group of that name, the first one of them. */
static const struct net_group *group_of(const struct net *net, const char *name)
{
    for (int i = 0; i < net->groups; i++)
        if (strcmp(net->group[i].name, name) == 0)
            return &net->group[i];
    fail_msg("there is no group '%s'", name);
    return NULL;
}

/* Operations and groups know where they are, groups hold what follows each other, and edges lead
 * forwards. */
static void check(const struct net *net)
{
    for (int i = 0; i < net->operations->count; i++) {
        const struct net_group *group = &net->group[net->group_of[i]];
        assert_int_equal(group->box[net->place_of[i]].kind, BOX_OPERATION);
        assert_int_equal(group->box[net->place_of[i]].index, i);
        assert_in_range(i, group->begin, group->end - 1);
    }
    for (int g = 0; g < net->groups; g++) {
        const struct net_group *group = &net->group[g];
        assert_in_range(group->boxes, g > 0, 200);
        if (g > 0) {
            assert_int_equal(net->group[group->parent].box[group->place].kind, BOX_GROUP);
            assert_int_equal(net->group[group->parent].box[group->place].index, g);
        }
        for (int i = 0; i < group->edges; i++) {
            const struct layout_edge *edge = &net->edge[group->first_edge + i];
            assert_in_range(edge->to, edge->from + 1, group->boxes - 1);
        }
    }
}

/* The boxes and tracks of a row are apart, and within their group. */
static void check_row(const struct net_layout *layout, const struct placed_group *placed, int row)
{
    double free_from = -1, bottom = placed->top[row] + placed->tall[row];

    assert_true(row + 1 == layout->rows || bottom < placed->top[row + 1]);
    assert_true(bottom <= placed->height + 0.01);
    for (int i = layout->first[row]; i < layout->first[row + 1]; i++) {
        int slot = layout->slot[i];
        double half = placed->wide[slot] / 2;
        assert_true(placed->centre[slot] - half > free_from);
        assert_true(placed->high[slot] <= placed->tall[row]);
        free_from = placed->centre[slot] + half;
    }
    assert_true(free_from <= placed->width + 0.01);
}

/* No two boxes of a group overlap, and no track passes a box. */
static void check_places(const struct net *net)
{
    struct placed_group *placed = placed_new(net, 1000);

    for (int g = 0; g < net->groups; g++)
        for (int row = 0; placed[g].open && row < net->group[g].layout.rows; row++)
            check_row(&net->group[g].layout, &placed[g], row);
    placed_free(net, placed);
}

/* --- fragments -------------------------------------------------------------------------------- */

static const char fragments[] =
    "version 1.0;\n"
    "extension KHR_enable_fragment_definitions;\n"
    "fragment inner(x: tensor<scalar>) -> (y: tensor<scalar>)\n"
    "{\n    y = relu(neg(x));\n}\n"
    "fragment outer(x: tensor<scalar>) -> (y: tensor<scalar>)\n"
    "{\n    a = inner(x);\n    b = sqr(a);\n    y = add(b, x);\n}\n"
    "fragment single(x: tensor<scalar>) -> (y: tensor<scalar>)\n"
    "{\n    y = exp(x);\n}\n"
    "graph g(x) -> (z)\n"
    "{\n"
    "    x = external<scalar>(shape = [2,3]);\n"
    "    a = outer(x);\n    b = outer(a);\n    c = inner(b);\n    z = single(c);\n"
    "}\n";

static void expansions_are_groups(void **state)
{
    struct nnefc_model *model = load(fragments);
    struct net net = net_new(model, true);
    const struct net_group *outer = group_of(&net, "outer"), *root = &net.group[0];

    (void)state;
    check(&net);
    check_places(&net);
    assert_int_equal(net.groups, 1 + 2 + 3); /* of 'outer' two, of 'inner' three */
    assert_int_equal(outer->kind, GROUP_FRAGMENT);
    assert_int_equal(outer->parent, 0);
    assert_int_equal(outer->end - outer->begin, 4); /* neg, relu, mul, add */
    assert_int_equal(outer->boxes, 3);
    /* The input, twice 'outer', 'inner', the operation of 'single', the output. */
    assert_int_equal(root->boxes, 6);
    assert_int_equal(root->box[4].kind, BOX_OPERATION);
    net_free(&net);
    nnefc_model_free(model);
}

static void groups_that_are_alike_are_counted(void **state)
{
    struct nnefc_model *model = load(fragments);
    struct net net = net_new(model, true);

    (void)state;
    assert_int_equal(group_of(&net, "outer")->times, 2);
    assert_int_equal(group_of(&net, "inner")->times, 3);
    assert_int_not_equal(group_of(&net, "outer")->same, group_of(&net, "inner")->same);
    assert_int_equal(net.group[0].times, 1);
    assert_int_equal(net.group[0].same, -1);
    net_free(&net);
    nnefc_model_free(model);
}

static void other_attributes_are_not_alike(void **state)
{
    struct nnefc_model *model =
        load("version 1.0;\nextension KHR_enable_fragment_definitions;\n"
             "fragment f(x: tensor<scalar>, a: scalar) -> (y: tensor<scalar>)\n"
             "{\n    y = neg(leaky_relu(x, alpha = a));\n}\n"
             "graph g(x) -> (z)\n{\n    x = external<scalar>(shape = [2]);\n"
             "    y = f(x, a = 0.5);\n    z = f(y, a = 0.25);\n}\n");
    struct net net = net_new(model, true);

    (void)state;
    assert_int_equal(net.groups, 3);
    assert_int_equal(net.group[1].times, 1);
    assert_int_equal(net.group[2].times, 1);
    net_free(&net);
    nnefc_model_free(model);
}

/* --- names ------------------------------------------------------------------------------------ */

static void labels_that_are_paths_are_groups(void **state)
{
    struct nnefc_model *model =
        load("version 1.0;\ngraph g(x) -> (z)\n{\n"
             "    x = external<scalar>(shape = [2,3]);\n"
             "    a = variable<scalar>(shape = [3,3], label = 'layers/0/a');\n"
             "    b = variable<scalar>(shape = [3,3], label = 'layers/0/b');\n"
             "    c = variable<scalar>(shape = [3,3], label = 'layers/1/c');\n"
             "    d = variable<scalar>(shape = [3,3], label = 'layers/1/d');\n"
             "    p = matmul(x, a);\n    q = relu(p);\n    r = matmul(q, b);\n    s = relu(r);\n"
             "    t = matmul(s, c);\n    u = matmul(t, d);\n    z = relu(u);\n}\n");
    struct net net = net_new(model, true);
    const struct net_group *layers = group_of(&net, "layers"), *first = group_of(&net, "0");

    (void)state;
    check(&net);
    assert_int_equal(first->kind, GROUP_NAME);
    assert_int_equal(first->begin, 0);
    assert_int_equal(first->end, 3);
    assert_int_equal(layers->begin, 0);
    assert_int_equal(layers->end, 6);
    assert_int_equal(net.group_of[3], (int)(layers - net.group)); /* between both: in neither */
    assert_int_equal(net.group_of[6], 0);
    net_free(&net);
    nnefc_model_free(model);
}

/* --- values ----------------------------------------------------------------------------------- */

static void variables_with_several_readers_have_a_box(void **state)
{
    struct nnefc_model *model =
        load("version 1.0;\ngraph g(x) -> (z)\n{\n"
             "    x = external<scalar>(shape = [2,3]);\n"
             "    a = variable<scalar>(shape = [3,3], label = 'a');\n"
             "    b = variable<scalar>(shape = [3,3], label = 'b');\n"
             "    p = matmul(x, a);\n    q = matmul(p, a);\n    z = matmul(q, b);\n}\n");
    struct net net = net_new(model, true);
    int boxes[4] = {0};

    (void)state;
    check(&net);
    for (int i = 0; i < net.group[0].boxes; i++)
        boxes[net.group[0].box[i].kind]++;
    assert_int_equal(boxes[BOX_VALUE], 2); /* x and a */
    assert_int_equal(boxes[BOX_OPERATION], 3);
    assert_int_equal(boxes[BOX_OUTPUT], 1);
    net_free(&net);
    nnefc_model_free(model);
}

/* --- sections --------------------------------------------------------------------------------- */

/* 20,000 operations one after the other: a group of sections of sections. */
static void long_graphs_are_cut(void **state)
{
    enum { COUNT = 20000 };
    size_t size = 200 + COUNT * 32;
    char *text = malloc(size);
    int at = 0;

    (void)state;
    assert_non_null(text);
    at += snprintf(text, size, "%sgraph g(v0) -> (v%d)\n{\nv0 = external<scalar>(shape = [2]);\n",
                   head, COUNT);
    for (int i = 1; i <= COUNT; i++)
        at += snprintf(text + at, size - (size_t)at, "v%d = neg(v%d);\n", i, i - 1);
    snprintf(text + at, size - (size_t)at, "}\n");
    struct nnefc_model *model = load(text);
    struct net net = net_new(model, true);
    check(&net);
    assert_int_equal(group_of(&net, "1 to 59")->kind, GROUP_SECTION); /* and a box of the input */
    for (int i = 1; i < net.groups; i++) {
        assert_int_equal(net.group[i].kind, GROUP_SECTION);
        assert_in_range(net.group[i].boxes, 1, 60);
    }
    net_free(&net);
    nnefc_model_free(model);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expansions_are_groups),
        cmocka_unit_test(groups_that_are_alike_are_counted),
        cmocka_unit_test(other_attributes_are_not_alike),
        cmocka_unit_test(labels_that_are_paths_are_groups),
        cmocka_unit_test(variables_with_several_readers_have_a_box),
        cmocka_unit_test(long_graphs_are_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
