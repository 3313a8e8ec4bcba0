/* op_fixture.c - one operator on given operands */
#include "support/op_fixture.h"

#include "base/arena.h"
#include "diag/context.h"
#include "tensor/compare.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int op_fixture_setup(void **state)
{
    struct op_fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    f->context = context_new();
    f->graph = graph_new(f->context, "net");
    f->tolerance = 1e-5;
    f->valued = true;
    *state = f;
    return 0;
}

static void clear_tensors(struct tensor *tensor)
{
    for (int i = 0; i < FIXTURE_TENSORS; i++)
        tensor_clear(&tensor[i]);
}

int op_fixture_teardown(void **state)
{
    struct op_fixture *f = *state;

    clear_tensors(f->in);
    clear_tensors(f->out);
    context_free(f->context);
    free(f);
    return 0;
}

/* --- reading text ---------------------------------------------------------------------- */

static bool accept(const char **at, const char *word)
{
    while (isspace((unsigned char)**at))
        ++*at;
    if (strncmp(*at, word, strlen(word)) != 0)
        return false;
    *at += strlen(word);
    return true;
}

static void require(const char **at, const char *word)
{
    if (!accept(at, word))
        fail_msg("expected '%s' at '%s'", word, *at);
}

static double read_number(const char **at)
{
    char *end;
    double value = strtod(*at, &end);

    if (end == *at)
        fail_msg("expected a number at '%s'", *at);
    *at = end;
    return value;
}

static enum dtype read_dtype(const char **at)
{
    if (accept(at, "integer"))
        return DTYPE_INTEGER;
    if (accept(at, "logical"))
        return DTYPE_LOGICAL;
    accept(at, "scalar");
    return DTYPE_SCALAR;
}

static void read_shape(const char **at, struct shape *shape)
{
    shape->rank = 0;
    require(at, "[");
    if (accept(at, "]"))
        return;
    do {
        int64_t extent = accept(at, "?") ? EXTENT_UNKNOWN : (int64_t)read_number(at);
        assert_true(shape->rank < MAX_RANK);
        shape->extent[shape->rank++] = extent;
    } while (accept(at, ","));
    require(at, "]");
}

static double read_item(const char **at)
{
    if (accept(at, "true"))
        return 1;
    return accept(at, "false") ? 0 : read_number(at);
}

static int64_t read_integer(const char **at)
{
    char *end;
    long long value = strtoll(*at, &end, 10);

    if (end == *at)
        fail_msg("expected an integer at '%s'", *at);
    *at = end;
    return value;
}

static void read_into(struct tensor *tensor, int64_t index, const char **at)
{
    if (tensor->dtype == DTYPE_SCALAR)
        ((float *)tensor->data)[index] = (float)read_item(at);
    else if (tensor->dtype == DTYPE_INTEGER)
        ((int64_t *)tensor->data)[index] = read_integer(at);
    else
        ((unsigned char *)tensor->data)[index] = read_item(at) != 0;
}

static bool at_end(const char **at)
{
    accept(at, " ");
    return **at == '\0';
}

static void read_values(struct tensor *tensor, const char *text)
{
    int64_t volume = shape_volume(&tensor->shape), count = 0;
    size_t size = dtype_size(tensor->dtype);

    for (; count < volume && !at_end(&text); count++)
        read_into(tensor, count, &text);
    if (!at_end(&text) || (count != 1 && count != volume))
        fail_msg("values do not fill the shape %s", SHAPE_TEXT(&tensor->shape));
    for (; count < volume; count++)
        memcpy((unsigned char *)tensor->data + (size_t)count * size, tensor->data, size);
}

/* False, with shape and type set, if there are no values. */
static bool read_tensor(const char *text, struct tensor *tensor)
{
    struct shape shape;
    enum dtype dtype = read_dtype(&text);

    read_shape(&text, &shape);
    *tensor = (struct tensor){.shape = shape, .dtype = dtype};
    if (!shape_known(&shape) || (at_end(&text) && shape_volume(&shape) > 0))
        return false;
    assert_true(tensor_allocate(tensor, dtype, &shape));

    read_values(tensor, text);
    return true;
}

