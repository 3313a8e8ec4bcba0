/* pack.c - a model in one file: its document, graph.quant and the data of its variables */
#include "api/parts.h"
#include "api/weights.h"
#include "base/arena.h"
#include "file/label.h"
#include "ir/graph.h"

#include <stdlib.h>
#include <string.h>

/* Without its last step the order in which equal labels stand together. */
static int by_label(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    int order = label_compare(*x, *y, true);

    return order ? order : strcmp(*x, *y);
}

/* One file for each label, under the first of the names that it goes by. */
static void add_labels(struct parts *parts, const struct graph *graph)
{
    int n = 0, count = graph->variables.count;
    const char **label = malloc(((size_t)count + 1) * sizeof *label);

    if (!label)
        arena_out_of_memory();
    for (const struct source *v = graph->variables.first; v; v = v->next)
        label[n++] = v->label;
    qsort(label, (size_t)n, sizeof *label, by_label);
    for (int i = 0; i < n; i++)
        if (i == 0 || label_compare(label[i - 1], label[i], graph->provisional) != 0)
            parts_add_data(parts, label[i], label[i]);
    free(label);
}

static bool pack(struct nnefc_model *model, const char *path)
{
    struct parts parts = {0};
    char *quantization = NULL;
    size_t size = 0;

    if (!weights_load(model) || (model->home && !store_text(model->context->diag, model->home,
                                                            "graph.quant", &quantization, &size)))
        return false;
    add_labels(&parts, model->graph);
    parts_add_text(&parts, "graph.nnef", model->text, model->size);
    if (quantization)
        parts_add_text(&parts, "graph.quant", quantization, size);
    bool ok = parts_pack(model, &parts, path);
    parts_free(&parts);
    free(quantization);
    return ok;
}

enum nnefc_status api_model_pack(struct nnefc_model *model, const char *path)
{
    if (!model || !model->graph || !path)
        return misuse(model, "a model that is not loaded cannot be packed");
    if (model->imported)
        return misuse(model, "a model of ONNX, or in a graph file, is one file already");
    int before = diag_count(model->context->diag);

    return pack(model, path) ? NNEFC_OK : status_since(model, before);
}
