/*
 * declared.c - what a file declares of its tensors, compared with what is computed
 *
 * Declarations are made by whoever wrote the file, and other programs believe them.  Where one does
 * not hold, the file or its import is wrong.
 */
#include "convert/onnx/declared.h"

#include "base/arena.h"
#include "base/text.h"
#include "convert/onnx/import_priv.h"
#include "convert/proto/onnx_data.h"
#include "diag/context.h"
#include "ir/site.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* Of one rank, and of the extents that are known; `zeros`: those that are not 0. */
static bool extents_agree(const struct declaration *declared, const struct shape *computed,
                          bool zeros)
{
    assert(computed->rank <= MAX_RANK);
    for (int i = 0; i < computed->rank && declared->rank == computed->rank; i++)
        if (declared->extent[i] != EXTENT_UNKNOWN && !(zeros && declared->extent[i] == 0) &&
            declared->extent[i] != computed->extent[i])
            return false;
    return declared->rank == computed->rank;
}

/* Nothing that other programs mind: see declared.h. */
static bool is_harmless(const struct declaration *declared, const struct shape *computed)
{
    if (declared->rank == 0 || (computed->rank == 0 && declared->rank == 1))
        return declared->rank == 0 || declared->extent[0] == 1;
    return extents_agree(declared, computed, true);
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
    struct text said = {0}, text = {0};

    assert(declared->name && declared->type_name);
    /* The type of a literal is that of whatever it meets. */
    bool typed = declared->type == ONNX_UNDEFINED || computed->type == ONNX_UNDEFINED ||
                 declared->type == computed->type;
    bool open = declared->rank < 0 || (builder->reshaped && declared->rank == shape->rank);
    if (typed && (open || extents_agree(declared, shape, false)))
        return true;
    bool warns =
        builder->trust_shapes || (typed && (!declared->binding || is_harmless(declared, shape)));
    if (declared->what)
        text_add(&text, "%s '%s' is ", declared->what, declared->name);
    else
        text_add(&text, "makes '%s' as ", declared->name);
    const char *type = computed->type != ONNX_UNDEFINED ? declared->type_name(computed->type) : "";
    if (computed->list)
        text_add(&text, "a sequence");
    else
        describe(&text, type, shape->rank, shape->extent);
    type = declared->type != ONNX_UNDEFINED ? declared->type_name(declared->type) : "";
    describe(&said, type, declared->rank, declared->extent);
    text_add(&text, ", but the file declares it as %s", said.data);
    if (warns)
        import_warn(t, WARNING_DECLARED, "%s", text.data);
    else
        import_error(t, DIAG_DECLARED, "%s", text.data);
    diag_help(builder->context->diag, "%s",
              warns ? "what is computed counts."
                    : "the file or its import is wrong; '--trust-shapes' goes on with what is "
                      "computed.");
    text_free(&said);
    text_free(&text);
    return warns;
}

/* --- files of ONNX -------------------------------------------------------------------------- */

/* Sequences and the like are no tensors, and nothing is said of those without a type. */
void import_declare(struct import *import, struct scope *scope,
                    const struct onnx_value_info_list *list, bool binding)
{
    for (const struct onnx_value_info *i = list->first; i; i = i->next) {
        struct declared *declared;
        if (!i->type || !i->type->tensor_type)
            continue;
        declared = arena_new_of(import->builder.context->arena, struct declared);
        *declared = (struct declared){i, binding, map_get(&scope->declared, i->name)};
        map_set(&scope->declared, i->name, declared);
    }
}

bool import_fits(struct translation *t, const struct scope *scope, const struct imported *computed,
                 const char *what)
{
    const struct declared *d = map_get(&scope->declared, computed->name);

    for (; d; d = d->next) {
        const struct onnx_tensor_type *type = d->info->type->tensor_type;
        struct declaration declaration = {.name = computed->name,
                                          .what = what,
                                          .type = type->elem_type,
                                          .rank = type->shape ? type->shape->dim.count : -1,
                                          .binding = d->binding,
                                          .type_name = onnx_type_name};
        const struct onnx_dim *dim = type->shape ? type->shape->dim.first : NULL;
        for (int i = 0; dim && i < MAX_RANK; i++, dim = dim->next) {
            bool known = dim->has & ONNX_DIM_VALUE && dim->dim_value >= 0;
            declaration.extent[i] = known ? dim->dim_value : EXTENT_UNKNOWN;
        }
        if (!declaration_holds(t, &declaration, computed))
            return false;
    }
    return true;
}