/* --- attributes ------------------------------------------------------------------------ */

static struct datum read_datum(struct op_fixture *f, const char **at);

static struct datum read_items(struct op_fixture *f, const char **at, enum datum_kind kind)
{
    const char *close = kind == DATUM_ARRAY ? "]" : ")";
    struct datum list = {.kind = kind};
    struct datum *items = arena_array_of(f->context->arena, struct datum, 64);

    list.items = items;
    if (accept(at, close))
        return list;
    do {
        assert_true(list.count < 64);
        items[list.count++] = read_datum(f, at);
    } while (accept(at, ","));
    require(at, close);
    return list;
}

static struct datum read_string(struct op_fixture *f, const char **at)
{
    size_t size = strcspn(*at, "'");
    const char *string = arena_strndup(f->context->arena, *at, size);

    *at += size;
    require(at, "'");
    return (struct datum){.kind = DATUM_STRING, .string = string};
}

static struct datum read_datum(struct op_fixture *f, const char **at)
{
    if (accept(at, "["))
        return read_items(f, at, DATUM_ARRAY);
    if (accept(at, "("))
        return read_items(f, at, DATUM_TUPLE);
    if (accept(at, "'"))
        return read_string(f, at);
    if (accept(at, "true"))
        return (struct datum){.kind = DATUM_LOGICAL, .logical = true};
    if (accept(at, "false"))
        return (struct datum){.kind = DATUM_LOGICAL};

    const char *begin = *at;
    double number = read_number(at);
    if (strcspn(begin, ".eE") < (size_t)(*at - begin))
        return (struct datum){.kind = DATUM_SCALAR, .scalar = number};
    return (struct datum){.kind = DATUM_INTEGER, .integer = (int64_t)number};
}

static const struct op_attr *read_attr(const struct op_desc *op, const char **at)
{
    size_t size;

    accept(at, " ");
    size = strcspn(*at, " =");
    for (const struct op_attr *attr = op->attrs; attr && attr->name; attr++)
        if (strlen(attr->name) == size && strncmp(attr->name, *at, size) == 0) {
            *at += size;
            return attr;
        }
    fail_msg("'%s' has no attribute '%.*s'", op->name, (int)size, *at);
    return NULL;
}

static int read_arguments(struct op_fixture *f, const struct op_desc *op, const char *text,
                          struct op_argument *args)
{
    int nargs = 0;

    if (!text || at_end(&text))
        return 0;
    do {
        assert_true(nargs < FIXTURE_TENSORS);
        args[nargs].attr = read_attr(op, &text);
        require(&text, "=");
        args[nargs++].value = read_datum(f, &text);
    } while (accept(&text, ","));
    if (!at_end(&text))
        fail_msg("expected ',' at '%s'", text);
    return nargs;
}

/* --- building and running --------------------------------------------------------------- */

void fixture_feed(struct op_fixture *f, const char *param, const char *tensor)
{
    struct tensor *in = &f->in[f->nin];
    struct span nowhere = {0, 0};
    struct value *value;

    assert_true(f->nin < FIXTURE_TENSORS);
    tensor_clear(in);
    f->valued &= read_tensor(tensor, in);
    value = graph_add_source(f->graph, VALUE_EXTERNAL, in->dtype, &in->shape, nowhere);
    value->name = param;
    f->operand[f->nin++] = (struct op_operand){.param = param, .value = value};
}

static const struct node *build(struct op_fixture *f, const char *name, const char *attrs)
{
    struct op_argument args[FIXTURE_TENSORS] = {{0}};
    const struct op_desc *op = op_find(name);
    struct op_call call = {.op = op, .in = f->operand, .nin = f->nin, .args = args};

    if (!op) {
        fail_msg("there is no operator '%s'", name);
        return NULL;
    }
    call.nargs = read_arguments(f, op, attrs, args);
    call.generic = f->generic;
    if (op->result[0] == OP_RESULT_GENERIC && f->generic == DTYPE_UNKNOWN && f->nin > 0)
        call.generic = f->in[0].dtype;
    return op_build(f->graph, &call);
}

