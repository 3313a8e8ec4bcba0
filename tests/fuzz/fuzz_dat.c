/* fuzz_dat.c - any tensor file is refused or read; what is read is written and read back */
#include "fuzz/fuzz.h"

#include "diag/diag.h"
#include "file/dat.h"
#include "file/payload.h"

#include <string.h>

static void read_back(struct diag *diag, const struct tensor *tensor, const struct dat_info *info)
{
    const struct reading reading = {diag, "output", fuzz_limits.memory};
    struct payload payload = {info->format, info->shape, 0, false};
    struct tensor again;
    struct text bytes = {0};
    struct sink sink = fuzz_sink(&bytes);

    text_add_bytes(&bytes, "", 0);
    fuzz_expect(payload_write(diag, &sink, tensor, &info->format), "what was read is written");
    struct file_view view = {.data = bytes.data, .size = bytes.size, .borrowed = true};
    fuzz_expect(payload_take(&reading, &payload, &view, &again), "what was written is read");
    fuzz_expect(fuzz_same_tensor(tensor, &again), "what was written is read back");
    tensor_clear(&again);
    text_free(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct context *c = fuzz_context();
    const struct reading reading = {c->diag, "t.dat", fuzz_limits.memory};
    struct file_view view = fuzz_view(data, size);
    struct dat_info info;
    struct tensor tensor;

    bool is_dat = dat_recognise(&view);
    if (dat_read_view(&reading, &view, &tensor, &info)) {
        fuzz_expect(is_dat, "what is read is recognised");
        fuzz_expect(shape_equal(&info.shape, &tensor.shape), "a tensor has the shape of its file");
        fuzz_expect(memchr(info.algorithm, '\0', sizeof info.algorithm), "an algorithm ends");
        read_back(c->diag, &tensor, &info);
        tensor_clear(&tensor);
    } else {
        fuzz_expect(diag_error_count(c->diag) > 0, "a file is read or has errors");
    }
    fuzz_context_free(c);
    return 0;
}
