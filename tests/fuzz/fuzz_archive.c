/*
 * fuzz_archive.c - any archive is listed and its members read, in memory; then it is loaded and run
 *                  as a model
 */
#include "fuzz/fuzz.h"

#include "diag/diag.h"
#include "file/container.h"
#include "nnefc/nnefc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMBER_BYTES = 1 << 20 };

static bool is_short(const char *name)
{
    return strlen(name) < 8;
}

static void read_members(const uint8_t *data, size_t size)
{
    struct context *c = fuzz_context();
    struct file_view view = fuzz_view(data, size);
    struct container *archive = container_open(c->diag, &fuzz_limits, "t.tar", &view, is_short);
    size_t count = archive ? container_count(archive) : 0;

    for (size_t i = 0; i < count; i++) {
        struct archive_member *member = container_at(archive, i);
        fuzz_expect(container_find(archive, member->name), "a member is found");
        fuzz_expect(strstr(member->name, "../") != member->name, "a member is inside");
        member->wanted = true;
    }
    if (archive && container_fetch(c->diag, archive, MEMBER_BYTES) && count > 0) {
        struct file_view taken = container_take(container_at(archive, 0));
        file_close(&taken);
    }
    container_close(archive);
    fuzz_context_free(c);
}

/* --- as a model -------------------------------------------------------------------------- */

static void set_limits(struct nnefc_model *model)
{
    const struct limits *l = &fuzz_limits;

    nnefc_model_set_limit(model, NNEFC_LIMIT_EXPANSION, l->expansion_depth);
    nnefc_model_set_limit(model, NNEFC_LIMIT_NODES, 16);
    nnefc_model_set_limit(model, NNEFC_LIMIT_ARRAY_LENGTH, l->array_length);
    nnefc_model_set_limit(model, NNEFC_LIMIT_WORK, l->work);
    nnefc_model_set_limit(model, NNEFC_LIMIT_MEMORY, l->memory);
    nnefc_model_set_limit(model, NNEFC_LIMIT_VOLUME, l->volume);
    nnefc_model_set_limit(model, NNEFC_LIMIT_KERNEL_WORK, l->kernel_work);
    nnefc_model_set_limit(model, NNEFC_LIMIT_UNPACKED, l->unpacked);
}

static void run_model(struct nnefc_model *model)
{
    struct nnefc_run *run = nnefc_run_new(model);

    nnefc_run_set_threads(run, 1);
    for (int i = 0; run && i < nnefc_model_inputs(model)->count; i++)
        nnefc_run_randomize_input(run, i, 1);
    if (run)
        nnefc_run_step(run);
    nnefc_run_free(run);
}

static void load_model(const char *path)
{
    struct nnefc_model *model = nnefc_model_new();
    FILE *nowhere = fopen("/dev/null", "w");

    set_limits(model);
    if (nnefc_model_load(model, path) == NNEFC_OK)
        run_model(model);
    else
        fuzz_expect(nnefc_model_error_count(model) > 0, "a model is loaded or has errors");
    if (nowhere) {
        nnefc_model_print_diagnostics(model, nowhere, NNEFC_PRINT_FULL, false);
        fclose(nowhere);
    }
    nnefc_model_free(model);
}

/* A file in memory that is gone when the descriptor is closed. */
static int memory_file(const uint8_t *data, size_t size)
{
    struct text name = {0};

    text_add(&name, "/nnefc-fuzz-%ld", (long)getpid());
    int file = shm_open(name.data, O_CREAT | O_EXCL | O_RDWR, 0600);
    shm_unlink(name.data);
    text_free(&name);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text path = {0};
    int file = memory_file(data, size);

    read_members(data, size);
    text_add(&path, "/proc/self/fd/%d", file);
    load_model(path.data);
    text_free(&path);
    close(file);
    return 0;
}

/* --- changes ----------------------------------------------------------------------------- */

/* The sum of a header of tar, which is taken for spaces itself. */
static void mend_sum(uint8_t *header)
{
    enum { SUM_AT = 148, SUM_SIZE = 8, BLOCK = 512 };
    unsigned sum = 0;
    char digits[SUM_SIZE];

    memset(header + SUM_AT, ' ', SUM_SIZE);
    for (int i = 0; i < BLOCK; i++)
        sum += header[i];
    snprintf(digits, sizeof digits, "%06o", sum);
    memcpy(header + SUM_AT, digits, sizeof digits - 1);
}

static void mend_sums(uint8_t *data, size_t size)
{
    enum { MAGIC_AT = 257, BLOCK = 512 };

    for (size_t at = 0; at + BLOCK <= size; at += BLOCK)
        if (memcmp(data + at + MAGIC_AT, "ustar", 5) == 0)
            mend_sum(data + at);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    size = LLVMFuzzerMutate(data, size, room);
    if (seed % 8 > 0)
        mend_sums(data, size);
    return size;
}
