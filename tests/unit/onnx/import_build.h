/* import_build.h - ONNX models made node by node, in a fixture of each test */
#ifndef NNEFC_TESTS_UNIT_ONNX_IMPORT_BUILD_H
#define NNEFC_TESTS_UNIT_ONNX_IMPORT_BUILD_H

#include "convert/proto/onnx_build.h"
#include "convert/proto/onnx_write.h"
#include "nnefc/nnefc.h"

#include "base/arena.h"
#include "base/text.h"
#include "diag/diag.h"
#include "file/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/onnx_parts.h"
#include "support/t.h"

struct fixture {
    struct arena *arena;
    struct onnx_model *onnx;
    struct onnx_graph *graph;
    struct nnefc_model *model;
    struct nnefc_run *run;
};

static inline int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    f->arena = arena_new();
    f->onnx = onnx_model_new(f->arena, 8, "g");
    f->graph = f->onnx->graph;
    f->model = nnefc_model_new();
    onnx_opset_add(f->arena, &f->onnx->opset_import, "", 17);
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    struct fixture *f = *state;

    nnefc_run_free(f->run);
    nnefc_model_free(f->model);
    arena_free(f->arena);
    free(f);
    return 0;
}

/* --- making models ------------------------------------------------------------------------- */

static inline struct onnx_value_info *input(struct fixture *f, const char *name,
                                            enum onnx_data_type type, const int64_t *dim, int rank)
{
    struct onnx_value_info *info = onnx_value_info_new(f->arena, name, type, dim, rank);

    f->graph->input = onnx_value_info_append(f->graph->input, info);
    return info;
}

/* Nothing is declared of its type and shape. */
static inline void output(struct fixture *f, const char *name)
{
    struct onnx_value_info *info = onnx_value_info_new(f->arena, name, ONNX_FLOAT, NULL, 0);

    info->type = NULL;
    f->graph->output = onnx_value_info_append(f->graph->output, info);
}

/* What the file says of an output, or of a tensor in between; extents of -1 are open. */
static inline void declare(struct fixture *f, const char *name, enum onnx_data_type type,
                           const int64_t *dim, int rank)
{
    struct onnx_value_info *info = onnx_value_info_new(f->arena, name, type, dim, rank);

    f->graph->value_info = onnx_value_info_append(f->graph->value_info, info);
}

/* `in` are names with ',' between them. */
static inline struct onnx_node *node(struct fixture *f, const char *type, const char *in,
                                     const char *out)
{
    struct onnx_node *n = onnx_node_new(f->arena, f->graph, type);

    for (const char *at = in; *in && at;) {
        size_t size = strcspn(at, ",");
        onnx_text_add(f->arena, &n->input, arena_strndup(f->arena, at, size));
        at = at[size] ? at + size + 1 : NULL;
    }
    onnx_text_add(f->arena, &n->output, out);
    return n;
}

static inline void integers(struct fixture *f, const char *name, const int64_t *items, int count)
{
    int64_t dim[] = {count};
    struct onnx_tensor *t = onnx_tensor_new(f->arena, name, ONNX_INT64, dim, 1);

    onnx_tensor_ints(f->arena, t, items, (size_t)count);
    f->graph->initializer = onnx_tensor_append(f->graph->initializer, t);
}

/* 0, 1, 2, ... */
static inline void floats(struct fixture *f, const char *name, const int64_t *dim, int rank)
{
    struct onnx_tensor *t = onnx_tensor_new(f->arena, name, ONNX_FLOAT, dim, rank);
    float items[256];
    int64_t count = 1;

    for (int i = 0; i < rank; i++)
        count *= dim[i];
    assert_true(count <= 256);
    for (int64_t i = 0; i < count; i++)
        items[i] = (float)i;
    onnx_tensor_floats(f->arena, t, items, (size_t)count);
    f->graph->initializer = onnx_tensor_append(f->graph->initializer, t);
}

#endif
