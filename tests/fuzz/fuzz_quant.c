/* fuzz_quant.c - any quantization file for a model with a tensor of every kind */
#include "fuzz/text_target.h"

#include <string.h>

static const char standard[] =
    "version 1.0;\n"
    "extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;\n"
    "fragment coarse( x: tensor<scalar>, step: tensor<scalar> = 0.5 ) -> ( y: tensor<scalar> )\n"
    "{\n"
    "    whole = round(x / step);\n"
    "    y = whole * step;\n"
    "}\n"
    "fragment shifted( first: tensor<scalar>, by: scalar ) -> ( y: tensor<scalar> )\n"
    "{\n"
    "    inner = first + by;\n"
    "    y = inner;\n"
    "}\n"
    "graph net( x ) -> ( y, n )\n"
    "{\n"
    "    x = external<scalar>(shape = [1,3,4]);\n"
    "    filter1 = variable<scalar>(shape = [2,3,1], label = 'conv1/filter');\n"
    "    index = variable<integer>(shape = [1,2], label = 'index');\n"
    "    conv1 = conv(x, filter1);\n"
    "    half = constant<scalar>(shape = [1], value = [0.5]);\n"
    "    sum1 = shifted(conv1, by = 1.0);\n"
    "    y = mul(sum1, half);\n"
    "    n = copy(index);\n"
    "}\n";

static const char provisional[] =
    "version 1.0\n"
    "fragment coarse( x: tensor, step: tensor = 0.5 ) -> ( y: tensor )\n"
    "{\n"
    "    y = round(x / step) * step\n"
    "}\n"
    "graph net( x ) -> ( y )\n"
    "{\n"
    "    x = external(shape = [1,3,4])\n"
    "    filter1 = variable(shape = [2,3,1], label = 'conv1/filter')\n"
    "    conv1 = conv(x, filter1)\n"
    "    half = constant(shape = [1], value = [0.5])\n"
    "    y = mul(conv1, half)\n"
    "}\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *model = size % 4 == 3 ? provisional : standard;

    fuzz_compile(&(struct fuzz_text){model, strlen(model)},
                 &(struct fuzz_text){(const char *)data, size}, size % 4 == 2);
    return 0;
}