const struct value *fixture_introduce(struct op_fixture *f, const char *op, const char *attrs)
{
    struct op_argument args[FIXTURE_TENSORS] = {{0}};
    struct op_call call = {.op = op_find(op), .args = args, .generic = f->generic};
    int errors = diag_error_count(f->context->diag);
    const struct value *value;

    assert_non_null(call.op);
    call.nargs = read_arguments(f, call.op, attrs, args);
    value = op_introduce(f->graph, &call);
    return diag_error_count(f->context->diag) == errors ? value : NULL;
}

static bool evaluate(struct op_fixture *f)
{
    const struct tensor *in[FIXTURE_TENSORS];
    struct tensor *out[FIXTURE_TENSORS];
    const struct node *node = f->node;
    struct eval eval = {.node = node, .attrs = node->attrs, .in = in, .out = out};

    eval.diag = f->context->diag;
    for (int i = 0; i < f->nin; i++)
        in[i] = &f->in[i];
    for (int i = 0; i < f->nout; i++) {
        const struct value *value = &node->out[i];
        out[i] = &f->out[i];
        assert_true(tensor_allocate(out[i], (enum dtype)value->dtype, value->shape));
    }
    assert_non_null(node->op->eval);
    return node->op->eval(&eval);
}

static void fail_unless_equal_shape(const struct shape *is, const struct shape *should)
{
    if (!shape_equal(is, should))
        fail_msg("shape %s, expected %s", SHAPE_TEXT(is), SHAPE_TEXT(should));
}

bool fixture_run(struct op_fixture *f, const char *op, const char *attrs)
{
    int errors = diag_error_count(f->context->diag);
    bool ok;

    clear_tensors(f->out);
    f->node = build(f, op, attrs);
    ok = f->node && diag_error_count(f->context->diag) == errors;
    f->nout = f->node ? (int)f->node->nout : 0;
    assert_true(f->nout <= FIXTURE_TENSORS);
    if (ok && f->valued)
        ok = evaluate(f);
    f->nin = 0;
    f->valued = true;
    return ok;
}

/* --- expectations ----------------------------------------------------------------------- */

static void print_reports(const struct op_fixture *f)
{
    const struct diag *diag = f->context->diag;

    for (int i = 0; i < diag_count(diag); i++)
        print_error("%s: %s\n", diag_info(diag_at(diag, i).code)->code, diag_at(diag, i).text);
}

static void expect_items(const struct op_fixture *f, const struct tensor *is,
                         const struct tensor *should)
{
    const struct tolerance tolerance = {f->tolerance, f->tolerance};
    struct difference d = tensor_difference(is, should, &tolerance);

    if (d.beyond > 0)
        fail_msg("item %d is %.9g, expected %.9g", (int)d.worst, tensor_item(is, d.worst),
                 tensor_item(should, d.worst));
}

void fixture_expect(const struct op_fixture *f, int index, const char *tensor)
{
    struct tensor should;
    bool valued = read_tensor(tensor, &should);
    const struct value *value;

    if (diag_error_count(f->context->diag) > 0)
        print_reports(f);
    if (index >= f->nout) {
        fail_msg("there is no result %d", index);
        return;
    }
    value = &f->node->out[index];
    fail_unless_equal_shape(value->shape, &should.shape);
    assert_string_equal(dtype_name((enum dtype)value->dtype), dtype_name(should.dtype));
    if (valued && shape_volume(&should.shape) > 0) {
        assert_non_null(f->out[index].data);
        expect_items(f, &f->out[index], &should);
    }
    tensor_clear(&should);
}

void fixture_expect_error(struct op_fixture *f, const char *op, const char *attrs,
                          enum diag_code code)
{
    const struct diag *diag = f->context->diag;
    int reports = diag_count(diag);

    assert_false(fixture_run(f, op, attrs));
    if (diag_count(diag) != reports + 1)
        print_reports(f);
    assert_int_equal(diag_count(diag), reports + 1);
    assert_string_equal(diag_info(diag_at(diag, reports).code)->code, diag_info(code)->code);
}
