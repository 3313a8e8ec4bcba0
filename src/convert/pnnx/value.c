/* value.c - values and shapes of the text of a PNNX model */
#include "convert/pnnx/reader_priv.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/num.h"
#include "tensor/shape.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *name, *old;
    int size;
} types[PNNX_TYPE_COUNT] = {
    [PNNX_NULL] = {"null", NULL, 0}, [PNNX_F32] = {"f32", NULL, 4},
    [PNNX_F64] = {"f64", NULL, 8},   [PNNX_F16] = {"f16", NULL, 2},
    [PNNX_I32] = {"i32", NULL, 4},   [PNNX_I64] = {"i64", NULL, 8},
    [PNNX_I16] = {"i16", NULL, 2},   [PNNX_I8] = {"i8", NULL, 1},
    [PNNX_U8] = {"u8", NULL, 1},     [PNNX_BOOL] = {"bool", NULL, 1},
    [PNNX_C64] = {"c64", "cp64", 8}, [PNNX_C128] = {"c128", "cp128", 16},
    [PNNX_C32] = {"c32", "cp32", 4}, [PNNX_BF16] = {"bf16", NULL, 2},
};

const char *pnnx_type_name(enum pnnx_type type)
{
    assert(type < PNNX_TYPE_COUNT);
    return types[type].name;
}

const char *pnnx_type_old_name(enum pnnx_type type)
{
    assert(type < PNNX_TYPE_COUNT);
    return types[type].old;
}

int pnnx_type_size(enum pnnx_type type)
{
    assert(type < PNNX_TYPE_COUNT);
    return types[type].size;
}

/* `word` may be NULL, which nothing is. */
static bool is(const struct pnnx_piece *piece, const char *word)
{
    return word && (size_t)piece->size == strlen(word) &&
           memcmp(piece->text, word, strlen(word)) == 0;
}

/* --- values --------------------------------------------------------------------------------- */

/* The text is kept as written, so that the model can be written again. */
static struct pnnx_value *value_new(struct context *context, enum pnnx_kind kind,
                                    const struct pnnx_piece *piece)
{
    struct pnnx_value *value = arena_new_of(context->arena, struct pnnx_value);

    assert(piece->size >= 0);
    value->kind = kind;
    value->text = intern(context->names, piece->text, (size_t)piece->size);
    value->span = piece->span;
    return value;
}

struct pnnx_value *reader_text(struct context *context, struct pnnx_piece text)
{
    return value_new(context, PNNX_TEXT, &text);
}

/* "1.5e-3", "-2", "inf". */
static bool read_real(const char *text, int size, double *real)
{
    bool negative = size > 0 && text[0] == '-';
    struct pnnx_piece size_of_it = {text + negative, size - negative, {0}};

    if (is(&size_of_it, "inf") || is(&size_of_it, "nan")) {
        *real = is(&size_of_it, "nan") ? (double)NAN
                : negative             ? -(double)INFINITY
                                       : (double)INFINITY;
        return true;
    }
    return num_parse_scalar(text, (size_t)size, real);
}

/* "1.5e+00+-2e+00j": the sign that divides it is no sign of an exponent. */
static bool read_complex(const struct pnnx_piece *atom, struct pnnx_value *value)
{
    int at = atom->size - 1;

    if (at < 3 || atom->text[at] != 'j')
        return false;
    for (int i = 1; i < at; i++) {
        bool divides = atom->text[i] == '+' && !strchr("eE", atom->text[i - 1]);
        if (divides && read_real(atom->text, i, &value->real) &&
            read_real(atom->text + i + 1, at - i - 1, &value->imaginary))
            return true;
    }
    return false;
}

/* A word, a number of any kind, or a text if it is neither. */
struct pnnx_value *reader_atom(struct context *context, struct pnnx_piece atom)
{
    struct pnnx_value *value = value_new(context, PNNX_TEXT, &atom);

    if (atom.size > 1 && atom.text[0] == '+') {
        atom.text++;
        atom.size--;
    }
    if (is(&atom, "None")) {
        value->kind = PNNX_NONE;
    } else if (is(&atom, "True") || is(&atom, "False")) {
        value->kind = PNNX_LOGICAL;
        value->integer = is(&atom, "True");
    } else if (num_parse_integer(atom.text, (size_t)atom.size, &value->integer)) {
        value->kind = PNNX_INTEGER;
        value->real = (double)value->integer;
        value->is_number = true;
    } else if (read_real(atom.text, atom.size, &value->real)) {
        value->kind = PNNX_REAL;
        value->is_number = true;
    } else if (read_complex(&atom, value)) {
        value->kind = PNNX_COMPLEX;
    }
    return value;
}

