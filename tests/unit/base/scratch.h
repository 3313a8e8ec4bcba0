/* scratch.h - a folder of its own and a diag for each test that touches files */
#ifndef NNEFC_TESTS_UNIT_BASE_SCRATCH_H
#define NNEFC_TESTS_UNIT_BASE_SCRATCH_H

#include "diag/diag.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/t.h"

enum { SCRATCH_PATH = 1024, SCRATCH_FILE = 64 * 1024 };

struct scratch {
    struct diag *diag;
    char folder[64];
    char path[SCRATCH_PATH];           /* of the file named last */
    unsigned char bytes[SCRATCH_FILE]; /* of the file read last */
    size_t size;
};

static inline int scratch_setup(void **state)
{
    struct scratch *s = calloc(1, sizeof *s);

    assert_non_null(s);
    strcpy(s->folder, "/tmp/nnefc-test-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    s->diag = diag_new(NULL);
    *state = s;
    return 0;
}

/* Folders below `path` are emptied by hand: nftw() is not in the POSIX we ask for. */
static inline void scratch_remove(const char *path) /* NOLINT(misc-no-recursion) */
{
    DIR *listing = opendir(path);
    char inner[SCRATCH_PATH + 256 + 2]; /* a name has up to 255 bytes */
    struct dirent *entry;
    struct stat st;

    while (listing && (entry = readdir(listing))) { /* NOLINT(concurrency-mt-unsafe) */
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        int length = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (length < 0 || (size_t)length >= sizeof inner)
            continue;
        if (lstat(inner, &st) == 0 && S_ISDIR(st.st_mode))
            scratch_remove(inner);
        else
            unlink(inner);
    }
    if (listing)
        closedir(listing);
    rmdir(path);
}

static inline int scratch_teardown(void **state)
{
    struct scratch *s = *state;

    scratch_remove(s->folder);
    diag_free(s->diag);
    free(s);
    return 0;
}

static inline const char *scratch_path(struct scratch *s, const char *name)
{
    snprintf(s->path, sizeof s->path, "%s/%s", s->folder, name);
    return s->path;
}

static inline const char *scratch_put(struct scratch *s, const char *name, const void *bytes,
                                      size_t size)
{
    FILE *file = fopen(scratch_path(s, name), "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return s->path;
}

/* Reads a file of the folder into s->bytes. */
static inline void scratch_get(struct scratch *s, const char *name)
{
    FILE *file = fopen(scratch_path(s, name), "rb");

    assert_non_null(file);
    s->size = fread(s->bytes, 1, SCRATCH_FILE, file);
    assert_int_equal(fclose(file), 0);
}

/* Files in the folder, so that one left behind is noticed. */
static inline int scratch_count(const struct scratch *s)
{
    DIR *listing = opendir(s->folder);
    const struct dirent *entry;
    int count = 0;

    assert_non_null(listing);
    while ((entry = readdir(listing))) /* NOLINT(concurrency-mt-unsafe) */
        count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    closedir(listing);
    return count;
}

/* The one report made since the last call of this: its code, and `part` of its text. */
static inline void scratch_expect(struct scratch *s, enum diag_code code, const char *part)
{
    struct diag_report report;

    assert_int_equal(diag_count(s->diag), 1);
    report = diag_at(s->diag, 0);
    if (!strstr(report.text, part))
        fail_msg("'%s' does not say '%s'", report.text, part);
    assert_string_equal(diag_info(report.code)->code, diag_info(code)->code);
    assert_non_null(report.file);
    diag_free(s->diag);
    s->diag = diag_new(NULL);
}

#define scratch_test(function) \
    cmocka_unit_test_setup_teardown(function, scratch_setup, scratch_teardown)

#endif
