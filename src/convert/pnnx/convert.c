/*
 * convert.c - parameters, inputs and weights of an operator of PNNX, and compositions
 *
 * A row of convert_list.def names the converter of an operator; see convert.h. What a converter
 * asks for may be in the text, an operand, or an attribute: these functions hide which.
 */
#include "convert/pnnx/convert.h"

#include "convert/proto/onnx_data.h"
#include "diag/context.h"
#include "op/op_build.h"
#include "sema/sema.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { PNNX_END = INT32_MAX }; /* "to the end" */

/* --- operators by type ---------------------------------------------------------------------- */

static const struct pnnx_row rows[] = {
#define OWN(names, function) {.types = names, .own = own_##function},
#define OPERATOR(names, function, number) \
    {.types = names, .convert = convert_##function, .variant = number},
#define VARIANT(names, function, number) OPERATOR(names, function, number)
#define GATHER(names, function)          {.types = names, .gather = convert_##function},

#define COMPOSITION(names, name) {.types = names, .convert = convert_composition, .fragment = name},
#include "convert/pnnx/convert_list.def"
};

/* Is `type` the word of `size` bytes, in which "*d" stands for a number of dimensions? */
static bool matches(const char *word, size_t size, const char *type)
{
    for (; size > 0 && *type; word++, type++, size--)
        if (*word != *type && !(*word == '*' && *type >= '1' && *type <= '3'))
            return false;
    return size == 0 && !*type;
}

const struct pnnx_row *pnnx_find_row(const char *type)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (const char *word = rows[i].types; *word;) {
            size_t size = strcspn(word, " ");
            if (matches(word, size, type))
                return &rows[i];
            word += size;
            word += strspn(word, " ");
        }
    return NULL;
}

/* --- parameters ----------------------------------------------------------------------------- */

/* The input whose argument has that key; -1: none. */
static int input_index(const struct pnnx_call *c, const char *key)
{
    int index = c->op->nin - 1;

    assert(key);
    while (index >= 0 && !(c->op->key[index] && strcmp(c->op->key[index], key) == 0))
        index--;
    return index;
}

/* A parameter of the line, which counts as a word, goes before an argument of the same key. */
static bool find_arg(struct pnnx_call *c, const char *key, struct pnnx_argument *arg)
{
    const struct pnnx_pair *param = pnnx_find(c->op, PNNX_PARAM, key);
    int index = input_index(c, key);

    *arg = (struct pnnx_argument){.word = param ? param->value : NULL};
    if (!param && index >= 0)
        *arg = *c->arg[index];
    return arg->imported || arg->is_list || (arg->word && arg->word->kind != PNNX_NONE);
}

bool has_arg(struct pnnx_call *c, const char *key)
{
    struct pnnx_argument arg;

    return find_arg(c, key, &arg);
}

/* The span becomes that of the parameter, if it is in the line. */
static bool wrong_arg(struct pnnx_call *c, const char *key, const char *expected)
{
    const struct pnnx_pair *param = pnnx_find(c->op, PNNX_PARAM, key);

    if (param)
        c->t.span = param->span;
    return import_error(&c->t, DIAG_PNNX_VALUE, "has a parameter '%s' that is no %s", key,
                        expected);
}

/* Beyond 2^53 doubles leave out integers; NaN is not in the range either. */
bool whole_of(double number, int64_t *whole)
{
    assert(whole);
    if (!(number >= -0x1p53 && number <= 0x1p53))
        return false;
    *whole = (int64_t)number;
    return true;
}

/* The least and greatest numbers of 32 bits stand for those of 64: "to the end". */
static int64_t integer_of(int64_t number)
{
    return number >= PNNX_END - 1 ? INT64_MAX : number <= -PNNX_END ? -INT64_MAX : number;
}

bool known_number(const struct pnnx_argument *arg, double *number)
{
    const struct imported *imported = arg->imported;

    if (!imported || !imported->known || shape_volume(&imported->shape) != 1)
        return false;
    *number = tensor_item(imported->known, 0);
    return true;
}

/* Numbers in 64 bits are exact as doubles as far as extents, axes and counts go. */
static bool number_of(struct pnnx_call *c, const char *key, const struct pnnx_argument *arg,
                      double *number)
{
    const struct pnnx_value *value = arg->word;

    if (!value)
        return known_number(arg, number) || wrong_arg(c, key, "number that is known");
    if (value->kind == PNNX_LOGICAL)
        *number = (double)value->integer;
    else if (value->kind == PNNX_LIST && value->count == 1 && value->first->is_number)
        *number = value->first->real;
    else if (value->is_number)
        *number = value->real;
    else
        return wrong_arg(c, key, "number");
    return true;
}

