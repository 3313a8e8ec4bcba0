/* pack.c - a model in one file: its document, graph.quant and the data of its variables */
#include "api/parts.h"
#include "api/weights.h"
#include "file/label.h"
#include "ir/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Labels that are the same file stand together, the first of their names first. */
static int by_label(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    int order = label_compare(*x, *y, true);

    return order ? order : strcmp(*x, *y);
}

bool api_model_pack(struct nnefc_model *model, const char *path)
{
    struct parts parts = {0};
    char *quantization = NULL;
    size_t size = 0;

    if (!path)
        return misuse(model, "there is no path to write to");
    if (!graph_is_there(model, "packed"))
        return false;
    if (model->imported)
        return misuse(model, "a model of ONNX, or in a graph file, is one file already");
    struct diag *diag = model->context->diag;
    const struct graph *graph = model->graph;
    int n = 0;
    if (!weights_load(model) ||
        (model->home && !store_text(diag, model->home, "graph.quant", &quantization, &size)))
        return false;

    /* One file for each label, under the first of the names that it goes by. */
    const char **label = heap_array((size_t)graph->variables.count, sizeof *label);
    for (const struct source *v = graph->variables.first; v; v = v->next)
        label[n++] = v->label;
    assert(n == graph->variables.count);
    qsort(label, (size_t)n, sizeof *label, by_label);
    for (int i = 0; i < n; i++)
        if (i == 0 || label_compare(label[i - 1], label[i], graph->provisional) != 0)
            parts_add_data(&parts, label[i], label[i]);
    free(label);

    parts_add_text(&parts, "graph.nnef", model->text, model->size);
    if (quantization)
        parts_add_text(&parts, "graph.quant", quantization, size);
    bool ok = parts_pack(model, &parts, path);
    parts_free(&parts);
    free(quantization);
    return ok;
}
