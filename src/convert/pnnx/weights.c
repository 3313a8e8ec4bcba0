/* weights.c - see weights.h */
#include "convert/pnnx/weights.h"

#include "base/text.h"
#include "convert/pnnx/archive.h"
#include "convert/pnnx/reader_priv.h"
#include "diag/context.h"
#include "diag/diag.h"

#include <inttypes.h>

static bool is_open(const struct pnnx_shape *shape)
{
    for (int i = 0; i < shape->rank; i++)
        if (shape->dim[i].extent == PNNX_ANY)
            return true;
    return shape->type == PNNX_NULL;
}

static bool bind(const struct context *context, struct pnnx_attribute *attribute,
                 const struct pnnx_archive *archive, const char *name)
{
    const struct pnnx_member *member = pnnx_archive_find(context, archive, name);
    int64_t bytes = 0;

    if (is_open(attribute->shape))
        return diag_error(context->diag, attribute->shape->span, DIAG_PNNX_VALUE,
                          "weights '%s' have no fixed shape and type", name);
    if (!member)
        return diag_error(context->diag, attribute->span, DIAG_PNNX_WEIGHTS,
                          "weights '%s' are not in the archive of %d members", name,
                          archive->count);
    pnnx_shape_bytes(attribute->shape, &bytes);
    if (member->size != (uint64_t)bytes)
        return diag_error(context->diag, attribute->span, DIAG_PNNX_WEIGHTS,
                          "weights '%s' have %zu bytes in the archive, expected %" PRId64, name,
                          member->size, bytes);
    attribute->data = member->data;
    attribute->size = member->size;
    return true;
}

bool pnnx_weights_bind(const struct context *context, struct pnnx_document *document,
                       const struct pnnx_archive *archive)
{
    struct text name = {0};
    bool ok = true;

    for (struct pnnx_operator *o = document->operators.first; o; o = o->next)
        for (struct pnnx_attribute *a = o->attributes.first; a; a = a->next) {
            name.size = 0;
            text_add(&name, "%s.%s", o->name, a->name);
            ok &= bind(context, a, archive, name.data);
        }
    text_free(&name);
    return ok;
}
