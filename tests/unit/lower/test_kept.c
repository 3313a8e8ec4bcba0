/*
 * test_kept.c - what is kept whole gives what its body gives, on random arguments
 *
 * Every compound operation of both libraries, for first tensors of rank 2 to 5.  One that is
 * always expanded has nothing to compare with, but must run.
 */
#include "support/t.h"
#include "support/invocation.h"

#include "diag/context.h"
#include "exec/run.h"
#include "lower/lower.h"
#include "op/op.h"
#include "parser/parser.h"
#include "tensor/compare.h"

#include <string.h>

enum { FIRST_RANK = 2, LAST_RANK = 5, KEPT_TRIALS = 8, OTHER_TRIALS = 3, ATTEMPTS = 200 };

static const struct tolerance tolerance = {1e-5, 1e-5};

/* One document, computed in two ways. */
struct trial {
    struct invocation invocation;
    struct context *context;
    struct graph *kept, *expanded;
    struct run *runs[2];
};

static void explain(const struct trial *t)
{
    print_error("%s", t->invocation.text.data);
    diag_print(t->context->diag, stderr, DIAG_STYLE_SHORT, false);
}

/* --- from text to graphs -------------------------------------------------------------------- */

static void compile(struct trial *t)
{
    const struct text *text = &t->invocation.text;
    const struct parse_options parse = {.dialect = PARSE_AUTO};
    const struct sema_options sema = {0};
    const struct lower_options keep = {0}, expand = {.keep = lower_keep_none};
    uint32_t base = sources_add(t->context->sources, "trial.nnef", text->data, text->size);
    struct document *document = parse_text(t->context, base, text->data, text->size, &parse);
    const struct checked *checked = sema_check(t->context, document, &sema);

    if (!checked) {
        explain(t);
        fail_msg("a document that the check refuses");
        return;
    }
    t->kept = lower(checked, &keep);
    t->expanded = t->kept ? lower(checked, &expand) : NULL;
    if (t->kept && !t->expanded) {
        explain(t);
        fail_msg("valid when kept whole, but not when expanded");
    }
}

static void fail_unless_executable(const struct graph *graph)
{
    for (const struct node *node = graph->first; node; node = node->next)
        if (!node->op->eval)
            fail_msg("'%s' has no kernel", node->op->name);
}

/* --- running -------------------------------------------------------------------------------- */

static void feed(struct trial *t, int index)
{
    const struct port *port = &t->kept->inputs[index];
    struct tensor tensors[2];

    for (int k = 0; k < 2; k++)
        assert_true(
            tensor_allocate(&tensors[k], (enum dtype)port->value->dtype, port->value->shape));
    invocation_fill(&t->invocation, port->name, &tensors[0]);
    memcpy(tensors[1].data, tensors[0].data, tensor_bytes(&tensors[0]));
    for (int k = 0; k < 2; k++)
        run_set_input(t->runs[k], index, &tensors[k]);
}

static void run(struct trial *t)
{
    t->runs[0] = run_new(t->kept);
    t->runs[1] = run_new(t->expanded);
    assert_non_null(t->runs[0]);
    assert_non_null(t->runs[1]);
    for (int i = 0; i < t->kept->ninput; i++)
        feed(t, i);
    for (int k = 0; k < 2; k++)
        if (!run_step(t->runs[k])) {
            explain(t);
            fail_msg("a fault at run time");
        }
}

static void compare_output(const struct trial *t, int index)
{
    const struct tensor *kept = run_tensor(t->runs[0], t->kept->outputs[index].value);
    const struct tensor *expanded = run_tensor(t->runs[1], t->expanded->outputs[index].value);

    if (!shape_equal(&kept->shape, &expanded->shape) || kept->dtype != expanded->dtype) {
        explain(t);
        fail_msg("result %d is %s of shape %s, by the body %s of shape %s", index + 1,
                 dtype_name(kept->dtype), SHAPE_TEXT(&kept->shape), dtype_name(expanded->dtype),
                 SHAPE_TEXT(&expanded->shape));
    }
    struct difference d = tensor_difference(kept, expanded, &tolerance);
    if (d.beyond > 0) {
        explain(t);
        fail_msg("item %d of result %d is %.9g, by the body %.9g", (int)d.worst, index + 1,
                 tensor_item(kept, d.worst), tensor_item(expanded, d.worst));
    }
}

/* True if the document was valid. */
static bool try_once(const struct signature *signature, bool provisional, int rank, uint64_t seed)
{
    struct trial t = {.context = context_new()};
    bool valid;

    invocation_draw(&t.invocation, signature, provisional, rank, seed);
    compile(&t);
    valid = t.expanded != NULL;
    if (valid) {
        fail_unless_executable(t.expanded);
        run(&t);
        for (int i = 0; i < t.kept->noutput; i++)
            compare_output(&t, i);
    }
    run_free(t.runs[0]);
    run_free(t.runs[1]);
    text_free(&t.invocation.text);
    context_free(t.context);
    return valid;
}

/* --- which ranks there are ------------------------------------------------------------------ */

static bool has_param(const struct signature *signature, const char *name)
{
    for (int i = 0; i < signature->nparam; i++)
        if (strcmp(signature->params[i].name, name) == 0)
            return true;
    return false;
}

/* Regions lie in spatial dimensions; provisional matrices have no batch. */
static bool rank_exists(const struct signature *signature, bool provisional, int rank)
{
    if (has_param(signature, "rois"))
        return rank > 2;
    if (provisional && has_param(signature, "filter") && !has_param(signature, "border"))
        return rank == 2;
    return true;
}

static void compare_rank(const struct signature *signature, bool provisional, int rank)
{
    int valid = 0, wanted = signature->op ? KEPT_TRIALS : OTHER_TRIALS;

    for (uint64_t seed = 0; seed < ATTEMPTS && valid < wanted; seed++)
        valid += try_once(signature, provisional, rank, seed);
    if (valid < wanted)
        fail_msg("'%s' has %d valid documents for rank %d, expected %d", signature->name, valid,
                 rank, wanted);
}

static void compare_library(enum dialect dialect)
{
    struct context *context = context_new();
    const struct library *library = library_load(context, dialect);
    bool provisional = dialect == DIALECT_PROVISIONAL;

    for (int i = 0; i < library_count(library); i++) {
        const struct signature *signature = library_at(library, i);
        for (int rank = FIRST_RANK; signature->fragment->has_body && rank <= LAST_RANK; rank++)
            if (rank_exists(signature, provisional, rank))
                compare_rank(signature, provisional, rank);
    }
    context_free(context);
}

static void compounds_give_what_their_bodies_give(void **state)
{
    (void)state;
    compare_library(DIALECT_1_0);
}

static void provisional_compounds_give_what_their_bodies_give(void **state)
{
    (void)state;
    compare_library(DIALECT_PROVISIONAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compounds_give_what_their_bodies_give),
        cmocka_unit_test(provisional_compounds_give_what_their_bodies_give),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
