/*
 * declared.c - what a file declares of its tensors, compared with what is computed
 *
 * Declarations are made by whoever wrote the file, and other programs believe them.  Where one does
 * not hold, the file or its import is wrong.
 */
#include "convert/onnx/declared.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/text.h"
#include "convert/onnx/import_priv.h"
#include "convert/proto/onnx_data.h"
#include "diag/context.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* The type of a literal is that of whatever it meets. */
static bool types_agree(int32_t declared, int32_t computed)
{
    return declared == ONNX_UNDEFINED || computed == ONNX_UNDEFINED || declared == computed;
}

static bool extents_agree(const struct declaration *declared, const struct shape *computed)
{
    assert(computed->rank <= MAX_RANK);
    for (int i = 0; i < computed->rank; i++)
        if (declared->extent[i] != EXTENT_UNKNOWN && declared->extent[i] != computed->extent[i])
            return false;
    return true;
}

/* "FLOAT[1,?,3]"; what is not known as '?'. */
static void describe(struct text *to, const char *type, int rank, const int64_t *extent)
{
    text_add(to, "%s", type);
    text_add(to, rank < 0 ? "" : "[");
    for (int i = 0; i < rank; i++) {
        text_add(to, i ? "," : "");
        if (i < MAX_RANK && extent[i] != EXTENT_UNKNOWN)
            text_add(to, "%" PRId64, extent[i]);
        else
            text_add(to, "?");
    }
    text_add(to, rank < 0 ? "" : "]");
}

bool declaration_holds(struct translation *t, const struct declaration *declared,
                       const struct imported *computed)
{
    const struct import_builder *builder = t->builder;
    const struct shape *shape = &computed->shape;
    struct text said = {0}, made = {0};

    assert(declared->name && declared->type_name);
    if (types_agree(declared->type, computed->type) &&
        (declared->rank < 0 ||
         (declared->rank == shape->rank && (builder->reshaped || extents_agree(declared, shape)))))
        return true;
    const char *type = declared->type != ONNX_UNDEFINED ? declared->type_name(declared->type) : "";
    describe(&said, type, declared->rank, declared->extent);
    type = computed->type != ONNX_UNDEFINED ? declared->type_name(computed->type) : "";
    describe(&made, type, shape->rank, shape->extent);
    if (builder->trust_shapes)
        import_warn(t, WARNING_DECLARED, "makes '%s' as %s, but the file declares it as %s",
                    declared->name, made.data, said.data);
    else
        import_error(t, DIAG_DECLARED, "makes '%s' as %s, but the file declares it as %s",
                     declared->name, made.data, said.data);
    diag_help(builder->context->diag, "%s",
              builder->trust_shapes
                  ? "what is computed counts."
                  : "the file or its import is wrong; '--trust-shapes' goes on with what is "
                    "computed.");
    text_free(&said);
    text_free(&made);
    return builder->trust_shapes;
}

/* --- files of ONNX -------------------------------------------------------------------------- */

static const char *key_of(const struct import *import, const char *name)
{
    return intern(import->builder.context->names, name, strlen(name));
}

/* Sequences and the like are no tensors, and nothing is said of those without a type. */
void import_declare(struct import *import, struct scope *scope,
                    const struct onnx_value_info_list *list)
{
    for (const struct onnx_value_info *i = list->first; i; i = i->next) {
        const char *key = key_of(import, i->name);
        struct declared *declared;
        if (!i->type || !i->type->tensor_type)
            continue;
        declared = arena_new_of(import->builder.context->arena, struct declared);
        *declared = (struct declared){i, map_get(&scope->declared, key)};
        map_set(&scope->declared, key, declared);
    }
}

bool import_fits(struct translation *t, const struct scope *scope, const struct imported *computed)
{
    const char *key = key_of(t->import, computed->name);
    const struct declared *d = map_get(&scope->declared, key);

    for (; d; d = d->next) {
        const struct onnx_tensor_type *type = d->info->type->tensor_type;
        struct declaration declaration = {computed->name, type->elem_type, -1, {0}, onnx_type_name};
        const struct onnx_dim *dim = type->shape ? type->shape->dim.first : NULL;
        if (type->shape)
            declaration.rank = type->shape->dim.count;
        for (int i = 0; dim && i < MAX_RANK; i++, dim = dim->next)
            declaration.extent[i] = dim->has & ONNX_DIM_VALUE ? dim->dim_value : EXTENT_UNKNOWN;
        if (!declaration_holds(t, &declaration, computed))
            return false;
    }
    return true;
}
