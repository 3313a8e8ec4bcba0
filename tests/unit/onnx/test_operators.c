/* test_operators.c - the list of operators of ONNX, and what is told of those that it refuses */
#include "convert/onnx/operators.h"
#include "diag/context.h"
#include "import_fixture.h"

#define REFUSED(type, why)            {"ai.onnx", #type},
#define MISSING(type)                 {"ai.onnx", #type},
#define REFUSED_OF(domain, type, why) {NAME_##domain, #type},
#define MISSING_OF(domain, type)      {NAME_##domain, #type},
#define DOMAIN(name, why)
#define NAME_MICROSOFT "com.microsoft"
static const struct {
    const char *domain, *type;
} refused[] = {
#include "convert/onnx/refused_list.def"
};

/* Whoever imports an operator takes its row out of refused_list.def. */
static void no_operator_is_both_imported_and_refused(void **state)
{
    struct context *context = context_new();
    int count, faults = 0;
    const struct onnx_operator *o = onnx_operators(context, &count);

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        for (int k = 0; k < count; k++)
            if (o[k].type && o[k].how < ONNX_MISSING &&
                strcmp(o[k].domain, refused[i].domain) == 0 &&
                strcmp(o[k].type, refused[i].type) == 0) {
                fprintf(stderr, "%s %s\n", refused[i].domain, refused[i].type);
                faults++;
            }
    assert_int_equal(faults, 0);
    context_free(context);
}

static void a_reason_is_told(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "SequenceAt", "x,x", "a");
    node(f, "NonZero", "a", "b");
    node(f, "NonZero", "b", "c");
    node(f, "Scaler", "c", "d")->domain = "ai.onnx.ml";
    node(f, "Thing", "d", "y")->domain = "else";
    output(f, "y");
    assert_int_equal(load(f), NNEFC_UNSUPPORTED);
    expect(f, 0, "N0231", "operator 'SequenceAt' is not supported: sequences");
    expect(f, 1, "N0231", "operator 'NonZero' is not supported (2 nodes): the data decide");
    expect(f, 2, "N0231", "operator 'Scaler' of domain 'ai.onnx.ml' is not supported: trees");
    expect(f, 3, "N0231", "operator 'Thing' of domain 'else' is not supported");
    assert_null(strstr(nnefc_model_diagnostics(f->model)->at[3]->text, "supported:"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_operator_is_both_imported_and_refused),
        TEST(a_reason_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
