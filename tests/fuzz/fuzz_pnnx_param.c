/* fuzz_pnnx_param.c - any bytes as the text of a PNNX model, of which a graph is made */
#include "fuzz/pnnx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file_view view = fuzz_view(data, size);

    fuzz_pnnx(&(struct fuzz_text){view.data, view.size});
    file_close(&view);
    return 0;
}
