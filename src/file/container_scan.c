/* container_scan.c - walks through archives, by libarchive, with an eye on what they would cost */
#include "base/arena.h"
#include "diag/diag.h"
#include "file/container_priv.h"

#include <archive.h>
#include <archive_entry.h>
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { UNPACK_RATIO = 16 }; /* of what lets itself be compressed, and is no trap */

bool scan_damaged(const struct scan *s)
{
    const char *why = archive_error_string(s->archive);

    return diag_file_error(s->diag, s->container->name, DIAG_ARCHIVE, "cannot read archive: %s",
                           why ? why : "it is damaged");
}

/* Only what libarchive does by itself: no program is started on bytes from who knows where. */
static void support_tar(struct archive *archive)
{
    archive_read_support_filter_gzip(archive);
    archive_read_support_filter_compress(archive);
    archive_read_support_filter_bzip2(archive);
    archive_read_support_filter_xz(archive);
    archive_read_support_filter_lzma(archive);
    archive_read_support_filter_lzip(archive);
    archive_read_support_filter_lz4(archive);
    archive_read_support_filter_zstd(archive);
    archive_read_support_format_tar(archive);
}

bool scan_open(struct scan *s, struct diag *diag, struct container *c)
{
    *s = (struct scan){
        .diag = diag, .container = c, .archive = archive_read_new(), .entry = archive_entry_new()};
    if (!s->archive || !s->entry)
        arena_out_of_memory();
    if (c->form == CONTAINER_ZIP)
        archive_read_support_format_zip_seekable(s->archive);
    else
        support_tar(s->archive);
    return archive_read_open_memory(s->archive, c->file.data, c->file.size) == ARCHIVE_OK ||
           scan_damaged(s);
}

void scan_close(struct scan *s)
{
    archive_read_free(s->archive);
    archive_entry_free(s->entry);
}

static int64_t limit_of(const struct container *c)
{
    int64_t most = INT64_MAX - c->limits.unpacked, size = (int64_t)c->file.size;

    return c->limits.unpacked + (size > most / UNPACK_RATIO ? most : size * UNPACK_RATIO);
}

/* To the next entry; at the end *more is false. */
bool scan_next(struct scan *s, bool *more)
{
    int status = archive_read_next_header2(s->archive, s->entry);

    *more = status != ARCHIVE_EOF;
    if (!*more)
        return true;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
        return scan_damaged(s);
    s->ordinal++;
    /* A size that is no lie as far as can be seen, and keeps the whole within the limit. */
    int64_t size = archive_entry_size(s->entry), limit = limit_of(s->container);
    if (size < 0 || (size == 0 && !archive_entry_size_is_set(s->entry) &&
                     archive_entry_filetype(s->entry) == AE_IFREG))
        return diag_file_error(s->diag, s->container->name, DIAG_ARCHIVE,
                               "cannot read archive: the size of a member is not known");
    if (size > limit - TAR_BLOCK || s->unpacked > limit - TAR_BLOCK - size) {
        diag_file_error(s->diag, s->container->name, DIAG_ARCHIVE_LIMIT,
                        "archive of %zu bytes unpacks to more than %" PRId64,
                        s->container->file.size, limit);
        diag_help(s->diag, "raise the limit with --limit=unpacked=N if it is no trap.");
        return false;
    }
    s->unpacked += size + TAR_BLOCK;
    return true;
}

/* --- bytes of a member ------------------------------------------------------------------- */

static bool lies_in(const struct file_view *file, const void *bytes, size_t size)
{
    uintptr_t begin = (uintptr_t)file->data, at = (uintptr_t)bytes;

    return at >= begin && at - begin <= file->size && size <= file->size - (at - begin);
}

/* A member that is not compressed is used where it lies in the archive. */
static bool use_in_place(const struct scan *s, struct archive_member *member, const void *block,
                         size_t size)
{
    const struct file_view *file = &s->container->file;

    if (size != (uint64_t)member->size || !lies_in(file, block, size))
        return false;
    member->view = (struct file_view){.data = (char *)file->data +
                                              ((const char *)block - (const char *)file->data),
                                      .size = size,
                                      .borrowed = true};
    return true;
}

static bool allocate(const struct scan *s, struct archive_member *member)
{
    size_t size = (size_t)member->size;

    member->view = (struct file_view){.data = calloc(1, size + 1), .size = size};
    return member->view.data ||
           diag_file_error(s->diag, s->container->name, DIAG_RUN_MEMORY,
                           "not enough memory for the %zu bytes of member '%s'", size,
                           member->name);
}

/* Between blocks a sparse member has zeros. */
static bool read_blocks(struct scan *s, struct archive_member *member)
{
    const void *block;
    size_t size;
    la_int64_t at;
    int status = archive_read_data_block(s->archive, &block, &size, &at);

    if (status == ARCHIVE_OK && at == 0 && use_in_place(s, member, block, size))
        status = archive_read_data_block(s->archive, &block, &size, &at);
    else if (!allocate(s, member))
        return false;
    for (; status == ARCHIVE_OK; status = archive_read_data_block(s->archive, &block, &size, &at)) {
        if (at < 0 || at > member->size || size > (uint64_t)(member->size - at))
            return scan_damaged(s);
        if (size > 0 && !member->view.borrowed)
            memcpy((char *)member->view.data + at, block, size);
    }
    return status == ARCHIVE_EOF || scan_damaged(s);
}

bool scan_read(struct scan *s, struct archive_member *member)
{
    assert(member->ordinal == s->ordinal && !member->view.data);
    if (read_blocks(s, member))
        return true;
    file_close(&member->view);
    return false;
}