double arg_real(struct pnnx_call *c, const char *key, double otherwise)
{
    struct pnnx_argument arg;
    double number = otherwise;

    if (!find_arg(c, key, &arg) || !number_of(c, key, &arg, &number))
        number = otherwise;
    return (double)(float)number;
}

struct imported *arg_item(struct pnnx_call *c, const char *key, int32_t type)
{
    struct pnnx_argument arg;

    if (dtype_of(type) != DTYPE_INTEGER || !find_arg(c, key, &arg) || !arg.word ||
        arg.word->kind != PNNX_INTEGER)
        return literal(&c->t, arg_real(c, key, 0));
    const struct item_format items = onnx_type_items(type);
    int64_t item = arg.word->integer;
    const struct tensor one = {.dtype = DTYPE_INTEGER, .data = &item};
    if (items_beyond(&items, &one) < 0)
        return known_integer(&c->t, item, type);
    return import_refuse(&c->t, DIAG_PNNX_VALUE, "has '%s' %" PRId64 ", expected an item of %s",
                         key, item, onnx_type_name(type));
}

int64_t arg_int(struct pnnx_call *c, const char *key, int64_t otherwise)
{
    struct pnnx_argument arg;
    double number = 0;

    if (!find_arg(c, key, &arg) || !number_of(c, key, &arg, &number))
        return otherwise;
    int64_t whole;
    if (whole_of(number, &whole))
        return integer_of(whole);
    wrong_arg(c, key, "integer");
    return otherwise;
}

bool arg_flag(struct pnnx_call *c, const char *key, bool otherwise)
{
    double number = arg_real(c, key, otherwise);

    return number < 0 || number > 0;
}

const char *arg_text(struct pnnx_call *c, const char *key, const char *otherwise)
{
    struct pnnx_argument arg;

    if (!find_arg(c, key, &arg))
        return otherwise;
    if (arg.word && arg.word->text)
        return arg.word->text;
    wrong_arg(c, key, "text");
    return otherwise;
}

bool arg_reals(struct pnnx_call *c, const char *key, const double **items, int *count)
{
    struct pnnx_argument arg;

    if (!find_arg(c, key, &arg))
        return false;
    const struct pnnx_value *value = arg.word;
    const struct imported *tensor = arg.imported;
    int64_t volume = tensor && tensor->known ? shape_volume(&tensor->shape) : INT64_MAX;

    assert(!value + !tensor + !arg.is_list == 2);
    /* An operand is a list of known tensors, or one known tensor of a size that a list may have. */
    if (tensor && volume > c->t.builder->context->limits.array_length)
        return wrong_arg(c, key, "list of numbers that are known");
    *count = arg.is_list                ? arg.count
             : tensor                   ? (int)volume
             : value->kind == PNNX_LIST ? value->count
                                        : 1;
    double *list = import_alloc(&c->t, *count, sizeof *list);
    *items = list;

    if (value && value->kind != PNNX_LIST)
        return number_of(c, key, &arg, list);
    const struct pnnx_value *item = value ? value->first : NULL;
    for (int i = 0; i < *count; i++) {
        if (tensor)
            list[i] = tensor_item(tensor->known, i);
        else if (arg.is_list && !known_number(arg.items[i], &list[i]))
            return wrong_arg(c, key, "list of numbers that are known");
        if (!item)
            continue;
        if (!item->is_number)
            return wrong_arg(c, key, "list of numbers");
        list[i] = item->real;
        item = item->next;
    }
    assert(!item);
    return true;
}

/* Integers in doubles are exact up to 2^53, beyond any extent. */
bool arg_ints(struct pnnx_call *c, const char *key, struct integers *items)
{
    const double *numbers = NULL;
    int count = 0;

    if (!arg_reals(c, key, &numbers, &count))
        return false;
    int64_t *list = import_alloc(&c->t, count, sizeof *list);
    for (int i = 0; i < count; i++) {
        if (!whole_of(numbers[i], &list[i]))
            return wrong_arg(c, key, "list of integers");
        list[i] = integer_of(list[i]);
    }
    *items = (struct integers){count, list};
    return true;
}

bool arg_ints_any(struct pnnx_call *c, const char *const *keys, struct integers *items)
{
    for (; *keys; keys++)
        if (arg_ints(c, *keys, items))
            return true;
    return false;
}

/* A tensor of rank 0 has axis 0, as in PyTorch. */
bool arg_axis(struct pnnx_call *c, const char *key, int64_t otherwise, int rank, int *axis)
{
    int64_t named = arg_int(c, key, otherwise);

    return !c->t.failed && resolve_axis(&c->t, named, rank > 0 ? rank : 1, axis);
}

bool arg_axes(struct pnnx_call *c, const char *key, int rank, struct integers *axes)
{
    struct integers named;

    return arg_ints(c, key, &named) && resolve_axes(&c->t, &named, rank, axes);
}

