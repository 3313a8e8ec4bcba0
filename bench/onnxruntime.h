/*
 * onnxruntime.h - the part of ONNX Runtime's C interface that is used here
 *
 * The library hands out a table of functions, to which versions only ever add; what is declared is
 * the beginning of that table, as far as it is used, at version 11.  Functions that are not used
 * are left out as `gap`.  Those that return a status return NULL if all went well.
 */
#ifndef NNEFC_BENCH_ONNXRUNTIME_H
#define NNEFC_BENCH_ONNXRUNTIME_H

#include <stddef.h>
#include <stdint.h>

struct ort_status;
struct ort_env;
struct ort_options;
struct ort_session;
struct ort_run_options;
struct ort_value;
struct ort_allocator;
struct ort_memory;
struct ort_shape;

enum {
    ORT_VERSION = 11,
    ORT_LOG_ERRORS = 3,
    ORT_OPTIMIZE_ALL = 99,
    ORT_FLOAT = 1,
    ORT_ARENA_ALLOCATOR = 1,
    ORT_MEMORY_DEFAULT = 0,
};

typedef void (*ort_unused)(void);
typedef struct ort_status *ort_result;

struct ort_api {
    ort_unused gap0[2];
    const char *(*message)(const struct ort_status *status);
    ort_result (*create_env)(int logged, const char *name, struct ort_env **env);
    ort_unused gap4[3];
    ort_result (*create_session)(const struct ort_env *env, const char *path,
                                 const struct ort_options *options, struct ort_session **session);
    ort_unused gap8;
    ort_result (*run)(struct ort_session *session, const struct ort_run_options *options,
                      const char *const *input_names, const struct ort_value *const *inputs,
                      size_t input_count, const char *const *output_names, size_t output_count,
                      struct ort_value **outputs);
    ort_result (*create_options)(struct ort_options **options);
    ort_unused gap11[12];
    ort_result (*set_optimization)(struct ort_options *options, int level);
    ort_result (*set_intra_threads)(struct ort_options *options, int threads);
    ort_result (*set_inter_threads)(struct ort_options *options, int threads);
    ort_unused gap26[4];
    ort_result (*input_count)(const struct ort_session *session, size_t *count);
    ort_result (*output_count)(const struct ort_session *session, size_t *count);
    ort_unused gap32[5];
    ort_result (*output_name)(const struct ort_session *session, size_t index,
                              struct ort_allocator *allocator, char **name);
    ort_unused gap38[11];
    ort_result (*create_tensor)(const struct ort_memory *memory, void *items, size_t size,
                                const int64_t *extent, size_t rank, int type,
                                struct ort_value **value);
    ort_unused gap50;
    ort_result (*tensor_items)(struct ort_value *value, void **items);
    ort_unused gap52[8];
    ort_result (*tensor_type)(const struct ort_shape *shape, int *type);
    ort_result (*tensor_rank)(const struct ort_shape *shape, size_t *rank);
    ort_result (*tensor_extents)(const struct ort_shape *shape, int64_t *extent, size_t rank);
    ort_unused gap63;
    ort_result (*tensor_count)(const struct ort_shape *shape, size_t *count);
    ort_result (*tensor_shape)(const struct ort_value *value, struct ort_shape **shape);
    ort_unused gap66[3];
    ort_result (*cpu_memory)(int allocator, int kind, struct ort_memory **memory);
    ort_unused gap70[6];
    ort_result (*free)(struct ort_allocator *allocator, void *memory);
    ort_unused gap77;
    ort_result (*default_allocator)(struct ort_allocator **allocator);
    ort_unused gap79[13];
    void (*release_env)(struct ort_env *env);
    void (*release_status)(struct ort_status *status);
    void (*release_memory)(struct ort_memory *memory);
    void (*release_session)(struct ort_session *session);
    void (*release_value)(struct ort_value *value);
    ort_unused gap97[2];
    void (*release_shape)(struct ort_shape *shape);
    void (*release_options)(struct ort_options *options);
    ort_unused gap101[23];
    ort_result (*fix_dimension)(struct ort_options *options, const char *name, int64_t extent);
    ort_unused gap125[5];
    ort_result (*set_entry)(struct ort_options *options, const char *key, const char *value);
};

_Static_assert(offsetof(struct ort_api, set_entry) == 130 * sizeof(ort_unused),
               "an entry of the table is missing");

struct ort_api_base {
    const struct ort_api *(*api)(uint32_t version); /* NULL: the library is older */
    const char *(*version)(void);
};

/* What the library exports as "OrtGetApiBase". */
typedef const struct ort_api_base *(*ort_get_api_base)(void);

#endif
