/*
 * dat.c - reads and writes the header of the tensor file (NNEF 1.0.5, section 5.2)
 *
 *     offset  0  magic 4E EF, major and minor version       48  item type, vendor (2 bytes each)
 *             4  bytes of data                              52  parameters, deprecated (32 bytes)
 *             8  rank                                       84  reserved (44 bytes)
 *            12  8 extents                                 128  data
 *            44  bits an item
 *
 * The provisional header has the same magic and version, but at 4 its own size, which is
 * 16 + 4 * rank + length of the algorithm, and after `rank` extents: item type and bits (1 byte
 * each), length of the algorithm (2 bytes), algorithm.  The size of the file tells which header it
 * is.  Each field is checked against that size before it is used.
 */
#include "file/dat.h"

#include "diag/diag.h"
#include "file/file.h"
#include "file/out.h"
#include "file/payload.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum {
    HEADER_SIZE = 128,
    LEGACY_SIZE = 132, /* the reference implementation wrote 4 bytes too many until October 2018 */
    PROVISIONAL_SIZE = 16, /* without extents and algorithm */
    EXTENTS_AT = 12,
    BITS_AT = 44,
    TYPE_AT = 48,
    VENDOR_AT = 50,
    PARAMETERS_AT = 52,
};

/* The fields of a header, unchecked. */
struct header {
    uint32_t length; /* bytes of the data, but in a provisional header of the header itself */
    uint32_t rank;
    uint32_t extent[MAX_RANK];
    uint32_t bits;
    unsigned type, vendor;
    uint32_t parameter[2];
    size_t offset; /* of the data */
    bool provisional, legacy;
};

struct dat_reader {
    const struct reading *reading;
    struct diag *diag;
    const char *name;
    const unsigned char *data;
    size_t size;
};

static uint32_t field(const struct dat_reader *r, size_t at)
{
    return bytes_load32(r->data + at);
}

bool dat_recognise(const struct file_view *file)
{
    const unsigned char *data = file->data;

    return file->size >= 2 && data[0] == 0x4E && data[1] == 0xEF;
}

static void load_start(const struct dat_reader *r, struct header *h)
{
    h->length = field(r, 4);
    h->rank = field(r, 8);
    for (size_t i = 0; i < MAX_RANK && i < h->rank; i++)
        h->extent[i] = field(r, EXTENTS_AT + 4 * i);
}

static bool load_current(const struct dat_reader *r, struct header *h)
{
    *h = (struct header){.offset = HEADER_SIZE};
    if (r->size < HEADER_SIZE)
        return false;
    load_start(r, h);
    h->bits = field(r, BITS_AT);
    h->type = bytes_load16(r->data + TYPE_AT);
    h->vendor = bytes_load16(r->data + VENDOR_AT);
    h->parameter[0] = field(r, PARAMETERS_AT);
    h->parameter[1] = field(r, PARAMETERS_AT + 4);
    if (r->size == (uint64_t)LEGACY_SIZE + h->length) {
        h->legacy = true;
        h->offset = LEGACY_SIZE;
    }
    return true;
}

/*
 * False if this is no provisional header.  The length of the header at 4 could also be the length
 * of the data in a current header; then the field for the bits of an item is zero here.
 */
static bool load_provisional(const struct dat_reader *r, struct header *h)
{
    size_t at;

    *h = (struct header){.provisional = true};
    if (r->size < PROVISIONAL_SIZE || field(r, 8) > MAX_RANK)
        return false;
    at = EXTENTS_AT + 4 * (size_t)field(r, 8);
    if (r->size < at + 4)
        return false;
    load_start(r, h);
    h->type = r->data[at];
    h->bits = r->data[at + 1];
    h->offset = at + 4 + bytes_load16(r->data + at + 2);
    return h->length == h->offset && h->offset <= r->size && h->type <= 3 && h->bits > 0;
}

static struct shape shape_of(const struct header *h)
{
    struct shape shape = {.rank = (int)h->rank};

    for (int i = 0; i < shape.rank; i++)
        shape.extent[i] = h->extent[i];
    return shape;
}

/* The bytes of all items; false if no file has so many.  The rank was checked before. */
static bool data_bytes(const struct header *h, int64_t *bytes)
{
    struct item_format format = {.bits = (int)(h->bits & 0xFF)};
    struct shape shape = shape_of(h);
    int64_t volume;

    assert(h->rank <= MAX_RANK);
    if (!shape_volume_checked(&shape, INT64_MAX / 256, &volume))
        return false;
    *bytes = item_bytes(&format, volume);
    return true;
}

static bool malformed(const struct dat_reader *r, const char *what)
{
    return diag_file_error(r->diag, r->name, DIAG_DATA_HEADER, "malformed tensor file: %s", what);
}

