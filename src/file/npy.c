/*
 * npy.c - NumPy's array file
 *
 *     93 "NUMPY", major and minor version, size of the header (2 bytes; 4 since version 2), header
 *
 * The header is a Python dictionary of 'descr', 'fortran_order' and 'shape', in any order, and no
 * other keys. Data follow it at once.
 */
#include "file/npy.h"

#include "base/num.h"
#include "base/text.h"
#include "diag/diag.h"
#include "file/file.h"
#include "file/out.h"
#include "file/payload.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

enum { VERSION_AT = 6, SIZE_AT = 8, ALIGNMENT = 64 };

/* A header being read; `at` runs from its start to `end`. */
struct npy_reader {
    const struct reading *reading;
    struct diag *diag;
    const char *name, *at, *end;
};

struct array {
    struct item_format format;
    struct shape shape;
    bool fortran_order;
    bool has_format, has_order, has_shape;
};

bool npy_recognise(const struct file_view *file)
{
    return file->size >= sizeof magic && memcmp(file->data, magic, sizeof magic) == 0;
}

static bool malformed(const struct npy_reader *r, const char *what)
{
    return diag_file_error(r->diag, r->name, DIAG_DATA_HEADER, "malformed .npy file: %s", what);
}

static void skip_space(struct npy_reader *r)
{
    while (r->at < r->end && strchr(" \t\n", *r->at) && *r->at)
        r->at++;
}

