/* test_operators.c - the list of operators of ONNX, and what is told of those that it refuses */
#include "convert/onnx/operators.h"
#include "diag/context.h"
#include "import_fixture.h"

struct listed {
    const char *domain, *type;
};

#define NAME_ONNX                     "ai.onnx"
#define NAME_MICROSOFT                "com.microsoft"
#define REFUSED(type, why)            {NAME_ONNX, #type},
#define REFUSED_OF(domain, type, why) {NAME_##domain, #type},
#define MISSING_OF(domain, type)      {NAME_##domain, #type},
#define DOMAIN(name, why)
#define LIMIT(domain, type, text)
static const struct listed refused[] = {
#include "convert/onnx/refused_list.def"
};

#define REFUSED(type, why)
#define REFUSED_OF(domain, type, why)
#define MISSING_OF(domain, type)
#define DOMAIN(name, why)
#define LIMIT(domain, type, text) {NAME_##domain, #type},
static const struct listed limited[] = {
#include "convert/onnx/refused_list.def"
};

/* Is it one of the operators, and imported? */
static bool is_imported(const struct listed *row, const struct onnx_operator *o, int count)
{
    for (int i = 0; i < count; i++)
        if (o[i].type && o[i].how < ONNX_MISSING && strcmp(o[i].domain, row->domain) == 0 &&
            strcmp(o[i].type, row->type) == 0)
            return true;
    return false;
}

/* How many rows are not as wanted; they are shown. */
static int count_imported(const struct listed *rows, size_t size, bool wanted)
{
    struct context *context = context_new();
    int count, others = 0;
    const struct onnx_operator *o = onnx_operators(context, &count);

    for (size_t i = 0; i < size; i++)
        if (is_imported(&rows[i], o, count) != wanted) {
            fprintf(stderr, "%s %s\n", rows[i].domain, rows[i].type);
            others++;
        }
    context_free(context);
    return others;
}

/* Whoever imports an operator takes its row out of refused_list.def. */
static void no_operator_is_both_imported_and_refused(void **state)
{
    (void)state;
    assert_int_equal(count_imported(refused, sizeof refused / sizeof *refused, false), 0);
}

static void limits_are_those_of_imported_operators(void **state)
{
    (void)state;
    assert_int_equal(count_imported(limited, sizeof limited / sizeof *limited, true), 0);
}

static void a_reason_is_told(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "OptionalGetElement", "x,x", "a");
    node(f, "StringSplit", "a", "b");
    node(f, "StringSplit", "b", "c");
    node(f, "Scaler", "c", "d")->domain = "ai.onnx.ml";
    node(f, "Thing", "d", "y")->domain = "else";
    output(f, "y");
    assert_int_equal(load(f), NNEFC_UNSUPPORTED);
    expect(f, 0, "N0231", "operator 'OptionalGetElement' is not supported: optionals");
    expect(f, 1, "N0231", "operator 'StringSplit' is not supported (2 nodes): text");
    expect(f, 2, "N0231", "operator 'Scaler' of domain 'ai.onnx.ml' is not supported: trees");
    expect(f, 3, "N0231", "operator 'Thing' of domain 'else' is not supported");
    assert_null(strstr(nnefc_model_diagnostics(f->model)->at[3]->text, "supported:"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_operator_is_both_imported_and_refused),
        TEST(limits_are_those_of_imported_operators),
        TEST(a_reason_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
