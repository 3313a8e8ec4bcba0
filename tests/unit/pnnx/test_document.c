/* test_document.c - the text of a PNNX model: what is read, and every fault at its line */
#include "base/text.h"
#include "convert/pnnx/document.h"
#include "convert/pnnx/expression.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "diag/source.h"

#include "support/t.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct context *context;
    struct pnnx_document *document;
    struct text text;
};

static int setup(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    assert_non_null(*state);
    return 0;
}

static void forget(struct fixture *f)
{
    pnnx_document_free(f->document);
    if (f->context)
        context_free(f->context);
    text_free(&f->text);
    *f = (struct fixture){0};
}

static int teardown(void **state)
{
    forget(*state);
    free(*state);
    return 0;
}

static struct pnnx_document *read_text(struct fixture *f, const char *text)
{
    forget(f);
    f->context = context_new();
    text_add(&f->text, "%s", text);
    uint32_t base = sources_add(f->context->sources, "m.param", f->text.data, f->text.size);
    f->document = pnnx_read(f->context, base, f->text.data, f->text.size);
    return f->document;
}

#define HEAD "7767517\n3 2\npnnx.Input in 0 1 a #a=(2,?,%w)f32\n"
#define TAIL "\npnnx.Output out 1 0 b\n"

/* One line between an input `a` and an output `b`. */
static const struct pnnx_operator *read_line(struct fixture *f, const char *line)
{
    struct text text = {0};

    text_add(&text, "%s%s%s", HEAD, line, TAIL);
    read_text(f, text.data);
    text_free(&text);
    if (!f->document) {
        diag_print(f->context->diag, stderr, DIAG_STYLE_SHORT, false);
        fail();
        return NULL;
    }
    return f->document->operators.first->next;
}

static const struct pnnx_value *value_of(const struct pnnx_operator *operator, const char * key)
{
    const struct pnnx_pair *param = pnnx_find(operator, PNNX_PARAM, key);

    assert_non_null(param);
    return param->value;
}

/* --- what is read -------------------------------------------------------------------------- */

static void operators_have_operands_and_these_have_producers(void **state)
{
    const struct pnnx_operator *op = read_line(*state, "nn.ReLU r 1 1 a b #b=(2,3,4)f32");
    const struct pnnx_operand *a = op->in[0], *b = op->out[0];

    assert_string_equal(op->type, "nn.ReLU");
    assert_string_equal(op->name, "r");
    assert_string_equal(a->name, "a");
    assert_string_equal(a->producer->name, "in");
    assert_int_equal(a->uses, 1);
    assert_ptr_equal(b->producer, op);
    assert_int_equal(b->shape->type, PNNX_F32);
    assert_int_equal(a->shape->rank, 3);
    assert_int_equal(a->shape->dim[0].extent, 2);
    assert_int_equal(a->shape->dim[1].extent, PNNX_ANY);
    assert_null(a->shape->dim[1].symbol);
    assert_string_equal(a->shape->dim[2].symbol, "w");
}

static void values_have_a_kind_and_keep_how_they_are_written(void **state)
{
    const struct pnnx_operator *op =
        read_line(*state, "X x 1 1 a b n=None t=True i=-12 r=1.500000e-05 s=zeros z= "
                          "c=1.0e+00+-2.5e+00j inf=-inf l=(1,2,3) f=[1.0,2e3] e=() q=ij,jk->ik");

    assert_int_equal(value_of(op, "n")->kind, PNNX_NONE);
    assert_int_equal(value_of(op, "t")->kind, PNNX_LOGICAL);
    assert_int_equal(value_of(op, "t")->integer, 1);
    assert_int_equal(value_of(op, "i")->integer, -12);
    assert_true(value_of(op, "r")->real == 1.5e-5);
    assert_string_equal(value_of(op, "r")->text, "1.500000e-05");
    assert_string_equal(value_of(op, "s")->text, "zeros");
    assert_string_equal(value_of(op, "z")->text, "");
    assert_int_equal(value_of(op, "c")->kind, PNNX_COMPLEX);
    assert_true(value_of(op, "c")->imaginary == -2.5);
    assert_true(value_of(op, "inf")->real == -(double)INFINITY);
    assert_int_equal(value_of(op, "l")->count, 3);
    assert_int_equal(value_of(op, "l")->first->next->integer, 2);
    assert_true(value_of(op, "f")->first->next->real == 2000);
    assert_int_equal(value_of(op, "e")->count, 0);
    assert_string_equal(value_of(op, "q")->text, "ij,jk->ik");
}

