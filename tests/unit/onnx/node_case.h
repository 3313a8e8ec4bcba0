/* node_case.h - cases of ONNX's own tests: tensors in files, and whether a result is as expected */
#ifndef NNEFC_TESTS_UNIT_ONNX_NODE_CASE_H
#define NNEFC_TESTS_UNIT_ONNX_NODE_CASE_H

#include "base/arena.h"
#include "convert/proto/onnx_data.h"
#include "convert/proto/onnx_read.h"
#include "diag/diag.h"
#include "file/file.h"
#include "tensor/tensor.h"

#include <math.h>
#include <stdio.h>

/* A tensor file, and what it is read with. */
struct given {
    struct diag *diag;
    struct arena *arena;
    struct file_view file;
    const struct onnx_tensor *message;
    struct tensor tensor;
};

static inline bool given_open(struct given *given, const char *path)
{
    *given = (struct given){.diag = diag_new(NULL), .arena = arena_new()};
    if (!file_open(given->diag, path, &(struct file_request){.budget = INT64_MAX}, &given->file))
        return false;
    struct onnx_bytes bytes = {given->file.data, given->file.size};
    given->message = onnx_tensor_read(given->diag, given->arena, path, bytes);
    return given->message &&
           onnx_tensor_items(given->diag, path, given->message, NULL, &given->tensor);
}

static inline void given_close(struct given *given)
{
    tensor_clear(&given->tensor);
    file_close(&given->file);
    arena_free(given->arena);
    diag_free(given->diag);
}

static inline bool is_near(double got, double expected)
{
    if (isnan(expected) || isinf(expected))
        return isnan(expected) ? isnan(got) : !(got < expected || got > expected);
    return fabs(got - expected) <= 1e-5 + 1e-3 * fabs(expected);
}

/* Says what differs if it is to be told. */
static inline bool same_tensor(int index, const struct tensor *got, const struct tensor *expected,
                               bool told)
{
    if (!shape_equal(&got->shape, &expected->shape) || got->dtype != expected->dtype) {
        if (told)
            printf("output %d is %s%s, expected %s%s\n", index, dtype_name(got->dtype),
                   SHAPE_TEXT(&got->shape), dtype_name(expected->dtype),
                   SHAPE_TEXT(&expected->shape));
        return false;
    }
    for (int64_t i = 0; i < shape_volume(&got->shape); i++)
        if (!is_near(tensor_item(got, i), tensor_item(expected, i))) {
            if (told)
                printf("item %lld of output %d is %g, expected %g\n", (long long)i, index,
                       tensor_item(got, i), tensor_item(expected, i));
            return false;
        }
    return true;
}

#endif