/* Skip spaces, then `c`; false if something else comes next. */
static bool accept(struct npy_reader *r, char c)
{
    skip_space(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool accept_word(struct npy_reader *r, const char *word)
{
    size_t size = strlen(word);

    skip_space(r);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0)
        return false;
    r->at += size;
    return true;
}

enum { STRING_SIZE = 32 };

/* A string in single or double quotes; escapes are refused, no key and no type needs them. */
static bool read_string(struct npy_reader *r, char string[STRING_SIZE])
{
    size_t size = 0;

    skip_space(r);
    const char quote = (char)(r->at < r->end ? *r->at : 0);
    if (quote != '\'' && quote != '"')
        return false;
    for (r->at++; r->at < r->end && *r->at != quote; r->at++) {
        if (size + 1 == STRING_SIZE || *r->at == '\\')
            return false;
        string[size++] = *r->at;
    }
    string[size] = '\0';
    return accept(r, quote);
}

/* The letters of types in 'descr'; quantized items are plain integers to NumPy. */
static const char type_letter[ITEM_TYPE_COUNT] = {
    [ITEM_FLOAT] = 'f',
    [ITEM_UNSIGNED] = 'u',
    [ITEM_QUANTIZED_UNSIGNED] = 'u',
    [ITEM_QUANTIZED_SIGNED] = 'i',
    [ITEM_SIGNED] = 'i',
    [ITEM_BOOL] = 'b',
};

/* Decode byte order, type and bytes of an item, as in "<f4". */
static bool decode_descr(const char *descr, struct item_format *format)
{
    bool order = strchr("<>|", descr[0]) != NULL && descr[0];
    int size = order && descr[1] ? descr[2] - '0' : 0;

    if ((size != 1 && size != 2 && size != 4 && size != 8) || descr[3] ||
        (descr[0] == '|' && size > 1))
        return false;
    /* Of the two types that share a letter, the one that is not quantized is meant. */
    int type = ITEM_TYPE_COUNT - 1;
    while (type >= 0 && type_letter[type] != descr[1])
        type--;
    if (type < 0)
        return false;
    format->type = type == ITEM_QUANTIZED_UNSIGNED ? ITEM_UNSIGNED : (enum item_type)type;
    format->bits = 8 * size;
    format->big_endian = descr[0] == '>' && size > 1;
    return item_format_valid(format);
}

static bool read_shape(struct npy_reader *r, struct shape *shape)
{
    if (!accept(r, '('))
        return malformed(r, "'shape' is no tuple");
    while (!accept(r, ')')) {
        skip_space(r);
        const char *begin = r->at;
        while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
            r->at++;
        if (shape->rank == MAX_RANK)
            return malformed(r, "more than 8 dimensions");
        if (!num_parse_integer(begin, (size_t)(r->at - begin), &shape->extent[shape->rank++]))
            return malformed(r, "an extent is no integer in range");
        if (accept(r, ','))
            continue;
        /* Python requires the comma in a tuple of one item: (3) is a number. */
        if (shape->rank < 2 || !accept(r, ')'))
            return malformed(r, "'shape' is no tuple");
        break;
    }
    return true;
}

static bool read_entry(struct npy_reader *r, struct array *array)
{
    char key[STRING_SIZE];

    if (!read_string(r, key) || !accept(r, ':'))
        return malformed(r, "its header is no dictionary");
    if (strcmp(key, "descr") == 0 && !array->has_format) {
        char descr[STRING_SIZE];
        skip_space(r);
        if (r->at < r->end && *r->at == '[')
            return diag_file_error(r->diag, r->name, DIAG_NOT_SUPPORTED,
                                   "arrays of records are not supported");
        if (!read_string(r, descr))
            return malformed(r, "'descr' is no string");
        array->has_format = true;
        return decode_descr(descr, &array->format) ||
               diag_file_error(r->diag, r->name, DIAG_NOT_SUPPORTED,
                               "arrays of type '%s' are not supported", descr);
    }
    if (strcmp(key, "fortran_order") == 0 && !array->has_order) {
        array->has_order = true;
        array->fortran_order = accept_word(r, "True");
        return array->fortran_order || accept_word(r, "False") ||
               malformed(r, "'fortran_order' is neither True nor False");
    }
    if (strcmp(key, "shape") == 0 && !array->has_shape) {
        array->has_shape = true;
        return read_shape(r, &array->shape);
    }
    return diag_file_error(r->diag, r->name, DIAG_DATA_HEADER,
                           "malformed .npy file: key '%s' is unknown or repeated", key);
}

static bool read_dictionary(struct npy_reader *r, struct array *array)
{
    bool closed = false;

    if (!accept(r, '{'))
        return malformed(r, "its header is no dictionary");
    while (!closed && !(closed = accept(r, '}'))) {
        if (!read_entry(r, array))
            return false;
        if (accept(r, ','))
            continue;
        closed = accept(r, '}');
        if (!closed)
            return malformed(r, "its header is no dictionary");
    }
    skip_space(r);
    if (r->at != r->end)
        return malformed(r, "text after the dictionary of its header");
    if (!array->has_format || !array->has_order || !array->has_shape)
        return malformed(r, "its header lacks 'descr', 'fortran_order' or 'shape'");
    return true;
}

/* The shape in which column-major items of `shape` are row-major. */
static struct shape reversed(const struct shape *shape)
{
    struct shape result = {.rank = shape->rank};

    for (int i = 0; i < shape->rank; i++)
        result.extent[i] = shape->extent[shape->rank - 1 - i];
    return result;
}

/* Replace a tensor with column-major items by one with row-major items. */
static bool transpose(const struct npy_reader *r, struct tensor *tensor)
{
    struct shape shape = reversed(&tensor->shape);
    size_t size = dtype_size(tensor->dtype);
    int64_t stride[MAX_RANK], index[MAX_RANK] = {0};
    int64_t count = shape_volume(&shape), at = 0;
    int rank = shape.rank;
    struct tensor result;

    if (!reading_allocate(r->reading, &result, tensor->dtype, &shape)) {
        tensor_clear(tensor);
        return false;
    }
    /* Dimension d of the result is dimension rank - 1 - d of the items as they are. */
    shape_strides(&tensor->shape, stride);
    for (int64_t i = 0; i < count; i++) {
        memcpy((char *)result.data + (size_t)i * size,
               (const char *)tensor->data + (size_t)at * size, size);
        for (int d = rank - 1; d >= 0; d--) {
            at += stride[rank - 1 - d];
            if (++index[d] < shape.extent[d])
                break;
            at -= stride[rank - 1 - d] * index[d];
            index[d] = 0;
        }
    }
    tensor_clear(tensor);
    *tensor = result;
    return true;
}

/* *offset receives where the items begin. */
static bool read_header(struct npy_reader *r, const struct file_view *file, struct array *array,
                        size_t *offset)
{
    const unsigned char *data = file->data;
    int major = file->size > VERSION_AT ? data[VERSION_AT] : 0;
    size_t begin = SIZE_AT + (major == 1 ? 2 : 4);

    if (!npy_recognise(file))
        return malformed(r, "it does not start with 93 'NUMPY'");
    if (file->size > VERSION_AT && (major < 1 || major > 3))
        return diag_file_error(r->diag, r->name, DIAG_DATA_HEADER,
                               ".npy file of version %d, expected 1 to 3", major);
    uint64_t length = file->size < begin ? 0 : bytes_load(data + SIZE_AT, (int)(begin - SIZE_AT));
    if (file->size < begin || length > file->size - begin)
        return diag_file_error(r->diag, r->name, DIAG_DATA_LENGTH,
                               ".npy file of %zu bytes is shorter than its header", file->size);
    r->at = (const char *)data + begin;
    r->end = r->at + length;
    *offset = begin + (size_t)length;
    return read_dictionary(r, array);
}

/* Read the file, which the caller closes unless the tensor takes it over. */
static bool read_array(struct npy_reader *r, struct file_view *file, struct array *array,
                       struct tensor *tensor)
{
    size_t offset = 0;

    if (!read_header(r, file, array, &offset))
        return false;

    /* The bytes behind the header must be exactly the items of the array. */
    int64_t volume, bytes = INT64_MAX;
    if (shape_volume_checked(&array->shape, INT64_MAX / 64, &volume))
        bytes = item_bytes(&array->format, volume);
    if (!reading_claim(r->reading, &array->shape, bytes, file->size - offset))
        return false;
    if (file->size - offset != (uint64_t)bytes)
        return diag_file_error(r->diag, r->name, DIAG_DATA_LENGTH,
                               ".npy file has %zu bytes of data, but shape %s with %d bits an item "
                               "takes %" PRId64,
                               file->size - offset, SHAPE_TEXT(&array->shape), array->format.bits,
                               bytes);
    struct payload payload = {array->format, array->shape, offset, false};
    if (array->fortran_order)
        payload.shape = reversed(&array->shape);
    return payload_take(r->reading, &payload, file, tensor) &&
           (!array->fortran_order || transpose(r, tensor));
}

bool npy_read_view(const struct reading *reading, struct file_view *file, struct tensor *tensor,
                   struct item_format *format)
{
    struct npy_reader r = {.reading = reading, .diag = reading->diag, .name = reading->name};
    struct array array = {.shape = {.rank = 0}};
    bool ok = read_array(&r, file, &array, tensor);

    file_close(file);
    if (format)
        *format = array.format;
    return ok;
}

bool npy_read_shape(const struct reading *reading, const struct file_view *file,
                    struct shape *shape)
{
    struct npy_reader r = {.reading = reading, .diag = reading->diag, .name = reading->name};
    struct array array = {.shape = {.rank = 0}};
    size_t offset = 0;
    bool ok = read_header(&r, file, &array, &offset);

    *shape = array.shape;
    return ok;
}

/*
 * Add a header, padded with spaces and ended by a newline so that the items are aligned.  False if
 * NumPy has no such format.
 */
static bool add_header(struct text *header, const struct tensor *tensor,
                       const struct item_format *format)
{
    int size = format->bits / 8;

    assert(format->type < ITEM_TYPE_COUNT && tensor->shape.rank <= MAX_RANK);
    text_add_bytes(header, (const char *)magic, sizeof magic);
    text_add_bytes(header, "\1\0\0\0", 4);
    text_add(header, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (", size > 1 ? '<' : '|',
             type_letter[format->type], size);
    for (int i = 0; i < tensor->shape.rank; i++)
        text_add(header, "%s%" PRId64, i ? ", " : "", tensor->shape.extent[i]);
    text_add(header, "%s), }", tensor->shape.rank == 1 ? "," : "");
    size_t padding = ALIGNMENT - 1 - header->size % ALIGNMENT;
    text_add(header, "%*s\n", (int)padding, "");
    bytes_store((unsigned char *)header->data + SIZE_AT, 2, header->size - SIZE_AT - 2);
    return format->bits % 8 == 0 && (size & (size - 1)) == 0;
}

int64_t npy_size(const struct tensor *tensor)
{
    struct item_format format = tensor_item_format(tensor);
    struct text header = {0};

    (void)add_header(&header, tensor, &format);
    int64_t size = (int64_t)header.size + item_bytes(&format, shape_volume(&tensor->shape));
    text_free(&header);
    return size;
}

bool npy_put(struct diag *diag, const struct sink *sink, const struct tensor *tensor,
             const struct item_format *format)
{
    struct item_format standard = tensor_item_format(tensor);
    struct text header = {0};

    format = format ? format : &standard;
    bool ok = add_header(&header, tensor, format);
    if (ok)
        sink->put(sink->to, header.data, header.size);
    text_free(&header);
    return ok ? payload_write(diag, sink, tensor, format)
              : diag_file_error(diag, sink->name, DIAG_CANNOT_WRITE,
                                "cannot write: NumPy has no %s of %d bits",
                                item_type_name(format->type), format->bits);
}