static bool check_extents(const struct dat_reader *r, const struct header *h)
{
    struct shape shape;
    int64_t bytes;

    if (h->rank > MAX_RANK)
        return diag_file_error(r->diag, r->name, DIAG_DATA_HEADER,
                               "malformed tensor file: rank %" PRIu32 ", expected at most %d",
                               h->rank, MAX_RANK);
    shape = shape_of(h);
    if (!data_bytes(h, &bytes))
        bytes = INT64_MAX;
    if (!reading_claim(r->reading, &shape, bytes, r->size))
        return false;
    if (!h->provisional && h->length != bytes)
        return diag_file_error(r->diag, r->name, DIAG_DATA_LENGTH,
                               "tensor file announces %" PRIu32
                               " bytes of data, but shape %s with %" PRIu32
                               " bits an item takes %" PRId64,
                               h->length, SHAPE_TEXT(&shape), h->bits, bytes);
    if (h->offset + (uint64_t)bytes != r->size)
        return diag_file_error(r->diag, r->name, DIAG_DATA_LENGTH,
                               "tensor file has %zu bytes, but shape %s with %" PRIu32
                               " bits an item takes %" PRIu64,
                               r->size, SHAPE_TEXT(&shape), h->bits, h->offset + (uint64_t)bytes);
    return true;
}

static bool load_provisional_type(const struct dat_reader *r, const struct header *h,
                                  struct dat_info *info)
{
    static const enum item_type type[] = {ITEM_FLOAT, ITEM_QUANTIZED_UNSIGNED, ITEM_SIGNED,
                                          ITEM_UNSIGNED};
    size_t begin = PROVISIONAL_SIZE + 4 * (size_t)h->rank, size = h->offset - begin;

    assert(h->type <= 3);
    if (size >= DAT_ALGORITHM_SIZE)
        return malformed(r, "the quantization algorithm takes more than 255 bytes");
    info->format.type = type[h->type];
    memcpy(info->algorithm, r->data + begin, size);
    return true;
}

/*
 * Accepts the codes of 1.0.4, those of 1.0.3, which a misprint made hexadecimal, and older ones.
 * Codes 16 and 17 mean quantized by minimum and maximum in NNEF 1.0 to 1.0.2, and quantized as in
 * graph.quant in 1.0.3: the parameters are zero then.
 */
static bool load_type(const struct dat_reader *r, const struct header *h, struct dat_info *info)
{
    static const unsigned old[] = {
        [ITEM_QUANTIZED_UNSIGNED] = 0x10,
        [ITEM_QUANTIZED_SIGNED] = 0x11,
        [ITEM_SIGNED] = 0x100,
        [ITEM_BOOL] = 0x101,
    };
    unsigned type = 0;

    while (type < ITEM_TYPE_COUNT && h->type != type && (!old[type] || h->type != old[type]))
        type++;
    if (h->vendor)
        return diag_file_error(r->diag, r->name, DIAG_NOT_SUPPORTED,
                               "item type 0x%04x of vendor 0x%04x is not supported, "
                               "expected vendor 0",
                               h->type, h->vendor);
    if (type == ITEM_TYPE_COUNT)
        return diag_file_error(r->diag, r->name, DIAG_DATA_HEADER,
                               "malformed tensor file: unknown item type %u", h->type);
    info->format.type = (enum item_type)type;
    if (h->type != type) {
        diag_file_warning(r->diag, r->name, WARNING_LEGACY_DATA,
                          "item type 0x%x is an outdated code of %s, now %u", h->type,
                          item_type_name(info->format.type), type);
        if (h->type <= 0x11 && (h->parameter[0] || h->parameter[1])) {
            info->range = h->type == 0x10 ? DAT_LINEAR : DAT_LOGARITHMIC;
            info->min = float_of_bits(h->parameter[0]);
            info->max = float_of_bits(h->parameter[1]);
            info->format.type = info->min < 0 && info->range == DAT_LOGARITHMIC
                                    ? ITEM_QUANTIZED_SIGNED
                                    : ITEM_QUANTIZED_UNSIGNED;
        }
    }
    if (type == ITEM_UNSIGNED && h->parameter[0])
        info->format.type = ITEM_SIGNED; /* as integers were signed before 1.0.4 */
    return true;
}

static bool check_bits(const struct dat_reader *r, const struct header *h, struct dat_info *info)
{
    enum item_type type = info->format.type;

    if (h->bits >= 1 && h->bits <= 64) {
        info->format.bits = (int)h->bits;
        if (item_format_valid(&info->format))
            return true;
        if (type != ITEM_FLOAT && type != ITEM_BOOL)
            return diag_file_error(r->diag, r->name, DIAG_NOT_SUPPORTED,
                                   "items of %" PRIu32 " bits are not supported, "
                                   "expected 1 to 7 or a multiple of 8",
                                   h->bits);
    }
    return diag_file_error(r->diag, r->name, DIAG_DATA_HEADER,
                           "malformed tensor file: %s of %" PRIu32 " bits, expected %s",
                           item_type_name(type), h->bits,
                           type == ITEM_FLOAT  ? "16, 32 or 64"
                           : type == ITEM_BOOL ? "1 or 8"
                                               : "1 to 64");
}

