/* test_match.c - patterns are matched by position, and only where nothing else needs what is inside
 */
#include "diag/context.h"
#include "diag/diag.h"
#include "lower/lower.h"
#include "parser/parser.h"
#include "pass/match.h"
#include "pass/pass_priv.h"

#include "support/t.h"

#include <string.h>

static const char document[] =
    "version 1.0;\n"
    "graph net( x, y ) -> ( a, b, c, d, e, f, g, h )\n"
    "{\n"
    "    x = external<scalar>( shape = [1,2] );\n"
    "    y = external<scalar>( shape = [1,2] );\n"
    "    k = constant<scalar>( shape = [1,2], value = [2.0, 2.000001] );\n"
    "    n = neg( x );\n"
    "    a = sub( n, y );\n" /* neg(x) - y */
    "    m = neg( x );\n"
    "    b = sub( y, m );\n" /* y - neg(x) */
    "    o = neg( x );\n"
    "    c = add( y, o );\n" /* y + neg(x) */
    "    p = neg( x );\n"
    "    d = mul( p, x );\n" /* neg(x) * x */
    "    q = neg( x );\n"
    "    e = mul( q, y );\n" /* neg(x) * y */
    "    f = neg( x );\n"
    "    g = sub( f, y );\n" /* neg(x) is an output */
    "    r = neg( x );\n"
    "    s = add( r, y );\n"
    "    t = add( r, x );\n"
    "    u = mul( s, t );\n"
    "    h = mul( u, k );\n"
    "}\n";

struct fixture {
    struct context *context;
    struct pass_options options;
    struct passes passes;
    struct pass pass;
};

static int setup(void **state)
{
    static struct fixture f;

    f = (struct fixture){.context = context_new()};
    uint32_t base = sources_add(f.context->sources, "net.nnef", document, sizeof document - 1);
    struct document *parsed =
        parse_text(f.context, base, document, sizeof document - 1, &(struct parse_options){0});
    const struct checked *checked = sema_check(f.context, parsed, &(struct sema_options){0});
    struct graph *graph = checked ? lower(checked, &(struct lower_options){0}) : NULL;
    if (!graph) {
        diag_print(f.context->diag, stderr, DIAG_STYLE_SHORT, false);
        return -1;
    }
    f.passes = (struct passes){.graph = graph, .options = &f.options};
    f.pass = (struct pass){.graph = graph, .options = &f.options, .all = &f.passes};
    passes_begin(&f.passes);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    passes_end(&f->passes);
    context_free(f->context);
    return 0;
}

static struct value *named(const struct fixture *f, const char *name)
{
    for (struct node *n = f->pass.graph->first; n; n = n->next)
        if (n->out[0].name && strcmp(n->out[0].name, name) == 0)
            return &n->out[0];
    fail_msg("there is no '%s'", name);
    return NULL;
}

static bool matches(const struct fixture *f, const struct pattern *pattern, const char *name)
{
    struct match match;

    return pattern_match(&f->pass, pattern, named(f, name), &match);
}

/* --- positions ---------------------------------------------------------------------------- */

static const struct pattern x = {.slot = 1}, other = {.slot = 2},
                            negative = {.op = OP_neg, .in = {&x}};

static void a_difference_is_not_matched_the_other_way_round(void **state)
{
    static const struct pattern first = {.op = OP_sub, .in = {&negative, &other}};
    static const struct pattern second = {.op = OP_sub, .in = {&other, &negative}};

    assert_true(matches(*state, &first, "a"));
    assert_false(matches(*state, &second, "a"));
    assert_true(matches(*state, &second, "b"));
    assert_false(matches(*state, &first, "b"));
}

static void what_may_stand_either_way_is_matched_both_ways(void **state)
{
    static const struct pattern one_way = {.op = OP_add, .in = {&negative, &other}};
    static const struct pattern either = {
        .op = OP_add, .in = {&negative, &other}, .either_way = true};
    struct fixture *f = *state;
    struct match match;

    assert_false(matches(f, &one_way, "c"));
    assert_true(pattern_match(&f->pass, &either, named(f, "c"), &match));
    assert_string_equal(match.slot[1]->name, "x");
    assert_string_equal(match.slot[2]->name, "y");
    assert_int_equal(match.count, 2);
    assert_ptr_equal(match.node[0], named(f, "c")->producer);
}

/* --- slots -------------------------------------------------------------------------------- */

static void a_slot_that_is_met_twice_holds_one_value(void **state)
{
    static const struct pattern product = {.op = OP_mul, .in = {&x, &negative}, .either_way = true};

    assert_true(matches(*state, &product, "d"));
    assert_false(matches(*state, &product, "e"));
}

static void the_first_of_the_alternatives_that_fits_is_taken(void **state)
{
    static const struct pattern sum = {.op = OP_add, .in = {&other, &negative}};
    static const struct pattern product = {
        .op = OP_mul, .in = {&negative, &other}, .otherwise = &sum};
    struct fixture *f = *state;
    struct match match;

    assert_true(matches(f, &product, "e"));
    assert_true(pattern_match(&f->pass, &product, named(f, "c"), &match));
    assert_string_equal(match.slot[2]->name, "y");
    assert_int_equal(match.count, 2);
    assert_false(matches(f, &product, "a"));
}

static void a_number_is_near_or_exact(void **state)
{
    static const struct pattern any = {.slot = 3}, fixed = {.slot = 3, .fixed = true};
    static const struct pattern near = {.number = true, .is = 2, .within = 1e-6};
    static const struct pattern exact = {.number = true, .is = 2};
    static const struct pattern far = {.number = true, .is = 2, .within = 1e-7};
    const struct pattern by_near = {.op = OP_mul, .in = {&any, &near}};
    const struct pattern by_exact = {.op = OP_mul, .in = {&any, &exact}};
    const struct pattern by_far = {.op = OP_mul, .in = {&any, &far}};
    const struct pattern of_fixed = {.op = OP_mul, .in = {&fixed, NULL}};

    assert_true(matches(*state, &by_near, "h"));
    assert_false(matches(*state, &by_exact, "h"));
    assert_false(matches(*state, &by_far, "h"));
    assert_false(matches(*state, &of_fixed, "h"));
}

/* --- what is inside ----------------------------------------------------------------------- */

static void what_is_inside_may_not_be_an_output(void **state)
{
    static const struct pattern difference = {.op = OP_sub, .in = {&negative, &other}};

    assert_true(matches(*state, &difference, "a"));
    assert_false(matches(*state, &difference, "g"));
}

static void what_is_inside_may_not_be_needed_outside(void **state)
{
    static const struct pattern sum = {.op = OP_add, .in = {&negative, &other}};
    static const struct pattern second = {.op = OP_add, .in = {&negative, &x}};
    static const struct pattern product = {.op = OP_mul, .in = {&sum, &second}};

    assert_false(matches(*state, &sum, "s"));
    assert_true(matches(*state, &product, "u"));
}

int main(void)
{
#define IN_NET(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        IN_NET(a_difference_is_not_matched_the_other_way_round),
        IN_NET(what_may_stand_either_way_is_matched_both_ways),
        IN_NET(a_slot_that_is_met_twice_holds_one_value),
        IN_NET(the_first_of_the_alternatives_that_fits_is_taken),
        IN_NET(a_number_is_near_or_exact),
        IN_NET(what_is_inside_may_not_be_an_output),
        IN_NET(what_is_inside_may_not_be_needed_outside),
    };

    return cmocka_run_group_tests_name("match", tests, NULL, NULL);
}