static void element_types_have_their_old_names_too(void **state)
{
    const struct pnnx_operator *op =
        read_line(*state, "X x 1 1 a b @p=(1)cp64 @q=(1)c64 @r=()bf16 @s=(2,0)i16");
    const struct pnnx_pair *p = op->pairs.of[PNNX_ATTRIBUTE].first;

    assert_int_equal(p->shape->type, PNNX_C64);
    assert_int_equal(p->next->shape->type, PNNX_C64);
    assert_int_equal(p->next->next->shape->rank, 0);
    assert_string_equal(pnnx_type_name(p->next->next->shape->type), "bf16");
    assert_int_equal(pnnx_type_size(p->next->next->next->shape->type), 2);
    assert_ptr_equal(pnnx_find(op, PNNX_ATTRIBUTE, "q"), p->next);
}

static void the_same_operand_may_be_two_arguments(void **state)
{
    const struct pnnx_operator *op =
        read_line(*state, "torch.matmul m 2 1 a a b $input=a $other=a");

    assert_string_equal(op->key[0], "input");
    assert_string_equal(op->key[1], "other");
    assert_int_equal(op->in[0]->uses, 2);
}

static void expressions_are_steps_in_the_order_of_computing(void **state)
{
    const struct pnnx_operator *op =
        read_line(*state, "pnnx.Expression e 1 1 a b expr=[add(@0,-1.5e-3),[],torch.float]");
    const struct pnnx_expression *e = pnnx_find(op, PNNX_PARAM, "expr")->expression;

    assert_int_equal(e->count, 6);
    assert_int_equal(e->depth, 3);
    assert_int_equal(e->step[0].kind, PNNX_STEP_INPUT);
    assert_true(e->step[1].literal->real == -1.5e-3);
    assert_string_equal(e->step[2].function, "add");
    assert_int_equal(e->step[2].index, 2);
    assert_int_equal(e->step[3].kind, PNNX_STEP_LIST);
    assert_int_equal(e->step[3].index, 0);
    assert_string_equal(e->step[4].literal->text, "torch.float");
    assert_int_equal(e->step[5].index, 3);
}

static void lines_may_end_in_any_way_and_have_tabs(void **state)
{
    assert_non_null(
        read_text(*state, "7767517\r\n2 1\r\npnnx.Input\ti 0\t1 a\r\n\r\nX x 1 0 a\r\n"));
    assert_non_null(read_text(*state, "7767517\n2 1\npnnx.Input i 0 1 a\nX x 1 0 a"));
}

/* --- faults -------------------------------------------------------------------------------- */

struct fault {
    const char *text;
    enum diag_code code;
    int line;
};

#define LINE(text) HEAD text TAIL

static const struct fault faults[] = {
    {"", DIAG_PNNX_SYNTAX, 1},
    {"7767518\n1 0\nX x 0 0\n", DIAG_PNNX_SYNTAX, 1},
    {"7767517\nX x 0 0\n", DIAG_PNNX_COUNT, 2},
    {"7767517\n0 0\n", DIAG_PNNX_COUNT, 2},
    {"7767517\n2147483648 3\nX x 0 0\n", DIAG_PNNX_COUNT, 2},
    {"7767517\n2000000000 3\nX x 0 0\n", DIAG_PNNX_COUNT, 2},
    {"7767517\n2 0\nX x 0 0\n\n\n\n\n\n\n\n\n\n\n", DIAG_PNNX_COUNT, 2},
    {"7767517\n1 1\nX x 0 0\n", DIAG_PNNX_COUNT, 2},
    {"7767517\n1 0\nConvolution c 0 0 0=3 1=1\n", DIAG_FOREIGN_FORMAT, 3},
    {LINE("X x"), DIAG_PNNX_SYNTAX, 4},
    {LINE("X x 1 1 a"), DIAG_PNNX_COUNT, 4},
    {LINE("X x 1 -1 a b"), DIAG_PNNX_COUNT, 4},
    {LINE("X x 1 9 a b"), DIAG_PNNX_COUNT, 4},
    {LINE("X x one 1 a b"), DIAG_PNNX_COUNT, 4},
    {LINE("X x 1 1 c b"), DIAG_PNNX_OPERAND, 4},
    {LINE("X x 1 1 a b #c=(1)f32"), DIAG_PNNX_OPERAND, 4},
    {LINE("X x 1 1 a b #a=(3,3,3)f32"), DIAG_PNNX_OPERAND, 4},
    {LINE("X x 1 1 a b #a=(2,3)f32"), DIAG_PNNX_OPERAND, 4},
    {LINE("X x 1 1 a b #a=(2,3,3)f16"), DIAG_PNNX_OPERAND, 4},
    {LINE("X x 1 1 a b $p=a $q=a"), DIAG_PNNX_OPERAND, 4},
    {LINE("X x 1 1 a b $p=b"), DIAG_PNNX_OPERAND, 4},
    {LINE("X x 1 1 a b @w=(3)f31"), DIAG_PNNX_VALUE, 4},
    {LINE("X x 1 1 a b @w=(4294967296,4294967296)f32"), DIAG_PNNX_VALUE, 4},
    {LINE("X x 1 1 a b @w=(99999999999999999999)f32"), DIAG_PNNX_VALUE, 4},
    {LINE("X x 1 1 a b @w=(3f32"), DIAG_PNNX_SYNTAX, 4},
    {LINE("X x 1 1 a b @w=3"), DIAG_PNNX_SYNTAX, 4},
    {LINE("X x 1 1 a b k=1 key"), DIAG_PNNX_SYNTAX, 4},
    {LINE("X x 1 1 a b k=(1,2"), DIAG_PNNX_SYNTAX, 4},
    {LINE("X x 1 1 a b k=(1,(2))"), DIAG_PNNX_SYNTAX, 4},
    {LINE("X x 1 1 a b k=1 k=2"), DIAG_PNNX_SYNTAX, 4},
    {LINE("X x 1 1 a b =2"), DIAG_PNNX_SYNTAX, 4},
    {LINE("X x 1 1 a b expr=add(@0,1"), DIAG_PNNX_EXPRESSION, 4},
    {LINE("X x 1 1 a b expr=add(@0,@1)"), DIAG_PNNX_EXPRESSION, 4},
    {LINE("X x 1 1 a b expr=add(,)"), DIAG_PNNX_EXPRESSION, 4},
    {LINE("X x 1 1 a b expr=@x"), DIAG_PNNX_EXPRESSION, 4},
    {HEAD "X x 1 1 a b" TAIL "X y 0 1 b", DIAG_PNNX_OPERAND, 6},
    {HEAD "X x 1 1 a b @w=(3)f32" TAIL "Y x 1 0 b @w=(3)i32", DIAG_PNNX_WEIGHTS, 6},
    {HEAD "X x 1 1 a b @w=(3,2)f32" TAIL "Y x 1 0 b @w=(2,3)f32", DIAG_PNNX_WEIGHTS, 6},
    {HEAD "X x 1 1 a b @v.w=(3)f32" TAIL "Y x.v 1 0 b @w=(2)f32", DIAG_PNNX_WEIGHTS, 6},
};

