/* test_fixes.c - the changes that reports offer, applied: the text is right then, and means that */
#include "sema_fixture.h"

struct change {
    const struct diag_fix *fix;
    size_t begin, end; /* bytes of the text */
};

static int by_place(const void *a, const void *b)
{
    const struct change *one = a, *other = b;

    return (one->begin > other->begin) - (one->begin < other->begin);
}

static int collect(const struct fixture *f, struct change *change, int room)
{
    int count = 0;

    for (int i = 0; i < diag_count(f->diag); i++)
        for (int k = 0; diag_fix_at(f->diag, i, k); k++) {
            const struct diag_fix *fix = diag_fix_at(f->diag, i, k);
            struct location begin, end;
            assert_true(count < room);
            assert_true(sources_locate(f->context->sources, fix->at.begin, &begin));
            assert_true(sources_locate(f->context->sources, fix->at.end, &end));
            change[count++] = (struct change){fix, begin.offset, end.offset};
        }
    return count;
}

/* The text with all changes made. */
static struct text mended(const struct fixture *f)
{
    struct change change[32];
    struct text text = {0};
    size_t at = 0;
    int count = collect(f, change, 32);

    qsort(change, (size_t)count, sizeof change[0], by_place);
    for (int i = 0; i < count; i++) {
        assert_true(change[i].begin >= at);
        text_add_bytes(&text, f->text.data + at, change[i].begin - at);
        text_add(&text, "%s", change[i].fix->replacement);
        at = change[i].end;
    }
    text_add(&text, "%s", f->text.data + at);
    return text;
}

static void assert_mended(const char *wrong, const char *right)
{
    struct fixture *f = fixture_new(), *again = fixture_new();

    check(f, wrong);
    assert_true(diag_count(f->diag) > 0);
    struct text text = mended(f);
    assert_string_equal(text.data, right);
    assert_non_null(check(again, text.data));
    assert_int_equal(diag_count(again->diag), 0);
    text_free(&text);
    fixture_free(f);
    fixture_free(again);
}

#define BODY(text) \
    EXTENDED "graph net(x) -> (y)\n{\n    x = external<scalar>(shape = [2,3]);\n" text "\n}\n"

static const char *const statements[][2] = {
    {BODY("y = relu(x)"), BODY("y = relu(x);")},
    {BODY("y = relu(x);;"), BODY("y = relu(x);")},
    {BODY("y = softmax(x, axes = [0, 1,]);"), BODY("y = softmax(x, axes = [0, 1]);")},
    {BODY("y = softmax(x, axes = [1.0]);"), BODY("y = softmax(x, axes = [1]);")},
    {BODY("y = softmax(x, [1]);"), BODY("y = softmax(x, axes = [1]);")},
    {BODY("y = softmax(x, axis = [1]);"), BODY("y = softmax(x, axes = [1]);")},
    {BODY("y = SoftMax(x);"), BODY("y = softmax(x);")},
    {BODY("y = rleu(x);"), BODY("y = relu(x);")},
    {BODY("y = idn(x);"), BODY("y = copy(x);")},
    {BODY("y = clamp(x, 0, -1);"), BODY("y = clamp(x, 0.0, -1.0);")},
    {BODY("y = x * 2;"), BODY("y = x * 2.0;")},
    {BODY("y = leaky_relu(x, alpha = 1);"), BODY("y = leaky_relu(x, alpha = 1.0);")},
    {BODY("y = box(x, size = (1, 1), normalize = True);"),
     BODY("y = box(x, size = [1, 1], normalize = true);")},
    {BODY("y = box(x, size = [1, 1], normalize = 0);"),
     BODY("y = box(x, size = [1, 1], normalize = false);")},
    {BODY("y = pad(x, padding = [[0, 0], [1, 1]]);"),
     BODY("y = pad(x, padding = [(0, 0), (1, 1)]);")},
    {BODY("y = mul(x = x, y = x);"), BODY("y = mul(x, x);")},
    {BODY("y = x * 1.;"), BODY("y = x * 1.0;")},
    {BODY("y = x * .5;"), BODY("y = x * 0.5;")},
    {BODY("y = relu(x); // twice"), BODY("y = relu(x); # twice")},
    {"version 1.0; # by hand\ngraph g(x) -> (y) { x = external(shape = [1]); y = -x; }\n",
     "version 1.0; # by hand\nextension KHR_enable_operator_expressions;\n"
     "graph g(x) -> (y) { x = external(shape = [1]); y = -x; }\n"},
    {"version 1.0;\r\ngraph g(x) -> (y) { x = external(shape = [1]); y = -x; }\r\n",
     "version 1.0;\r\nextension KHR_enable_operator_expressions;\r\n"
     "graph g(x) -> (y) { x = external(shape = [1]); y = -x; }\r\n"},
    {"version 1.0; graph g(x) -> (y) { x = external(shape = [1]); y = -x; }\n",
     "version 1.0; extension KHR_enable_operator_expressions; "
     "graph g(x) -> (y) { x = external(shape = [1]); y = -x; }\n"},
    {"version 1.0;\nfragment f(x: tensor<scalar>) -> (y: tensor<scalar>) { y = relu(x); }\n"
     "graph g(x) -> (y) { x = external(shape = [1]); y = f(x); }\n",
     "version 1.0;\nextension KHR_enable_fragment_definitions;\n"
     "fragment f(x: tensor<scalar>) -> (y: tensor<scalar>) { y = relu(x); }\n"
     "graph g(x) -> (y) { x = external(shape = [1]); y = f(x); }\n"},
    {"version 1.0;\nextension KHR_enable_operator_expression;\n"
     "graph g(x) -> (y) { x = external(shape = [1]); y = relu(x); }\n",
     "version 1.0;\nextension KHR_enable_operator_expressions;\n"
     "graph g(x) -> (y) { x = external(shape = [1]); y = relu(x); }\n"},
};

static void changes_make_the_text_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        assert_mended(statements[i][0], statements[i][1]);
}

/* What could be meant otherwise. */
static const char *const doubtful[] = {
    "y = relu(z);",
    "w = relu(x); y = relu(ww);",
    "y = softmax(x, axes = [1.5]);",
    "y = box(x, size = [1, 2.0]);",
    "y = recip(x);",
    "y = mul(y = x, x = x);",
    "y = softmax(x, axes = 1);",
    "y = sub(x, 9007199254740993);",
    "y = leaky_relu(x, 1.0, alpha = 0.1);",
    "y = softmax(x, axis = [1], axes = [1]);",
};

static void doubtful_text_is_left_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof doubtful / sizeof doubtful[0]; i++) {
        struct fixture *f = fixture_new();
        check_statements(f, doubtful[i]);
        assert_true(diag_count(f->diag) > 0);
        assert_null(diag_fix_at(f->diag, 0, 0));
        fixture_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_make_the_text_right),
        cmocka_unit_test(doubtful_text_is_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
