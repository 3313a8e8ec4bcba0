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

/* Skips `c`, after space, if it stands there. */
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

/* A string in either quotes, without escapes: no key and no type needs one. */
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

static bool find_type(char kind, enum item_type *type)
{
    switch (kind) {
    case 'f':
        *type = ITEM_FLOAT;
        return true;
    case 'i':
        *type = ITEM_SIGNED;
        return true;
    case 'u':
        *type = ITEM_UNSIGNED;
        return true;
    case 'b':
        *type = ITEM_BOOL;
        return true;
    default:
        return false;
    }
}

/* Byte order, kind, bytes: "<f4". */
static bool decode_descr(const char *descr, struct item_format *format)
{
    bool order = strchr("<>|", descr[0]) != NULL && descr[0];
    int size = order && descr[1] ? descr[2] - '0' : 0;

    if ((size != 1 && size != 2 && size != 4 && size != 8) || descr[3])
        return false;
    if ((descr[0] == '|' && size > 1) || !find_type(descr[1], &format->type))
        return false;
    format->bits = 8 * size;
    format->big_endian = descr[0] == '>' && size > 1;
    return item_format_valid(format);
}

static bool read_extent(struct npy_reader *r, struct shape *shape)
{
    const char *begin = r->at;

    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    if (shape->rank == MAX_RANK)
        return malformed(r, "more than 8 dimensions");
    if (!num_parse_integer(begin, (size_t)(r->at - begin), &shape->extent[shape->rank++]))
        return malformed(r, "an extent is no integer in range");
    return true;
}

