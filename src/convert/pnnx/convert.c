/* convert.c - parameters, inputs and weights of an operator of PNNX, and nodes of ONNX; see say.h */
#include "convert/pnnx/convert.h"

#include "base/arena.h"
#include "base/text.h"
#include "convert/proto/onnx_build.h"
#include "convert/proto/onnx_data.h"
#include "diag/context.h"

#include <string.h>

/* Of operators as they are said: whatever is newer has no other meaning. */
enum { SAID_OPSET = 21, PNNX_END = INT32_MAX };

static struct arena *arena_of(const struct say *s)
{
    return s->t.builder->context->arena;
}

struct imported *say_refuse(struct say *s, const char *fmt, ...)
{
    struct text text = {0};
    va_list args;

    va_start(args, fmt);
    text_add_v(&text, fmt, args);
    va_end(args);
    import_unsupported(&s->t, "%s", text.data);
    text_free(&text);
    return NULL;
}

/* --- parameters ---------------------------------------------------------------------------- */

/* What a parameter is: in the line, or an operand that is known. */
struct setting {
    const struct pnnx_value *value;
    const struct given *given;
};

static bool find(struct say *s, const char *key, struct setting *setting)
{
    const struct pnnx_param *param = pnnx_param_of(s->op, key);

    *setting = (struct setting){param ? param->value : NULL, NULL};
    for (int i = 0; !param && i < s->op->nin; i++)
        if (s->op->key[i] && strcmp(s->op->key[i], key) == 0)
            setting->given = s->given[i];
    if (setting->given && setting->given->word) {
        setting->value = setting->given->word;
        setting->given = NULL;
    }
    return setting->given || (setting->value && setting->value->kind != PNNX_NONE);
}

bool say_has(struct say *s, const char *key)
{
    struct setting setting;

    return find(s, key, &setting);
}

static bool wrong(struct say *s, const char *key, const char *expected)
{
    const struct pnnx_param *param = pnnx_param_of(s->op, key);

    if (param)
        s->t.span = param->span;
    return import_error(&s->t, DIAG_PNNX_VALUE, "has a parameter '%s' that is no %s", key,
                        expected);
}

