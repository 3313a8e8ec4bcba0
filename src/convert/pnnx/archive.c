/*
 * archive.c - reads and writes the ZIP archive of weights (PKWARE's APPNOTE 6.3, 4.3 and 4.5)
 *
 * Reading starts at the directory at the end of the file, which says where members are; a member's
 * own header is read only to find where its data begin. Every size is compared with that of the
 * file first, so that no archive needs more memory than the names of its members.
 *
 * libarchive, which writes our other archives, does not fit: it puts the checksum of a member
 * behind its data (bit 3 of the flags). Readers such as PNNX and KuiperInfer go from header to
 * header without the directory and take the checksum from the header.
 */
#include "convert/pnnx/archive.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/text.h"
#include "convert/pnnx/document.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

/* Bytes without names and extra fields. */
enum { END_SIZE = 22, LOCATOR_SIZE = 20, END64_SIZE = 56, ENTRY_SIZE = 46, LOCAL_SIZE = 30 };

enum {
    LOCAL_SIGNATURE = 0x04034B50,
    ENTRY_SIGNATURE = 0x02014B50,
    END64_SIGNATURE = 0x06064B50,
    LOCATOR_SIGNATURE = 0x07064B50,
    END_SIGNATURE = 0x06054B50,
    ZIP64_EXTRA = 1
};

enum {
    LONGEST_COMMENT = 0xFFFF,
    ENCRYPTED = 1,  /* a flag of a member */
    EXTRA_SIZE = 32 /* of ZIP64: kind, length, two sizes, an offset, a disk */
};

static const uint32_t in_extra32 = 0xFFFFFFFF; /* the number is in the extra field */

/* An archive that is being read. */
struct zip {
    struct context *context;
    struct pnnx_archive *archive;
    const char *name; /* for diagnostics */
    const unsigned char *data;
    uint64_t size;
};

struct zip_directory {
    uint64_t at, size, count; /* place and size in bytes; members */
};

/* A member as the directory has it. */
struct zip_record {
    const unsigned char *name;
    uint32_t name_size, crc;
    unsigned method, flags;
    uint64_t packed, size, at; /* bytes stored, bytes of data, place of the header */
};

static bool fault(const struct zip *zip, const char *fmt, ...) PRINTF_LIKE(2, 3);