/* --- tensors -------------------------------------------------------------------------------- */

/* After a fault the tensor may be missing because of it, so nothing is reported again. */
struct imported *tensor_at(struct pnnx_call *c, int index)
{
    assert(index >= 0);
    if (c->t.failed)
        return NULL;
    if (index < c->op->nin && c->t.in[index])
        return c->t.in[index];
    return import_refuse(&c->t, DIAG_PNNX_OPERAND, "has no tensor as input %d", index);
}

struct imported *tensor_option(struct pnnx_call *c, const char *key)
{
    int index = input_index(c, key);

    return index >= 0 ? c->t.in[index] : NULL;
}

struct imported *tensor_named(struct pnnx_call *c, const char *key, int index)
{
    struct imported *imported = tensor_option(c, key);

    return imported ? imported : tensor_at(c, index);
}

struct imported *input_of(struct pnnx_call *c)
{
    return tensor_named(c, "input", 0);
}

struct pnnx_argument *const *arguments_from(const struct pnnx_call *c, int first, int *count)
{
    bool listed = first < c->op->nin && c->arg[first]->is_list;

    *count = listed ? c->arg[first]->count : c->op->nin - first;
    return listed ? c->arg[first]->items : c->arg + first;
}

struct imported *weight_or_option(struct pnnx_call *c, const char *name)
{
    struct imported *weight = weight_named(c, name);

    return weight ? weight : tensor_option(c, name);
}

struct imported *weight_or_input(struct pnnx_call *c, const char *name, int index)
{
    struct imported *weight = weight_named(c, name);

    return weight ? weight : tensor_named(c, name, index);
}

struct imported *operand_named(struct pnnx_call *c, const char *key, int index)
{
    const struct pnnx_pair *param = pnnx_find(c->op, PNNX_PARAM, key);

    return param ? number_value(c, param->value) : tensor_named(c, key, index);
}

/* Items keep their types of ONNX in an import, so that 16 bits differ from 32. */
int32_t pnnx_type_in_onnx(enum pnnx_type type)
{
    static const int32_t types[PNNX_TYPE_COUNT] = {
        [PNNX_F32] = ONNX_FLOAT,    [PNNX_F64] = ONNX_DOUBLE, [PNNX_F16] = ONNX_FLOAT16,
        [PNNX_I32] = ONNX_INT32,    [PNNX_I64] = ONNX_INT64,  [PNNX_I16] = ONNX_INT16,
        [PNNX_I8] = ONNX_INT8,      [PNNX_U8] = ONNX_UINT8,   [PNNX_BOOL] = ONNX_BOOL,
        [PNNX_BF16] = ONNX_BFLOAT16};

    assert(type < PNNX_TYPE_COUNT);
    return types[type];
}

const char *onnx_type_in_pnnx(int32_t type)
{
    enum pnnx_type found = PNNX_F32;

    while (found < PNNX_TYPE_COUNT && pnnx_type_in_onnx(found) != type)
        found = (enum pnnx_type)(found + 1);
    return found < PNNX_TYPE_COUNT ? pnnx_type_name(found) : onnx_type_name(type);
}

int32_t onnx_type_named(const char *name)
{
    static const struct {
        const char *name;
        int32_t type;
    } types[] = {{"torch.float", ONNX_FLOAT},       {"torch.float32", ONNX_FLOAT},
                 {"torch.double", ONNX_DOUBLE},     {"torch.float64", ONNX_DOUBLE},
                 {"torch.half", ONNX_FLOAT16},      {"torch.float16", ONNX_FLOAT16},
                 {"torch.bfloat16", ONNX_BFLOAT16}, {"torch.int", ONNX_INT32},
                 {"torch.int32", ONNX_INT32},       {"torch.long", ONNX_INT64},
                 {"torch.int64", ONNX_INT64},       {"torch.short", ONNX_INT16},
                 {"torch.int16", ONNX_INT16},       {"torch.int8", ONNX_INT8},
                 {"torch.uint8", ONNX_UINT8},       {"torch.bool", ONNX_BOOL}};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].type;
    return ONNX_UNDEFINED;
}

/* A view of the archive where the type and alignment of the items allow it. */
struct imported *weight_named(struct pnnx_call *c, const char *name)
{
    const struct pnnx_pair *a = pnnx_find(c->op, PNNX_ATTRIBUTE, name);
    struct import_builder *builder = c->t.builder;
    int64_t extent[MAX_RANK];
    struct tensor items;

