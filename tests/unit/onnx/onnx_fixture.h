/* onnx_fixture.h - an arena, a diag and bytes to read, for each test of ONNX messages */
#ifndef NNEFC_TESTS_UNIT_PROTO_ONNX_FIXTURE_H
#define NNEFC_TESTS_UNIT_PROTO_ONNX_FIXTURE_H

#include "base/arena.h"
#include "base/text.h"
#include "convert/proto/onnx_build.h"
#include "convert/proto/onnx_read.h"
#include "convert/proto/onnx_write.h"
#include "diag/diag.h"
#include "file/out.h"

#include <stdlib.h>
#include <string.h>

#include "support/t.h"

struct onnx_fixture {
    struct arena *arena;
    struct diag *diag;
    struct text bytes; /* written last */
};

static inline int onnx_setup(void **state)
{
    struct onnx_fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    f->arena = arena_new();
    f->diag = diag_new(NULL);
    *state = f;
    return 0;
}

static inline int onnx_teardown(void **state)
{
    struct onnx_fixture *f = *state;

    text_free(&f->bytes);
    arena_free(f->arena);
    diag_free(f->diag);
    free(f);
    return 0;
}

#define onnx_test(function) cmocka_unit_test_setup_teardown(function, onnx_setup, onnx_teardown)

/* The bytes of a literal, which may have zeros in it. */
#define BYTES(literal) ((struct onnx_bytes){literal, sizeof(literal) - 1})

static inline void onnx_expect_sound(const struct onnx_fixture *f)
{
    if (diag_count(f->diag))
        fail_msg("%s", diag_at(f->diag, 0).text);
}

static inline struct onnx_model *read_model(struct onnx_fixture *f, struct onnx_bytes file)
{
    struct onnx_model *model = onnx_model_read(f->diag, f->arena, "t.onnx", file);

    onnx_expect_sound(f);
    assert_non_null(model);
    return model;
}

static inline struct onnx_tensor *read_tensor(struct onnx_fixture *f, struct onnx_bytes file)
{
    struct onnx_tensor *tensor = onnx_tensor_read(f->diag, f->arena, "t.pb", file);

    onnx_expect_sound(f);
    assert_non_null(tensor);
    return tensor;
}

/* The one report since the last call of this: its code, and its whole text. */
static inline void onnx_expect(struct onnx_fixture *f, enum diag_code code, const char *text)
{
    assert_int_equal(diag_count(f->diag), 1);
    assert_string_equal(diag_at(f->diag, 0).text, text);
    assert_string_equal(diag_info(diag_at(f->diag, 0).code)->code, diag_info(code)->code);
    assert_non_null(diag_at(f->diag, 0).file);
    diag_clear(f->diag);
}

static inline void put_in_text(void *to, const void *data, size_t size)
{
    text_add_bytes(to, data, size);
}

/* Written into f->bytes; a view of it. */
static inline struct onnx_bytes write_model(struct onnx_fixture *f, const struct onnx_model *model)
{
    text_free(&f->bytes);
    assert_true(onnx_model_put(f->diag, &(struct sink){"t.onnx", put_in_text, &f->bytes}, model));
    onnx_expect_sound(f);
    assert_int_equal(f->bytes.size, onnx_model_size(model));
    return (struct onnx_bytes){f->bytes.data, f->bytes.size};
}

#endif
