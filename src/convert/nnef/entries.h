/* entries.h - quantized tensors of a graph as entries of a quantization file */
#ifndef NNEFC_CONVERT_NNEF_ENTRIES_H
#define NNEFC_CONVERT_NNEF_ENTRIES_H

#include "base/map.h"
#include "parser/ast.h"

struct graph;

/* What the entries of a graph say, and how the tensors of integers that they name are stored: the
 * struct item_format of each. */
struct graph_entries {
    struct quant_entry_list list;
    struct map stored;
};

/*
 * Let entries say what 'quantize' and 'dequantize' behind it make of a tensor, or 'dequantize' of
 * stored integers, if constants tell how: a scale and a zero for all or for each index of an axis.
 * What is left is the graph of scalars, whose variables may have tensors of integers.  Operations
 * of which no entry can be made stay.  Returns a copy, or the graph itself if there are none; the
 * caller frees the map.
 */
struct graph *entries_take(struct graph *graph, struct graph_entries *entries);

#endif