    if (!a)
        return NULL;
    if (pnnx_type_in_onnx(a->shape->type) == ONNX_UNDEFINED || a->shape->rank > MAX_RANK)
        return import_unsupported(&c->t, "has weights '%s' of type %s and rank %d", name,
                                  pnnx_type_name(a->shape->type), a->shape->rank);
    for (int i = 0; i < a->shape->rank; i++)
        extent[i] = a->shape->dim[i].extent;
    const struct onnx_tensor tensor = {.name = pnnx_member_name(builder->context, c->op, a),
                                       .data_type = pnnx_type_in_onnx(a->shape->type),
                                       .dims = {.item = extent, .count = a->shape->rank},
                                       .raw_data = {a->data, a->size}};
    struct shared_key key = shared_key(builder->context->shared, "attribute");
    shared_key_number(&key, (int64_t)(uintptr_t)a);
    const struct tensor *known = shared_find(&key);
    if (!known && onnx_tensor_items(builder->context->diag, c->t.who, &tensor, NULL, &items))
        known = builder_share(builder, &key, &items);
    shared_key_free(&key);
    c->t.failed |= !known;
    return known ? imported_known(builder, tensor.name, tensor.data_type, known) : NULL;
}

/* --- numbers -------------------------------------------------------------------------------- */

struct imported *number_value(struct pnnx_call *c, const struct pnnx_value *value)
{
    if (value->kind != PNNX_LOGICAL && !value->is_number)
        return import_unsupported(&c->t, "computes with '%s'",
                                  value->text ? value->text : "a list");
    if (value->kind == PNNX_INTEGER)
        return known_integer(&c->t, value->integer, ONNX_INT64);
    if (value->kind == PNNX_LOGICAL)
        return convert(&c->t, literal(&c->t, value->integer != 0), ONNX_BOOL);
    return literal(&c->t, value->real);
}

/* --- compositions --------------------------------------------------------------------------- */

/* By the type of the parameter. PNNX has another key for some parameters of onnx.nnef. */
static struct datum read_argument(struct translation *t, const struct sig_param *param, int tensors)
{
    struct pnnx_call *c = (struct pnnx_call *)t;
    const struct datum *otherwise = &param->value;
    const bool is_keepdims = strcmp(param->name, "keepdims") == 0;
    const char *key = is_keepdims                           ? "keepdim"
                      : strcmp(param->name, "epsilon") == 0 ? "eps"
                                                            : param->name;
    const char *text;

    (void)tensors;
    switch (param->type->kind) {
    case TYPE_INTEGER:
        return (struct datum){.kind = DATUM_INTEGER,
                              .integer = arg_int(c, key, otherwise->integer)};
    case TYPE_LOGICAL: /* PyTorch drops dimensions by default, where ONNX keeps them */
        return (struct datum){.kind = DATUM_LOGICAL,
                              .logical = arg_flag(c, key, otherwise->logical && !is_keepdims)};
    case TYPE_SCALAR:
        return (struct datum){.kind = DATUM_SCALAR, .scalar = arg_real(c, key, otherwise->scalar)};
    case TYPE_STRING:
        text = arg_text(c, key, otherwise->string);
        return (struct datum){.kind = DATUM_STRING, .count = (int)strlen(text), .string = text};
    case TYPE_ARRAY:
        assert(c->axes);
        return datum_of_integers(t->builder->context->arena, c->axes->item, c->axes->count,
                                 DATUM_ARRAY);
    case TYPE_POISON:
    case TYPE_GENERIC:
    case TYPE_TENSOR:
    case TYPE_EMPTY_ARRAY:
    case TYPE_TUPLE:
        break;
    }
    assert(false); /* no fragment has a parameter of another type */
    return (struct datum){0};
}

/* The libraries are read when the first composition is met. */
static const struct signature *find_fragment(struct pnnx_call *c, const char *name)
{
    struct import_builder *builder = c->t.builder;
    const struct library *onnx = builder_compositions(builder, IMPORT_ONNX);

    if (!c->import->compositions && onnx)
        c->import->compositions = library_above(builder->context, builder->standard, LIBRARY_PNNX);
    const struct signature *sig =
        c->import->compositions ? library_find(c->import->compositions, name) : NULL;
    return sig || !onnx ? sig : library_find(onnx, name);
}

struct imported *compose(struct pnnx_call *c, const char *fragment, struct imported *const *in,
                         int count, const struct integers *axes)
{
    const struct signature *sig = find_fragment(c, fragment);

    if (c->t.failed || !sig || !in[0])
        return NULL;
    c->axes = axes;
    return expand_fragment(&c->t, sig, in, count, read_argument);
}

struct imported *compose1(struct pnnx_call *c, const char *fragment, struct imported *x)
{
    return compose(c, fragment, &x, 1, NULL);
}

struct imported *convert_composition(struct pnnx_call *c, struct imported *x)
{
    return compose1(c, c->row->fragment, x);
}
