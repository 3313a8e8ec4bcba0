/* fuzz_pnnx_expression.c - any bytes as an expression of PNNX, of two inputs */
#include "fuzz/pnnx.h"

#include "convert/pnnx/expression.h"
#include "diag/diag.h"
#include "diag/source.h"

#include <stdlib.h>
#include <string.h>

static void read_alone(const char *text)
{
    struct context *context = fuzz_context();
    uint32_t base = sources_add(context->sources, "e", text, strlen(text));
    struct span span = {base, base + (uint32_t)strlen(text)};
    const struct pnnx_expression *e = pnnx_expression_read(context, text, span, 2);

    fuzz_expect(!e == (diag_error_count(context->diag) > 0), "it is read or has errors");
    fuzz_expect(!e || (e->count > 0 && e->depth > 0 && e->depth <= e->count),
                "the stack is as deep as told");
    fuzz_context_free(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text text = {0}, model = {0};

    text_add_bytes(&text, (const char *)data, size);
    text_add(&text, "%s", "");
    read_alone(text.data);
    text_add(&model,
             "7767517\n4 3\npnnx.Input a 0 1 0 #0=(2,3)f32\npnnx.Input b 0 1 1 #1=(3)i64\n"
             "pnnx.Expression e 2 1 0 1 2 expr=%s\npnnx.Output o 1 0 2\n",
             text.data);
    fuzz_pnnx(&(struct fuzz_text){model.data, model.size});
    text_free(&text);
    text_free(&model);
    return 0;
}
