/* fuzz_npy.c - any array, alone or in an archive of arrays; what is read is written and read back
 */
#include "fuzz/fuzz.h"

#include "diag/diag.h"
#include "file/container.h"
#include "file/npy.h"
#include "file/npz.h"

static void read_back(struct diag *diag, struct tensor *tensor)
{
    const struct reading reading = {diag, "output", fuzz_limits.memory};
    struct text bytes = {0};
    struct sink sink = fuzz_sink(&bytes);
    struct tensor again;

    fuzz_expect(npy_put(diag, &sink, tensor, NULL), "what was read is written");
    fuzz_expect(bytes.size == (size_t)npy_size(tensor), "the size of an array is known before");
    struct file_view view = {.data = bytes.data, .size = bytes.size, .borrowed = true};
    fuzz_expect(npy_read_view(&reading, &view, &again, NULL), "what was written is read");
    fuzz_expect(fuzz_same_tensor(tensor, &again), "what was written is read back");
    tensor_clear(&again);
    tensor_clear(tensor);
    text_free(&bytes);
}

static void read_arrays(struct diag *diag, struct file_view *file)
{
    struct container *archive = container_open(diag, &fuzz_limits, "t.npz", file, NULL);
    struct item_format format;
    struct tensor tensor;

    for (size_t i = 0; archive && i < container_count(archive); i++) {
        struct npz_request wanted = {container_at(archive, i), fuzz_limits.memory};
        if (npz_take(diag, archive, &wanted, &tensor, &format))
            read_back(diag, &tensor);
    }
    if (archive)
        npz_missing(diag, archive, "missing");
    container_close(archive);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct context *c = fuzz_context();
    const struct reading reading = {c->diag, "t.npy", fuzz_limits.memory};
    struct file_view view = fuzz_view(data, size);
    struct item_format format;
    struct tensor tensor;

    if (npz_recognise(&view)) {
        read_arrays(c->diag, &view);
    } else if (npy_read_view(&reading, &view, &tensor, &format)) {
        fuzz_expect(item_format_valid(&format), "an array has a format");
        read_back(c->diag, &tensor);
    } else {
        fuzz_expect(diag_error_count(c->diag) > 0, "a file is read or has errors");
    }
    fuzz_context_free(c);
    return 0;
}
