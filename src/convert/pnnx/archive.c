/*
 * archive.c - see archive.h; the format is that of PKWARE's APPNOTE 6.3, sections 4.3 and 4.5
 *
 * The directory at the end tells where members are; their own headers are read for where the data
 * begin.  All sizes are those of the file, so that none needs more memory than a name.
 */
#include "convert/pnnx/archive.h"

#include "base/arena.h"
#include "base/intern.h"
#include "convert/pnnx/archive_priv.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "tensor/bytes.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

enum { LONGEST_COMMENT = 0xFFFF, ENCRYPTED = 1 };

static const uint32_t in_extra32 = 0xFFFFFFFF;

struct zip {
    struct context *context;
    struct pnnx_archive *archive;
    const char *name;
    const unsigned char *data;
    uint64_t size;
};

struct directory {
    uint64_t at, size, count;
};

/* A member as the directory has it. */
struct record {
    const unsigned char *name;
    uint32_t name_size, crc;
    unsigned method, flags;
    uint64_t packed, size, at;
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

static uint64_t load(const struct zip *zip, uint64_t at, int count)
{
    return bytes_load(zip->data + at, count);
}

static bool within(const struct zip *zip, uint64_t at, uint64_t size)
{
    return at <= zip->size && size <= zip->size - at;
}

static bool has_signature(const struct zip *zip, uint64_t at, uint64_t size, uint32_t signature)
{
    return within(zip, at, size) && load(zip, at, 4) == signature;
}

/* --- the end of the archive ---------------------------------------------------------------- */

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

/* Of ZIP64 there is a locator in front of the end, and another end that it tells of. */
static bool find_directory(const struct zip *zip, struct directory *directory)
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

/* --- members ------------------------------------------------------------------------------- */

/* Numbers that do not fit their fields are in the extra field of ZIP64, in this order. */
static bool read_extra(const struct zip *zip, uint64_t at, uint64_t size, struct record *record)
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
static bool read_record(const struct zip *zip, uint64_t *at, uint64_t end, struct record *record)
{
    uint64_t entry = *at;

    if (end - entry < ENTRY_SIZE || load(zip, entry, 4) != ENTRY_SIGNATURE)
        return fault(zip, "its directory is damaged at byte %" PRIu64, entry);
    uint64_t name = load(zip, entry + 28, 2), extra = load(zip, entry + 30, 2);
    uint64_t length = ENTRY_SIZE + name + extra + load(zip, entry + 32, 2);
    if (length > end - entry)
        return fault(zip, "its directory is damaged at byte %" PRIu64, entry);
    *record = (struct record){.name = zip->data + entry + ENTRY_SIZE,
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

uint32_t archive_checksum(const unsigned char *data, uint64_t size)
{
    enum { STEP = 1 << 30 };
    uLong crc = crc32(0, NULL, 0);

    for (; size > STEP; data += STEP, size -= STEP)
        crc = crc32(crc, data, STEP);
    return (uint32_t)crc32(crc, data, (uInt)size);
}

static bool add_member(const struct zip *zip, const struct record *record, const char *name)
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
    if (archive_checksum(zip->data + data, record->size) != record->crc)
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

static bool read_members(const struct zip *zip, const struct directory *directory)
{
    uint64_t at = directory->at, end = at + directory->size, checked = 0;

    for (uint64_t i = 0; i < directory->count; i++) {
        struct record record = {0};
        if (!read_record(zip, &at, end, &record))
            return false;
        const char *name = intern(zip->context->names, (const char *)record.name, record.name_size);
        checked += record.size < zip->size ? record.size : 0;
        if (checked > zip->size)
            return fault(zip, "its members overlap");
        if (!add_member(zip, &record, name))
            return false;
    }
    return true;
}

bool pnnx_archive_open(struct context *context, const char *name, const void *data, size_t size,
                       struct pnnx_archive *archive)
{
    struct zip zip = {context, archive, name, data, size};
    struct directory directory;

    *archive = (struct pnnx_archive){0};
    return find_directory(&zip, &directory) && read_members(&zip, &directory);
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