static void each_fault_is_reported_once_and_at_its_line(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct location where;
        assert_null(read_text(f, faults[i].text));
        struct diag_report report = diag_at(f->context->diag, 0);
        assert_true(sources_locate(f->context->sources, report.at.begin, &where));
        if (diag_count(f->context->diag) != 1 || report.code != faults[i].code ||
            where.line != faults[i].line)
            fail_msg("\"%s\": %d reports, the first '%s' in line %d", faults[i].text,
                     diag_count(f->context->diag), report.text, where.line);
    }
}

static void weights_that_clash_name_both_lines(void **state)
{
    struct fixture *f = *state;
    struct location where;

    assert_null(read_text(f, HEAD "X x 1 1 a b @w=(3)f32" TAIL "Y x 1 0 b @v=(1)f32 @w=(4)f32"));
    assert_non_null(strstr(diag_at(f->context->diag, 0).text, "'x.w'"));
    struct diag_report note = diag_note_at(f->context->diag, 0, 0);
    assert_true(sources_locate(f->context->sources, note.at.begin, &where));
    assert_int_equal(where.line, 4);
}

static void all_lines_with_faults_are_reported(void **state)
{
    struct fixture *f = *state;

    assert_null(read_text(f, "7767517\n3 2\nX x 0 1 a k=1 k\nY y 0 1 b @w=(1)f1\nZ z 0 0\n"));
    assert_int_equal(diag_error_count(f->context->diag), 2);
}

static void nesting_is_bounded_by_memory_only(void **state)
{
    enum { DEPTH = 100000 };
    struct text text = {0};

    text_add(&text, "%s", HEAD "pnnx.Expression e 1 1 a b expr=");
    for (int i = 0; i < DEPTH; i++)
        text_add(&text, "neg(");
    text_add(&text, "@0");
    for (int i = 0; i < DEPTH; i++)
        text_add(&text, ")");
    text_add(&text, "%s", TAIL);
    const struct pnnx_document *document = read_text(*state, text.data);
    text_free(&text);
    assert_non_null(document);
    const struct pnnx_operator *op = document->operators.first->next;
    assert_int_equal(pnnx_find(op, PNNX_PARAM, "expr")->expression->count, DEPTH + 1);
    assert_int_equal(pnnx_find(op, PNNX_PARAM, "expr")->expression->depth, 1);
}

#define test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(operators_have_operands_and_these_have_producers),
        test(values_have_a_kind_and_keep_how_they_are_written),
        test(element_types_have_their_old_names_too),
        test(the_same_operand_may_be_two_arguments),
        test(expressions_are_steps_in_the_order_of_computing),
        test(lines_may_end_in_any_way_and_have_tabs),
        test(each_fault_is_reported_once_and_at_its_line),
        test(weights_that_clash_name_both_lines),
        test(all_lines_with_faults_are_reported),
        test(nesting_is_bounded_by_memory_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