bool whole_of(double number, int64_t *whole)
{
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

static bool known_number(const struct given *given, double *number)
{
    const struct imported *imported = given ? given->imported : NULL;

    if (!imported || !imported->known || shape_volume(&imported->shape) != 1)
        return false;
    *number = tensor_item(imported->known, 0);
    return true;
}

/* Numbers in 64 bits are exact as doubles as far as extents, axes and counts go. */
static bool number_of(struct say *s, const char *key, const struct setting *setting, double *number)
{
    const struct pnnx_value *value = setting->value;

    if (!value)
        return known_number(setting->given, number) || wrong(s, key, "number that is known");
    if (value->kind == PNNX_LOGICAL)
        *number = (double)value->integer;
    else if (value->kind == PNNX_LIST && value->count == 1 && value->first->is_number)
        *number = value->first->real;
    else if (value->is_number)
        *number = value->real;
    else
        return wrong(s, key, "number");
    return true;
}

double say_real(struct say *s, const char *key, double otherwise)
{
    struct setting setting;
    double number;

    if (!find(s, key, &setting) || !number_of(s, key, &setting, &number))
        return otherwise;
    return number;
}

int64_t say_int(struct say *s, const char *key, int64_t otherwise)
{
    struct setting setting;
    double number;

    if (!find(s, key, &setting) || !number_of(s, key, &setting, &number))
        return otherwise;
    int64_t whole;
    if (whole_of(number, &whole))
        return integer_of(whole);
    wrong(s, key, "integer");
    return otherwise;
}

bool say_flag(struct say *s, const char *key, bool otherwise)
{
    double number = say_real(s, key, otherwise);

    return number < 0 || number > 0;
}

const char *say_text(struct say *s, const char *key, const char *otherwise)
{
    struct setting setting;

    if (!find(s, key, &setting))
        return otherwise;
    if (setting.value && setting.value->text)
        return setting.value->text;
    wrong(s, key, "text");
    return otherwise;
}

static bool real_list(struct say *s, const char *key, const struct pnnx_value *list, double *items)
{
    for (const struct pnnx_value *v = list->first; v; v = v->next) {
        if (!v->is_number)
            return wrong(s, key, "list of numbers");
        *items++ = v->real;
    }
    return true;
}

static bool given_list(struct say *s, const char *key, const struct given *given,
                       const double **items, int *count)
{
    const struct imported *imported = given->imported;
    int64_t limit = s->t.builder->context->limits.array_length;

    if (given->is_list) {
        double *list = import_alloc(&s->t, given->count, sizeof *list);
        for (int i = 0; i < given->count; i++)
            if (!known_number(given->items[i], &list[i]))
                return wrong(s, key, "list of numbers that are known");
        *items = list;
        *count = given->count;
        return true;
    }
    if (!imported || !imported->known || shape_volume(&imported->shape) > limit)
        return wrong(s, key, "list of numbers that are known");
    *count = (int)shape_volume(&imported->shape);
    double *list = import_alloc(&s->t, *count, sizeof *list);
    for (int i = 0; i < *count; i++)
        list[i] = tensor_item(imported->known, i);
    *items = list;
    return true;
}

bool say_reals(struct say *s, const char *key, const double **items, int *count)
{
    struct setting setting;

    if (!find(s, key, &setting))
        return false;
    if (setting.given)
        return given_list(s, key, setting.given, items, count);
    bool single = setting.value->kind != PNNX_LIST;
    double *list = import_alloc(&s->t, single ? 1 : setting.value->count, sizeof *list);
    *count = single ? 1 : setting.value->count;
    *items = list;
    return single ? number_of(s, key, &setting, list) : real_list(s, key, setting.value, list);
}

bool say_ints(struct say *s, const char *key, struct integers *items)
{
    const double *numbers = NULL;
    int count = 0;

    if (!say_reals(s, key, &numbers, &count))
        return false;
    int64_t *list = import_alloc(&s->t, count, sizeof *list);
    for (int i = 0; i < count; i++) {
        if (!whole_of(numbers[i], &list[i]))
            return wrong(s, key, "list of integers");
        list[i] = integer_of(list[i]);
    }
    *items = (struct integers){count, list};
    return true;
}

bool say_axis(struct say *s, const char *key, int64_t otherwise, int rank, int *axis)
{
    int64_t named = say_int(s, key, otherwise);

    return !s->t.failed && resolve_axis(&s->t, named, rank > 0 ? rank : 1, axis);
}

bool say_axes(struct say *s, const char *key, int rank, struct integers *axes)
{
    struct integers named;

    return say_ints(s, key, &named) && resolve_axes(&s->t, &named, rank, axes);
}

/* --- tensors ------------------------------------------------------------------------------- */

struct imported *say_in(struct say *s, int index)
{
    if (s->t.failed)
        return NULL;
    if (index < s->op->nin && s->t.in[index])
        return s->t.in[index];
    import_error(&s->t, DIAG_PNNX_OPERAND, "has no tensor as input %d", index);
    return NULL;
}

struct imported *say_option(struct say *s, const char *key)
{
    for (int i = 0; i < s->op->nin; i++)
        if (s->op->key[i] && strcmp(s->op->key[i], key) == 0)
            return s->t.in[i];
    return NULL;
}

struct imported *say_argument(struct say *s, const char *key, int index)
{
    struct imported *imported = say_option(s, key);

    return imported ? imported : say_in(s, index);
}

struct imported *say_operand(struct say *s, const char *key, int index)
{
    const struct pnnx_param *param = pnnx_param_of(s->op, key);

    return param ? say_number(s, param->value) : say_argument(s, key, index);
}

int32_t say_type(enum pnnx_type type)
{
    static const int32_t types[PNNX_TYPE_COUNT] = {
        [PNNX_F32] = ONNX_FLOAT,    [PNNX_F64] = ONNX_DOUBLE, [PNNX_F16] = ONNX_FLOAT16,
        [PNNX_I32] = ONNX_INT32,    [PNNX_I64] = ONNX_INT64,  [PNNX_I16] = ONNX_INT16,
        [PNNX_I8] = ONNX_INT8,      [PNNX_U8] = ONNX_UINT8,   [PNNX_BOOL] = ONNX_BOOL,
        [PNNX_BF16] = ONNX_BFLOAT16};

    return types[type];
}

int32_t say_type_named(const char *name)
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

static const char *weight_name(const struct say *s, const char *name)
{
    struct text text = {0};

    text_add(&text, "%s.%s", s->op->name, name);
    const char *full = arena_strndup(arena_of(s), text.data, text.size);
    text_free(&text);
    return full;
}

struct imported *say_weight(struct say *s, const char *name)
{
    const struct pnnx_attribute *a = pnnx_attribute_of(s->op, name);
    struct import_builder *builder = s->t.builder;
    int64_t extent[MAX_RANK];
    struct tensor items;

    if (!a)
        return NULL;
    if (say_type(a->shape->type) == ONNX_UNDEFINED || a->shape->rank > MAX_RANK)
        return say_refuse(s, "has weights '%s' of type %s and rank %d", name,
                          pnnx_type_name(a->shape->type), a->shape->rank);
    for (int i = 0; i < a->shape->rank; i++)
        extent[i] = a->shape->dim[i].extent;
    struct onnx_tensor *tensor =
        onnx_tensor_new(arena_of(s), weight_name(s, name),
                        (enum onnx_data_type)say_type(a->shape->type), extent, a->shape->rank);
    onnx_tensor_raw(tensor, a->data, a->size);
    if (!onnx_tensor_items(builder->context->diag, s->t.who, tensor, NULL, &items)) {
        s->t.failed = true;
        return NULL;
    }
    return imported_known(builder, tensor->name, tensor->data_type, builder_keep(builder, &items));
}

/* --- numbers ------------------------------------------------------------------------------- */

/* An integer keeps its type, a real number has that of what it meets. */
struct imported *say_number(struct say *s, const struct pnnx_value *value)
{
    bool whole = value->kind == PNNX_INTEGER || value->kind == PNNX_LOGICAL;
    struct shape single = {0};
    struct tensor *items;

    if (value->kind != PNNX_LOGICAL && !value->is_number)
        return say_refuse(s, "computes with '%s'", value->text ? value->text : "a list");
    if (!whole)
        return literal(&s->t, value->real);
    bool truth = value->kind == PNNX_LOGICAL;
    struct imported *imported = known_new(&s->t, truth ? ONNX_BOOL : ONNX_INT64, &single, &items);
    if (imported && truth)
        *(unsigned char *)items->data = value->integer != 0;
    else if (imported)
        *(int64_t *)items->data = value->integer;
    return imported;
}

/* --- nodes of ONNX ------------------------------------------------------------------------- */

void say_begin(struct say *s, const char *type)
{
    s->node = onnx_node_new(arena_of(s), s->import->saying, type);
}

void node_int(struct say *s, const char *name, int64_t value)
{
    onnx_node_int(arena_of(s), s->node, name, value);
}

void node_ints(struct say *s, const char *name, const int64_t *items, int count)
{
    onnx_node_ints(arena_of(s), s->node, name, items, count);
}

void node_real(struct say *s, const char *name, double value)
{
    onnx_node_float(arena_of(s), s->node, name, (float)value);
}

void node_text(struct say *s, const char *name, const char *value)
{
    onnx_node_string(arena_of(s), s->node, name, value);
}

struct imported *say_end(struct say *s, struct imported *const *in, int count,
                         struct imported **out, int outputs)
{
    struct translation inner = {.builder = s->t.builder,
                                .node = s->node,
                                .span = s->t.span,
                                .who = s->t.who,
                                .nin = count,
                                .nout = outputs,
                                .opset = SAID_OPSET};
    inner.row = import_find_operator(inner.builder, s->node);
    if (s->t.failed || !in[0] || !inner.row)
        return NULL;
    while (inner.nin > inner.row->min && !in[inner.nin - 1])
        inner.nin--;
    inner.in = import_alloc(&inner, count, sizeof *inner.in);
    memcpy(inner.in, in, (size_t)count * sizeof(struct imported *));
    inner.out = import_alloc(&inner, outputs, sizeof *inner.out);
    for (int i = 0; i < outputs; i++)
        onnx_node_output(arena_of(s), s->node, "wanted");
    struct imported *first = inner.row->import(&inner);
    s->t.failed |= inner.failed;
    first = inner.out[0] ? inner.out[0] : first;
    for (int i = 0; i < outputs && out; i++)
        out[i] = i ? inner.out[i] : first;
    return s->t.failed ? NULL : first;
}

struct imported *say_end1(struct say *s, struct imported *x)
{
    return say_end(s, &x, 1, NULL, 1);
}

struct imported *say1(struct say *s, const char *type, struct imported *x)
{
    say_begin(s, type);
    return say_end1(s, x);
}

struct imported *say2(struct say *s, const char *type, struct imported *x, struct imported *y)
{
    say_begin(s, type);
    return y ? say_end(s, (struct imported *[]){x, y}, 2, NULL, 1) : NULL;
}
