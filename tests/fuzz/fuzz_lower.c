/* fuzz_lower.c - any text is checked, lowered and run */
#include "fuzz/text_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_compile(&(struct fuzz_text){(const char *)data, size}, NULL, size % 2);
    return 0;
}
