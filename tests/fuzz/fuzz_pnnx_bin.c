/* fuzz_pnnx_bin.c - any bytes as the weights of a PNNX model; members are parts of the archive */
#include "fuzz/fuzz.h"

#include "convert/pnnx/archive.h"
#include "diag/diag.h"

static void touch(const struct pnnx_member *member, const struct file_view *view)
{
    const unsigned char *begin = view->data, *end = begin + view->size;
    unsigned sum = 0;

    if (!member)
        return;
    fuzz_expect(member->data >= begin && member->size <= (size_t)(end - member->data),
                "a member is in the archive");
    for (size_t i = 0; i < member->size; i++)
        sum += member->data[i];
    fuzz_expect(sum < UINT32_MAX, "a member can be read");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct context *context = fuzz_context();
    struct file_view view = fuzz_view(data, size);
    struct pnnx_archive archive;
    bool ok = pnnx_archive_open(context, "m.bin", view.data, view.size, &archive);

    fuzz_expect(ok == (diag_error_count(context->diag) == 0), "it is read or has an error");
    touch(pnnx_archive_find(context, &archive, "conv.weight"), &view);
    touch(pnnx_archive_find(context, &archive, "conv.bias"), &view);
    touch(pnnx_archive_find(context, &archive, ""), &view);
    pnnx_archive_close(&archive);
    fuzz_context_free(context);
    file_close(&view);
    return 0;
}
