/* packer.c - writes archives by libarchive */
#include "file/packer.h"

#include "base/arena.h"
#include "diag/diag.h"

#include <archive.h>
#include <archive_entry.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct packer {
    struct out_file *file;
    struct archive *archive;
    bool failed; /* something went wrong; libarchive keeps the message of the first failure */
};

static la_ssize_t write_bytes(struct archive *archive, void *data, const void *bytes, size_t size)
{
    struct packer *packer = data;

    (void)archive;
    out_write(packer->file, bytes, size);
    return (la_ssize_t)size;
}

/* A warning counts as failure: for ASCII names and known sizes it can only mean lack of memory. */
static void check(struct packer *packer, la_ssize_t status)
{
    packer->failed |= status < ARCHIVE_OK;
}

struct packer *packer_open(struct out_file *file, enum packer_form form)
{
    struct packer *packer = calloc(1, sizeof *packer);

    if (!packer)
        arena_out_of_memory();
    packer->file = file;
    packer->archive = archive_write_new();
    if (!packer->archive)
        arena_out_of_memory();
    switch (form) {
    case PACKER_ZIP:
        check(packer, archive_write_set_format_zip(packer->archive));
        check(packer, archive_write_zip_set_compression_store(packer->archive));
        break;
    case PACKER_TAR_GZ:
        check(packer, archive_write_add_filter_gzip(packer->archive));
        /* Without this option the time of packing is stored. */
        check(packer, archive_write_set_filter_option(packer->archive, "gzip", "timestamp", NULL));
        check(packer, archive_write_set_format_pax_restricted(packer->archive));
        break;
    case PACKER_TAR:
        check(packer, archive_write_set_format_pax_restricted(packer->archive));
        break;
    }
    check(packer, archive_write_set_bytes_in_last_block(packer->archive, 1));
    check(packer, archive_write_open(packer->archive, packer, NULL, write_bytes, NULL));
    return packer;
}

void packer_begin(struct packer *packer, const char *name, int64_t size)
{
    struct archive_entry *entry = packer->failed ? NULL : archive_entry_new();

    assert(size >= 0);
    packer->failed |= !entry;
    if (packer->failed)
        return;
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_mtime(entry, 0, 0);
    archive_entry_set_size(entry, size);
    /* If memory for the name runs out, libarchive drops the name without an error. */
    const char *kept = archive_entry_pathname(entry);
    bool named = kept && strcmp(kept, name) == 0;
    check(packer, named ? archive_write_header(packer->archive, entry) : ARCHIVE_FATAL);
    archive_entry_free(entry);
}

static void put(void *to, const void *data, size_t size)
{
    struct packer *packer = to;

    if (!packer->failed && size > 0)
        packer->failed |= archive_write_data(packer->archive, data, size) != (la_ssize_t)size;
}

struct sink packer_sink(struct packer *packer)
{
    return (struct sink){out_sink(packer->file).name, put, packer};
}

/* Marking the archive as failed keeps libarchive from writing an end while it is freed. */
bool packer_end(struct diag *diag, struct packer *packer, bool ok)
{
    if (ok && !packer->failed)
        check(packer, archive_write_close(packer->archive));
    if (ok && packer->failed) {
        const char *why = archive_error_string(packer->archive);
        ok = diag_file_error(diag, out_sink(packer->file).name, DIAG_CANNOT_WRITE,
                             "cannot write archive: %s",
                             why ? why : "libarchive refuses, or has not enough memory");
    }
    if (!ok)
        archive_write_fail(packer->archive);
    archive_write_free(packer->archive);
    free(packer);
    return ok;
}