static bool read_shape(struct npy_reader *r, struct array *array)
{
    array->has_shape = true;
    if (!accept(r, '('))
        return malformed(r, "'shape' is no tuple");
    while (!accept(r, ')')) {
        skip_space(r);
        if (!read_extent(r, &array->shape))
            return false;
        if (accept(r, ','))
            continue;
        /* (3) is a number and not a tuple. */
        if (array->shape.rank < 2 || !accept(r, ')'))
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
    if (strcmp(key, "shape") == 0 && !array->has_shape)
        return read_shape(r, array);
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

/* All items lie in the `size` bytes from r->end on, and nothing else does. */
static bool check_size(const struct npy_reader *r, const struct array *array, size_t size)
{
    int64_t volume, bytes = INT64_MAX;

    if (shape_volume_checked(&array->shape, INT64_MAX / 64, &volume))
        bytes = item_bytes(&array->format, volume);
    if (!reading_claim(r->reading, &array->shape, bytes, size))
        return false;
    return size == (uint64_t)bytes ||
           diag_file_error(r->diag, r->name, DIAG_DATA_LENGTH,
                           ".npy file has %zu bytes of data, but shape %s with %d bits an item "
                           "takes %" PRId64,
                           size, SHAPE_TEXT(&array->shape), array->format.bits, bytes);
}

/* Column-major items of `shape` are row-major ones of this. */
static struct shape reversed(const struct shape *shape)
{
    struct shape result = {.rank = shape->rank};

    for (int i = 0; i < shape->rank; i++)
        result.extent[i] = shape->extent[shape->rank - 1 - i];
    return result;
}

static void copy_transposed(const struct tensor *from, struct tensor *to)
{
    size_t size = dtype_size(from->dtype);
    int64_t stride[MAX_RANK], index[MAX_RANK] = {0};
    int64_t count = shape_volume(&to->shape), at = 0;
    int rank = to->shape.rank;

    shape_strides(&from->shape, stride);
    for (int64_t i = 0; i < count; i++) {
        memcpy((char *)to->data + (size_t)i * size, (const char *)from->data + (size_t)at * size,
               size);
        for (int d = rank - 1; d >= 0; d--) {
            at += stride[rank - 1 - d];
            if (++index[d] < to->shape.extent[d])
                break;
            at -= stride[rank - 1 - d] * index[d];
            index[d] = 0;
        }
    }
}

/* Replaces a tensor of column-major items by one of row-major items. */
static bool transpose(const struct npy_reader *r, struct tensor *tensor)
{
    struct shape shape = reversed(&tensor->shape);
    struct tensor result;

    if (!reading_allocate(r->reading, &result, tensor->dtype, &shape)) {
        tensor_clear(tensor);
        return false;
    }
    copy_transposed(tensor, &result);
    tensor_clear(tensor);
    *tensor = result;
    return true;
}

static bool take(struct npy_reader *r, struct file_view *file, struct array *array,
                 struct tensor *tensor)
{
    size_t offset;

    /* The header lies in r->at to r->end, and the data after it. */
    const unsigned char *data = file->data;
    int major = file->size > VERSION_AT ? data[VERSION_AT] : 0;
    size_t begin = SIZE_AT + (major == 1 ? 2 : 4);
    if (!npy_recognise(file))
        return malformed(r, "it does not start with 93 'NUMPY'");
    if (file->size > VERSION_AT && (major < 1 || major > 3))
        return diag_file_error(r->diag, r->name, DIAG_DATA_HEADER,
                               ".npy file of version %d, expected 1 to 3", major);
    if (file->size < begin ||
        bytes_load(data + SIZE_AT, (int)(begin - SIZE_AT)) > file->size - begin)
        return diag_file_error(r->diag, r->name, DIAG_DATA_LENGTH,
                               ".npy file of %zu bytes is shorter than its header", file->size);
    r->at = (const char *)data + begin;
    r->end = r->at + bytes_load(data + SIZE_AT, (int)(begin - SIZE_AT));
    offset = (size_t)(r->end - (const char *)file->data);
    if (!read_dictionary(r, array) || !check_size(r, array, file->size - offset))
        return false;
    struct payload payload = {array->format, array->shape, offset};
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
    bool ok = take(&r, file, &array, tensor);

    file_close(file);
    if (format)
        *format = array.format;
    return ok;
}

/* Padded so that the data are aligned, and ended by a newline. */
static bool add_header(struct text *header, const struct tensor *tensor,
                       const struct item_format *format)
{
    text_add_bytes(header, (const char *)magic, sizeof magic);
    text_add_bytes(header, "\1\0\0\0", 4);
    text_add(header, "{'descr': ");
    /* False if NumPy has no such type. */
    static const char kind[] = {
        [ITEM_FLOAT] = 'f',
        [ITEM_UNSIGNED] = 'u',
        [ITEM_QUANTIZED_UNSIGNED] = 'u',
        [ITEM_QUANTIZED_SIGNED] = 'i',
        [ITEM_SIGNED] = 'i',
        [ITEM_BOOL] = 'b',
    };
    int size = format->bits / 8;

    text_add(header, "'%c%c%d'", size > 1 ? '<' : '|', kind[format->type], size);
    bool known = format->bits % 8 == 0 && (size & (size - 1)) == 0;
    text_add(header, ", 'fortran_order': False, 'shape': (");
    for (int i = 0; i < tensor->shape.rank; i++)
        text_add(header, "%s%" PRId64, i ? ", " : "", tensor->shape.extent[i]);
    text_add(header, "%s), }", tensor->shape.rank == 1 ? "," : "");
    size_t padding = ALIGNMENT - 1 - header->size % ALIGNMENT;
    text_add(header, "%*s\n", (int)padding, "");
    bytes_store((unsigned char *)header->data + SIZE_AT, 2, header->size - SIZE_AT - 2);
    return known;
}

static bool write_array(struct diag *diag, const char *path, const struct tensor *tensor,
                        const struct item_format *format, const struct text *header)
{
    struct out_file file;

    if (!out_file_open(diag, path, &file))
        return false;
    struct sink sink = out_file_sink(&file);
    sink.put(sink.to, header->data, header->size);
    if (payload_write(diag, &sink, tensor, format))
        return out_file_commit(diag, &file);
    out_file_abandon(&file);
    return false;
}

bool npy_write(struct diag *diag, const char *path, const struct tensor *tensor,
               const struct item_format *format)
{
    struct item_format standard = item_format_of(tensor->dtype);
    struct text header = {0};

    format = format ? format : &standard;
    bool ok = add_header(&header, tensor, format)
                  ? write_array(diag, path, tensor, format, &header)
                  : diag_file_error(diag, path, DIAG_CANNOT_WRITE,
                                    "cannot write: NumPy has no %s of %d bits",
                                    item_type_name(format->type), format->bits);
    text_free(&header);
    return ok;
}

int64_t npy_size(const struct tensor *tensor)
{
    struct item_format format = item_format_of(tensor->dtype);
    struct text header = {0};

    (void)add_header(&header, tensor, &format);
    int64_t size = (int64_t)header.size + item_bytes(&format, shape_volume(&tensor->shape));
    text_free(&header);
    return size;
}

bool npy_put(struct diag *diag, const struct sink *sink, const struct tensor *tensor)
{
    struct item_format format = item_format_of(tensor->dtype);
    struct text header = {0};

    assert(dtype_size(tensor->dtype) > 0);
    (void)add_header(&header, tensor, &format);
    sink->put(sink->to, header.data, header.size);
    text_free(&header);
    return payload_write(diag, sink, tensor, &format);
}
