/*
 * archive_write.c - see archive_write.h; the format is that of PKWARE's APPNOTE 6.3, 4.3 and 4.5
 *
 * libarchive, which writes our other archives, is of no use here: it puts the checksum of a member
 * behind its data (bit 3 of the flags), and readers of PNNX and KuiperInfer, which go from one header to
 * the next without a look at the directory, take it from the header.
 */
#include "convert/pnnx/archive_write.h"

#include "convert/pnnx/archive_priv.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <string.h>

enum { EXTRA_SIZE = 32 }; /* what it is, how long, two sizes, an offset, a disk */

static void add(struct text *to, int count, uint64_t number)
{
    unsigned char bytes[8];

    bytes_store(bytes, count, number);
    text_add_bytes(to, (const char *)bytes, (size_t)count);
}

static void put(struct archive_writer *writer, const void *data, size_t size)
{
    writer->sink->put(writer->sink->to, data, size);
    writer->at += size;
}

struct member {
    const char *name;
    uint64_t size, at;
    uint32_t crc;
};

/* What header and directory have in common, from the version to the length of the extra field: no
 * version, no flags, stored, no date; sizes are in the extra field. */
static void add_common(struct text *to, const struct member *member)
{
    add(to, 2, 0);
    add(to, 8, 0);
    add(to, 4, member->crc);
    add(to, 4, UINT32_MAX);
    add(to, 4, UINT32_MAX);
    add(to, 2, strlen(member->name));
    add(to, 2, EXTRA_SIZE);
}

static void add_name(struct text *to, const struct member *member, uint64_t offset)
{
    text_add_bytes(to, member->name, strlen(member->name));
    add(to, 2, ZIP64_EXTRA);
    add(to, 2, EXTRA_SIZE - 4);
    add(to, 8, member->size);
    add(to, 8, member->size);
    add(to, 8, offset);
    add(to, 4, 0);
}

static void put_header(struct archive_writer *writer, const struct member *member)
{
    struct text header = {0};

    add(&header, 4, LOCAL_SIGNATURE);
    add_common(&header, member);
    add_name(&header, member, 0);
    put(writer, header.data, header.size);
    text_free(&header);
}

static void add_entry(struct text *to, const struct member *member)
{
    add(to, 4, ENTRY_SIGNATURE);
    add(to, 2, 0);
    add_common(to, member);
    add(to, 2, 0);          /* comment */
    add(to, 2, UINT16_MAX); /* disk */
    add(to, 6, 0);          /* attributes */
    add(to, 4, UINT32_MAX); /* where the header is */
    add_name(to, member, member->at);
}

void archive_write_begin(struct archive_writer *writer, const struct sink *sink)
{
    *writer = (struct archive_writer){.sink = sink};
}

void archive_write_member(struct archive_writer *writer, const char *name, const void *data,
                          size_t size)
{
    struct member member = {name, size, writer->at, archive_checksum(data, size)};

    assert(strlen(name) <= UINT16_MAX);
    put_header(writer, &member);
    put(writer, data, size);
    add_entry(&writer->directory, &member);
    writer->count++;
}

static void add_end64(struct text *to, const struct archive_writer *writer)
{
    add(to, 4, END64_SIGNATURE);
    add(to, 8, END64_SIZE - 12);
    add(to, 4, 0); /* versions */
    add(to, 8, 0); /* disks */
    add(to, 8, writer->count);
    add(to, 8, writer->count);
    add(to, 8, writer->directory.size);
    add(to, 8, writer->at);
}

static void add_locator(struct text *to, uint64_t end64)
{
    add(to, 4, LOCATOR_SIGNATURE);
    add(to, 4, 0);
    add(to, 8, end64);
    add(to, 4, 1); /* disks */
}

static void add_end(struct text *to)
{
    add(to, 4, END_SIGNATURE);
    add(to, 8, UINT64_MAX); /* disks and numbers of members */
    add(to, 8, UINT64_MAX); /* size and place of the directory */
    add(to, 2, 0);
}

void archive_write_end(struct archive_writer *writer)
{
    uint64_t end64 = writer->at + writer->directory.size;
    struct text end = {0};

    add_end64(&end, writer);
    add_locator(&end, end64);
    add_end(&end);
    if (writer->directory.size > 0)
        put(writer, writer->directory.data, writer->directory.size);
    put(writer, end.data, end.size);
    text_free(&end);
    text_free(&writer->directory);
}
