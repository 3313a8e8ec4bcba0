/*
 * export_quant.c - quantization that integers could not do, of a model that is to have integers
 *
 * Whatever they can do was made 'quantize' and 'dequantize' when the model was read.
 */
#include "convert/onnx/export_out.h"
#include "convert/onnx/export_rules.h"

#include "op/quant_grid.h"

const char *export_quantize(const struct emit *e)
{
    struct quant_grid grid;
    const char *why = quant_grid_find(emit_arena(e), e->node, &grid);

    e->out->help = "--quant=apply writes it with ordinary operations.";
    emit_refuse(e, "'%s' cannot be QuantizeLinear: %s", e->node->op->name,
                why ? why : "the model was not read as integers");
    return NULL;
}