/* Read and check the whole header. */
static bool read_header(const struct dat_reader *r, struct header *h, struct dat_info *info)
{
    *info = (struct dat_info){0};
    if (r->size < 2 || r->data[0] != 0x4E || r->data[1] != 0xEF)
        return malformed(r, r->size ? "it does not start with the bytes 4E EF" : "it is empty");
    if (r->size >= 4 && (r->data[2] != 1 || r->data[3] != 0))
        return diag_file_error(r->diag, r->name, DIAG_DATA_HEADER,
                               "tensor file of version %d.%d, expected 1.0", r->data[2],
                               r->data[3]);

    /*
     * A current header that agrees with itself and the size of the file wins, else a provisional
     * one. An inconsistent current header is left to the checks that follow, for their messages.
     */
    int64_t bytes;
    bool current = load_current(r, h);
    bool sound = current && h->rank <= MAX_RANK && h->bits <= 64 && data_bytes(h, &bytes) &&
                 h->length == bytes && h->offset + (uint64_t)bytes == r->size;
    if (!sound && !load_provisional(r, h) && !(current && load_current(r, h)))
        return diag_file_error(r->diag, r->name, DIAG_DATA_LENGTH,
                               "tensor file of %zu bytes is shorter than its header", r->size);
    if (!(h->provisional ? load_provisional_type(r, h, info) : load_type(r, h, info)))
        return false;
    if (!check_bits(r, h, info) || !check_extents(r, h))
        return false;
    if (h->legacy)
        diag_file_warning(r->diag, r->name, WARNING_LEGACY_DATA,
                          "tensor file has 4 bytes more after its header than the standard says");
    info->shape = shape_of(h);
    info->provisional = h->provisional;
    return true;
}

static bool read_items(const struct reading *reading, struct file_view *file, struct tensor *tensor,
                       struct dat_info *info, bool views_bytes)
{
    struct dat_reader r = {reading, reading->diag, reading->name, file->data, file->size};
    struct dat_info unasked;
    struct header h;

    info = info ? info : &unasked;
    bool ok = read_header(&r, &h, info);
    if (ok) {
        struct payload payload = {info->format, info->shape, h.offset, views_bytes};
        ok = payload_take(reading, &payload, file, tensor);
    }
    file_close(file);
    return ok;
}

bool dat_read_view(const struct reading *reading, struct file_view *file, struct tensor *tensor,
                   struct dat_info *info)
{
    return read_items(reading, file, tensor, info, false);
}

bool dat_read_bytes(const struct reading *reading, struct file_view *file, struct tensor *tensor,
                    struct dat_info *info)
{
    return read_items(reading, file, tensor, info, true);
}

bool dat_read_shape(const struct reading *reading, const struct file_view *file,
                    struct shape *shape)
{
    struct dat_reader r = {reading, reading->diag, reading->name, file->data, file->size};
    struct dat_info info;
    struct header h;
    bool ok = read_header(&r, &h, &info);

    *shape = info.shape;
    return ok;
}

bool dat_read_format(const struct reading *reading, const struct file_view *file,
                     struct item_format *format)
{
    struct dat_reader r = {reading, reading->diag, reading->name, file->data, file->size};
    struct dat_info info = {0};
    struct header h;
    bool ok = read_header(&r, &h, &info);

    *format = info.format;
    return ok;
}

bool dat_put(struct diag *diag, const struct sink *sink, const struct tensor *tensor,
             const struct item_format *format)
{
    struct item_format standard = tensor_item_format(tensor);
    const struct shape *shape = &tensor->shape;
    unsigned char header[HEADER_SIZE] = {0x4E, 0xEF, 1};

    assert(shape->rank >= 0 && shape->rank <= MAX_RANK);
    format = format ? format : &standard;
    int64_t bytes = item_bytes(format, shape_volume(shape));
    bool fits = bytes <= UINT32_MAX;
    bytes_store(header + 4, 4, (uint64_t)bytes);
    bytes_store(header + 8, 4, (uint64_t)shape->rank);
    for (int i = 0; i < shape->rank; i++) {
        bytes_store(header + EXTENTS_AT + 4 * (ptrdiff_t)i, 4, (uint64_t)shape->extent[i]);
        fits &= shape->extent[i] <= UINT32_MAX;
    }
    bytes_store(header + BITS_AT, 4, (uint64_t)format->bits);
    bytes_store(header + TYPE_AT, 2, format->type);
    if (!fits)
        return diag_file_error(diag, sink->name, DIAG_CANNOT_WRITE,
                               "cannot write: shape %s exceeds the 4 GiB of a tensor file",
                               SHAPE_TEXT(shape));
    sink->put(sink->to, header, HEADER_SIZE);
    return payload_write(diag, sink, tensor, format);
}