static bool fault(const struct zip *zip, const char *fmt, ...)
{
    char text[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return diag_file_error(zip->context->diag, zip->name, DIAG_PNNX_ARCHIVE, "%s", text);
}

/* A number of `count` bytes, which lie in the archive. */
static uint64_t load(const struct zip *zip, uint64_t at, int count)
{
    assert(at <= zip->size && (uint64_t)count <= zip->size - at);
    return bytes_load(zip->data + at, count);
}

/* Do `size` bytes at `at` lie in the archive?  Neither number is trusted, so their sum may
 * overflow. */
static bool within(const struct zip *zip, uint64_t at, uint64_t size)
{
    return at <= zip->size && size <= zip->size - at;
}

static bool has_signature(const struct zip *zip, uint64_t at, uint64_t size, uint32_t signature)
{
    return within(zip, at, size) && load(zip, at, 4) == signature;
}

/* --- the end of the archive ----------------------------------------------------------------- */

/* The end is searched from behind, since a comment of up to 65535 bytes may follow it. */
static bool find_end(const struct zip *zip, uint64_t *end)
{
    uint64_t least =
        zip->size > END_SIZE + LONGEST_COMMENT ? zip->size - END_SIZE - LONGEST_COMMENT : 0;

    for (uint64_t at = zip->size >= END_SIZE ? zip->size - END_SIZE + 1 : 0; at > least; at--)
        if (has_signature(zip, at - 1, END_SIZE, END_SIGNATURE) &&
            load(zip, at - 1 + 20, 2) == zip->size - (at - 1) - END_SIZE) {
            *end = at - 1;
            return true;
        }
    if (zip->size >= 4 && load(zip, 0, 4) == LOCAL_SIGNATURE)
        return fault(zip, "the archive has no end: it was cut short");
    return fault(zip, "this is no ZIP archive, as the weights of a PNNX model are");
}

/* An archive of ZIP64 has a locator in front of the end, which says where the end of ZIP64 is. */
static bool find_directory(const struct zip *zip, struct zip_directory *directory)
{
    uint64_t end = 0, locator;

    if (!find_end(zip, &end))
        return false;
    directory->count = load(zip, end + 10, 2);
    directory->size = load(zip, end + 12, 4);
    directory->at = load(zip, end + 16, 4);
    locator = end - LOCATOR_SIZE;
    if (end >= LOCATOR_SIZE && has_signature(zip, locator, LOCATOR_SIZE, LOCATOR_SIGNATURE)) {
        uint64_t end64 = load(zip, locator + 8, 8);
        if (!has_signature(zip, end64, END64_SIZE, END64_SIGNATURE))
            return fault(zip, "the archive has no ZIP64 end at byte %" PRIu64, end64);
        directory->count = load(zip, end64 + 32, 8);
        directory->size = load(zip, end64 + 40, 8);
        directory->at = load(zip, end64 + 48, 8);
    }
    return within(zip, directory->at, directory->size) ||
           fault(zip, "its directory of %" PRIu64 " bytes at %" PRIu64 " is not in the archive",
                 directory->size, directory->at);
}

/* --- members -------------------------------------------------------------------------------- */

/* Numbers that do not fit their fields are in the extra field of ZIP64, in this order. */
static bool read_extra(const struct zip *zip, uint64_t at, uint64_t size, struct zip_record *record)
{
    uint64_t *const fields[] = {&record->size, &record->packed, &record->at};

    for (uint64_t end = at + size; end - at >= 4;) {
        uint64_t kind = load(zip, at, 2), length = load(zip, at + 2, 2);
        at += 4;
        if (length > end - at)
            return false;
        for (int i = 0; i < 3 && kind == ZIP64_EXTRA; i++) {
            if (*fields[i] != in_extra32)
                continue;
            if (length < 8)
                return false;
            *fields[i] = load(zip, at, 8);
            at += 8;
            length -= 8;
        }
        at += length;
    }
    return true;
}

/* The entry at *at of the directory, which ends at `end`; *at is that of the next. */
static bool read_record(const struct zip *zip, uint64_t *at, uint64_t end,
                        struct zip_record *record)
{
    uint64_t entry = *at;

    if (end - entry < ENTRY_SIZE || load(zip, entry, 4) != ENTRY_SIGNATURE)
        return fault(zip, "its directory is damaged at byte %" PRIu64, entry);
    uint64_t name = load(zip, entry + 28, 2), extra = load(zip, entry + 30, 2);
    uint64_t length = ENTRY_SIZE + name + extra + load(zip, entry + 32, 2);
    if (length > end - entry)
        return fault(zip, "its directory is damaged at byte %" PRIu64, entry);
    *record = (struct zip_record){.name = zip->data + entry + ENTRY_SIZE,
                                  .name_size = (uint32_t)name,
                                  .flags = (unsigned)load(zip, entry + 8, 2),
                                  .method = (unsigned)load(zip, entry + 10, 2),
                                  .crc = (uint32_t)load(zip, entry + 16, 4),
                                  .packed = load(zip, entry + 20, 4),
                                  .size = load(zip, entry + 24, 4),
                                  .at = load(zip, entry + 42, 4)};
    *at += length;
    return read_extra(zip, entry + ENTRY_SIZE + name, extra, record) ||
           fault(zip, "an extra field is damaged at byte %" PRIu64, entry);
}

/* Checked in this order: storage, place, size, checksum, name. */
static bool add_member(const struct zip *zip, const struct zip_record *record, const char *name)
{
    if (record->flags & ENCRYPTED || record->method != 0)
        return fault(zip, "member '%s' is compressed (method %u) or encrypted, expected it stored",
                     name, record->method);
    if (!has_signature(zip, record->at, LOCAL_SIZE, LOCAL_SIGNATURE))
        return fault(zip, "member '%s' has no header at byte %" PRIu64, name, record->at);
    uint64_t data =
        record->at + LOCAL_SIZE + load(zip, record->at + 26, 2) + load(zip, record->at + 28, 2);
    if (record->packed != record->size || !within(zip, data, record->size))
        return fault(zip, "member '%s' of %" PRIu64 " bytes at %" PRIu64 " is not in the archive",
                     name, record->size, data);
    if (crc32_z(0, zip->data + data, (size_t)record->size) != record->crc)
        return fault(zip, "the data of member '%s' have another checksum: they are damaged", name);
    if (map_get(&zip->archive->members, name))
        return fault(zip, "member '%s' is there twice", name);
    struct pnnx_member *member = arena_new_of(zip->context->arena, struct pnnx_member);
    member->data = zip->data + data;
    member->size = (size_t)record->size;
    map_set(&zip->archive->members, name, member);
    zip->archive->count++;
    return true;
}

bool pnnx_archive_open(struct context *context, const char *name, const void *data, size_t size,
                       struct pnnx_archive *archive)
{
    struct zip zip = {context, archive, name, data, size};
    struct zip_directory directory;

    *archive = (struct pnnx_archive){0};
    if (!find_directory(&zip, &directory))
        return false;
    /* Members must not overlap in sum, or a small file could cost much time. */
    uint64_t at = directory.at, end = at + directory.size, checked = 0;
    for (uint64_t i = 0; i < directory.count; i++) {
        struct zip_record record = {0};
        if (!read_record(&zip, &at, end, &record))
            return false;
        const char *member = intern(context->names, (const char *)record.name, record.name_size);
        checked += record.size < zip.size ? record.size : 0;
        if (checked > zip.size)
            return fault(&zip, "its members overlap");
        if (!add_member(&zip, &record, member))
            return false;
    }
    return true;
}

void pnnx_archive_close(struct pnnx_archive *archive)
{
    map_free(&archive->members);
}

const struct pnnx_member *pnnx_archive_find(const struct context *context,
                                            const struct pnnx_archive *archive, const char *name)
{
    return map_get(&archive->members, intern(context->names, name, strlen(name)));
}

/* --- the weights of a document -------------------------------------------------------------- */

/* The data of an attribute, which has to have the size that its shape and type need. */
static bool bind_weights(const struct context *context, struct pnnx_pair *attribute,
                         const struct pnnx_archive *archive, const char *name)
{
    const struct pnnx_member *member = pnnx_archive_find(context, archive, name);
    const struct pnnx_shape *shape = attribute->shape;
    int64_t bytes = 0;
    bool open = shape->type == PNNX_NULL;

    for (int i = 0; i < shape->rank; i++)
        open |= shape->dim[i].extent == PNNX_ANY;
    if (open) /* there is no size to compare with */
        return diag_error(context->diag, shape->span, DIAG_PNNX_VALUE,
                          "weights '%s' have no fixed shape and type", name);
    if (!member)
        return diag_error(context->diag, attribute->span, DIAG_PNNX_WEIGHTS,
                          "weights '%s' are not in the archive of %d members", name,
                          archive->count);
    pnnx_shape_bytes(shape, &bytes);
    if (member->size != (uint64_t)bytes)
        return diag_error(context->diag, attribute->span, DIAG_PNNX_WEIGHTS,
                          "weights '%s' have %zu bytes in the archive, expected %" PRId64, name,
                          member->size, bytes);
    attribute->data = member->data;
    attribute->size = member->size;
    return true;
}

bool pnnx_weights_bind(const struct context *context, struct pnnx_document *document,
                       const struct pnnx_archive *archive)
{
    bool ok = true;

    for (struct pnnx_operator *o = document->operators.first; o; o = o->next)
        for (struct pnnx_pair *a = o->pairs.of[PNNX_ATTRIBUTE].first; a; a = a->next)
            ok &= bind_weights(context, a, archive, pnnx_member_name(context, o, a));
    return ok;
}

/* --- writing -------------------------------------------------------------------------------- */

/* A number of `count` bytes, little-endian as all of ZIP. */
static void add_number(struct text *to, int count, uint64_t number)
{
    unsigned char bytes[8];

    assert(count <= 8);
    bytes_store(bytes, count, number);
    text_add_bytes(to, (const char *)bytes, (size_t)count);
}

/* Puts bytes into the file, of which writer->at counts them. */
static void put_bytes(struct pnnx_archive_writer *writer, const void *data, size_t size)
{
    writer->sink->put(writer->sink->to, data, size);
    writer->at += size;
}

/* A member that is being written. */
struct zip_member {
    const char *name;
    uint64_t size, at;
    uint32_t crc;
};

/*
 * What header and directory have in common, from the version to the length of the extra field: no
 * version, no flags, stored, no date; sizes are in the extra field.
 */
static void add_common(struct text *to, const struct zip_member *member)
{
    add_number(to, 2, 0);
    add_number(to, 8, 0);
    add_number(to, 4, member->crc);
    add_number(to, 4, UINT32_MAX);
    add_number(to, 4, UINT32_MAX);
    add_number(to, 2, strlen(member->name));
    add_number(to, 2, EXTRA_SIZE);
}

/* The name and the extra field; `offset` is that of the header. */
static void add_name(struct text *to, const struct zip_member *member, uint64_t offset)
{
    text_add_bytes(to, member->name, strlen(member->name));
    add_number(to, 2, ZIP64_EXTRA);
    add_number(to, 2, EXTRA_SIZE - 4);
    add_number(to, 8, member->size);
    add_number(to, 8, member->size);
    add_number(to, 8, offset);
    add_number(to, 4, 0);
}

void pnnx_archive_begin(struct pnnx_archive_writer *writer, const struct sink *sink)
{
    *writer = (struct pnnx_archive_writer){.sink = sink};
}

void pnnx_archive_add(struct pnnx_archive_writer *writer, const char *name, const void *data,
                      size_t size)
{
    const struct zip_member member = {name, size, writer->at, (uint32_t)crc32_z(0, data, size)};
    struct text *entry = &writer->directory, header = {0};

    assert(strlen(name) <= UINT16_MAX);
    /* The header does not say where it is; only the directory does. */
    add_number(&header, 4, LOCAL_SIGNATURE);
    add_common(&header, &member);
    add_name(&header, &member, 0);
    put_bytes(writer, header.data, header.size);
    text_free(&header);
    put_bytes(writer, data, size);

    add_number(entry, 4, ENTRY_SIGNATURE);
    add_number(entry, 2, 0);
    add_common(entry, &member);
    add_number(entry, 2, 0);          /* comment */
    add_number(entry, 2, UINT16_MAX); /* disk */
    add_number(entry, 6, 0);          /* attributes */
    add_number(entry, 4, UINT32_MAX); /* where the header is */
    add_name(entry, &member, member.at);
    writer->count++;
}

void pnnx_archive_end(struct pnnx_archive_writer *writer)
{
    uint64_t end64 = writer->at + writer->directory.size;
    struct text end = {0};

    /* The end of ZIP64 has the numbers that do not fit the old end. */
    add_number(&end, 4, END64_SIGNATURE);
    add_number(&end, 8, END64_SIZE - 12);
    add_number(&end, 4, 0); /* versions */
    add_number(&end, 8, 0); /* disks */
    add_number(&end, 8, writer->count);
    add_number(&end, 8, writer->count);
    add_number(&end, 8, writer->directory.size);
    add_number(&end, 8, writer->at);
    assert(end.size == END64_SIZE);

    add_number(&end, 4, LOCATOR_SIGNATURE);
    add_number(&end, 4, 0);
    add_number(&end, 8, end64);
    add_number(&end, 4, 1); /* disks */

    /* All fields of the old end are full, which refers to the end of ZIP64. */
    add_number(&end, 4, END_SIGNATURE);
    add_number(&end, 8, UINT64_MAX); /* disks and numbers of members */
    add_number(&end, 8, UINT64_MAX); /* size and place of the directory */
    add_number(&end, 2, 0);
    assert(end.size == END64_SIZE + LOCATOR_SIZE + END_SIZE);

    if (writer->directory.size > 0)
        put_bytes(writer, writer->directory.data, writer->directory.size);
    put_bytes(writer, end.data, end.size);
    text_free(&end);
    text_free(&writer->directory);
}
