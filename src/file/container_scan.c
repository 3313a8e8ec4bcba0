/* container_scan.c - sequential scans of archives by libarchive, within limits on their size */
#include "base/arena.h"
#include "diag/diag.h"
#include "file/container_priv.h"

#include <archive.h>
#include <archive_entry.h>
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { UNPACK_RATIO = 16 }; /* unpacked to packed size; weights rarely compress better */

bool scan_damaged(const struct scan *s)
{
    const char *why = archive_error_string(s->archive);

    return diag_file_error(s->diag, s->container->name, DIAG_ARCHIVE, "cannot read archive: %s",
                           why ? why : "it is damaged");
}

bool scan_open(struct scan *s, struct diag *diag, struct container *c)
{
    *s = (struct scan){
        .diag = diag, .container = c, .archive = archive_read_new(), .entry = archive_entry_new()};
    if (!s->archive || !s->entry)
        arena_out_of_memory();
    assert(c->form != CONTAINER_NONE);
    if (c->form == CONTAINER_ZIP)
        archive_read_support_format_zip_seekable(s->archive);
    else {
        /* No filter that starts a program: the bytes are not trusted. */
        archive_read_support_filter_gzip(s->archive);
        archive_read_support_filter_compress(s->archive);
        archive_read_support_filter_bzip2(s->archive);
        archive_read_support_filter_xz(s->archive);
        archive_read_support_filter_lzma(s->archive);
        archive_read_support_filter_lzip(s->archive);
        archive_read_support_filter_lz4(s->archive);
        archive_read_support_filter_zstd(s->archive);
        archive_read_support_format_tar(s->archive);
    }
    return archive_read_open_memory(s->archive, c->file.data, c->file.size) == ARCHIVE_OK ||
           scan_damaged(s);
}

void scan_close(struct scan *s)
{
    archive_read_free(s->archive);
    archive_entry_free(s->entry);
}

bool scan_next(struct scan *s, bool *more)
{
    const struct container *c = s->container;
    int status = archive_read_next_header2(s->archive, s->entry);

    *more = status != ARCHIVE_EOF;
    if (!*more)
        return true;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
        return scan_damaged(s);
    s->ordinal++;
    /* The limit is that of the user, plus a multiple of the size of the archive. */
    int64_t most = INT64_MAX - c->limits.unpacked, packed = (int64_t)c->file.size;
    int64_t limit =
        c->limits.unpacked + (packed > most / UNPACK_RATIO ? most : packed * UNPACK_RATIO);
    int64_t size = archive_entry_size(s->entry);
    if (size < 0 || (size == 0 && !archive_entry_size_is_set(s->entry) &&
                     archive_entry_filetype(s->entry) == AE_IFREG))
        return diag_file_error(s->diag, c->name, DIAG_ARCHIVE,
                               "cannot read archive: the size of a member is not known");
    if (size > limit - TAR_BLOCK || s->unpacked > limit - TAR_BLOCK - size) {
        diag_file_error(s->diag, c->name, DIAG_ARCHIVE_LIMIT,
                        "archive of %zu bytes unpacks to more than %" PRId64, c->file.size, limit);
        diag_help(s->diag, "raise the limit with --limit=unpacked=N if it is no trap.");
        return false;
    }
    s->unpacked += size + TAR_BLOCK;
    return true;
}

/*
 * Read the blocks of the current entry into member->view, which the caller closes on failure.  A
 * sparse member has zeros between its blocks.
 */
static bool read_blocks(struct scan *s, struct archive_member *member)
{
    const struct file_view *file = &s->container->file;
    const void *block;
    size_t size;
    la_int64_t at;
    int status = archive_read_data_block(s->archive, &block, &size, &at);

    /* A member that is not compressed is one block, and is used where it lies in the archive. */
    bool whole = status == ARCHIVE_OK && at == 0 && size == (uint64_t)member->size;
    uintptr_t before = whole ? (uintptr_t)block - (uintptr_t)file->data : SIZE_MAX;
    if (whole && before <= file->size && size <= file->size - before) {
        member->view =
            (struct file_view){.data = (char *)file->data + before, .size = size, .borrowed = true};
        status = archive_read_data_block(s->archive, &block, &size, &at);
    } else {
        size_t bytes = (size_t)member->size;
        member->view = (struct file_view){.data = calloc(1, bytes + 1), .size = bytes};
        if (!member->view.data)
            return diag_file_error(s->diag, s->container->name, DIAG_RUN_MEMORY,
                                   "not enough memory for the %zu bytes of member '%s'", bytes,
                                   member->name);
    }
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
    assert(member->ordinal == s->ordinal && !member->view.data && member->size >= 0);
    if (read_blocks(s, member))
        return true;
    file_close(&member->view);
    return false;
}