struct pnnx_value *reader_list(struct context *context, struct span span)
{
    struct pnnx_value *value = arena_new_of(context->arena, struct pnnx_value);

    value->kind = PNNX_LIST;
    value->span = span;
    return value;
}

struct pnnx_value *reader_list_close(struct pnnx_value *list, char bracket, struct span span)
{
    assert(list->kind == PNNX_LIST);
    list->bracket = bracket;
    list->span = span;
    return list;
}

/* The list knows its last item while it grows. */
struct pnnx_value *reader_item(const struct pnnx_reader *reader, struct pnnx_value *list,
                               struct pnnx_piece atom)
{
    struct pnnx_value *item = reader_atom(reader->context, atom);

    if (list->next)
        list->next->next = item;
    else
        list->first = item;
    list->next = item;
    list->count++;
    return list;
}

/* --- shapes --------------------------------------------------------------------------------- */

enum { MOST_EXTENTS = 1024 };

struct pnnx_shape *reader_shape_open(const struct pnnx_reader *reader)
{
    return arena_new_of(reader->context->arena, struct pnnx_shape);
}

struct pnnx_shape *reader_extent(struct pnnx_reader *reader, struct pnnx_shape *shape,
                                 struct pnnx_piece extent)
{
    struct pnnx_piece symbol = {extent.text + 1, extent.size - 1, extent.span};
    int rank = shape->rank;

    if (rank == MOST_EXTENTS) {
        reader_error(reader, extent.span, DIAG_PNNX_VALUE, "shape of more than %d dimensions",
                     MOST_EXTENTS);
        return shape;
    }
    shape->dim = arena_list(reader->context->arena, shape->dim, rank, sizeof *shape->dim);
    struct pnnx_dim *dim = &shape->dim[shape->rank++];
    dim->extent = PNNX_ANY;
    if (extent.text[0] == '%')
        dim->symbol = reader_name(reader, &symbol);
    else if (!is(&extent, "?") &&
             !num_parse_integer(extent.text, (size_t)extent.size, &dim->extent))
        reader_error(reader, extent.span, DIAG_PNNX_VALUE, "extent %.*s is out of range",
                     extent.size, extent.text);
    return shape;
}

/* An extent of 0 makes the product 0, however large the others are. */
bool pnnx_shape_bytes(const struct pnnx_shape *shape, int64_t *bytes)
{
    bool empty = false, ok = true;

    assert(shape->rank >= 0);
    *bytes = pnnx_type_size(shape->type);
    for (int i = 0; i < shape->rank; i++)
        empty |= shape->dim[i].extent == 0;
    for (int i = 0; i < shape->rank && ok && !empty; i++)
        if (shape->dim[i].extent != PNNX_ANY)
            ok = num_mul(*bytes, shape->dim[i].extent, bytes);
    *bytes = empty ? 0 : *bytes;
    return ok;
}

struct pnnx_shape *reader_shape_close(struct pnnx_reader *reader, struct pnnx_shape *shape,
                                      struct pnnx_piece type, struct span span)
{
    int64_t bytes;

    shape->span = span;
    shape->type = PNNX_TYPE_COUNT;
    for (int i = 0; i < PNNX_TYPE_COUNT; i++)
        if (is(&type, types[i].name) || is(&type, types[i].old))
            shape->type = (enum pnnx_type)i;
    shape->old_name = shape->type != PNNX_TYPE_COUNT && is(&type, types[shape->type].old);
    if (shape->type == PNNX_TYPE_COUNT) {
        shape->type = PNNX_NULL;
        reader_error(reader, type.span, DIAG_PNNX_VALUE,
                     "unknown element type '%.*s', expected one such as f32, i64 or bool",
                     type.size, type.text);
    } else if (!pnnx_shape_bytes(shape, &bytes)) {
        reader_error(reader, span, DIAG_PNNX_VALUE,
                     "a tensor of that shape has more than 2^63 bytes");
    }
    return shape;
}
