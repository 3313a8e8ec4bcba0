/* packer.c - writes archives by libarchive */
#include "file/packer.h"

#include "base/arena.h"
#include "base/text.h"
#include "diag/diag.h"
#include "file/libarchive.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct packer {
    struct out_file *file;
    struct libarchive lib;
    struct archive *archive;
    char *missing; /* why there is no libarchive; owned */
    bool failed;   /* something went wrong; libarchive keeps the message of the first failure */
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
    struct packer *packer = heap_array(1, sizeof *packer);
    const char *why;

    packer->file = file;
    if (!libarchive_load(&packer->lib, &why)) {
        packer->missing = text_copy(why, strlen(why));
        packer->failed = true;
        return packer;
    }
    packer->archive = packer->lib.write_new();
    if (!packer->archive)
        arena_out_of_memory();
    switch (form) {
    case PACKER_ZIP:
        check(packer, packer->lib.write_set_format_zip(packer->archive));
        check(packer, packer->lib.write_zip_set_compression_store(packer->archive));
        break;
    case PACKER_TAR_GZ:
        check(packer, packer->lib.write_add_filter_gzip(packer->archive));
        /* Without this option the time of packing is stored. */
        check(packer,
              packer->lib.write_set_filter_option(packer->archive, "gzip", "timestamp", NULL));
        check(packer, packer->lib.write_set_format_pax_restricted(packer->archive));
        break;
    case PACKER_TAR:
        check(packer, packer->lib.write_set_format_pax_restricted(packer->archive));
        break;
    }
    check(packer, packer->lib.write_set_bytes_in_last_block(packer->archive, 1));
    check(packer, packer->lib.write_open(packer->archive, packer, NULL, write_bytes, NULL));
    return packer;
}

void packer_begin(struct packer *packer, const char *name, int64_t size)
{
    struct archive_entry *entry = packer->failed ? NULL : packer->lib.entry_new();

    assert(size >= 0);
    packer->failed |= !entry;
    if (packer->failed)
        return;
    /* No time is set: without one libarchive writes the same bytes always, and its time_t may have
     * fewer bits than ours. */
    packer->lib.entry_set_pathname(entry, name);
    packer->lib.entry_set_filetype(entry, AE_IFREG);
    packer->lib.entry_set_perm(entry, 0644);
    packer->lib.entry_set_size(entry, size);
    /* If memory for the name runs out, libarchive drops the name without an error. */
    const char *kept = packer->lib.entry_pathname(entry);
    bool named = kept && strcmp(kept, name) == 0;
    check(packer, named ? packer->lib.write_header(packer->archive, entry) : ARCHIVE_FATAL);
    packer->lib.entry_free(entry);
}

static void put(void *to, const void *data, size_t size)
{
    struct packer *packer = to;

    if (!packer->failed && size > 0)
        packer->failed |= packer->lib.write_data(packer->archive, data, size) != (la_ssize_t)size;
}

struct sink packer_sink(struct packer *packer)
{
    return (struct sink){out_sink(packer->file).name, put, packer};
}

/* Marking the archive as failed keeps libarchive from writing an end while it is freed. */
bool packer_end(struct diag *diag, struct packer *packer, bool ok)
{
    if (ok && !packer->failed)
        check(packer, packer->lib.write_close(packer->archive));
    if (ok && packer->failed) {
        const char *why =
            packer->missing ? packer->missing : packer->lib.error_string(packer->archive);
        ok = diag_file_error(diag, out_sink(packer->file).name, DIAG_CANNOT_WRITE,
                             "cannot write archive: %s",
                             why ? why : "libarchive refuses, or has not enough memory");
    }
    if (packer->archive && !ok)
        packer->lib.write_fail(packer->archive);
    if (packer->archive)
        packer->lib.write_free(packer->archive);
    free(packer->missing);
    free(packer);
    return ok;
}
