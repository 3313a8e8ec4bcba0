/* write.c - see write.h */
#include "pnnx/write.h"

#include "base/context.h"
#include "base/intern.h"
#include "base/text.h"
#include "pnnx/archive_write.h"
#include "pnnx/document.h"

#include <inttypes.h>

/* --- pairs --------------------------------------------------------------------------------- */

static void add_value(struct text *to, const struct pnnx_value *value)
{
    if (value->kind != PNNX_LIST) {
        text_add(to, "%s", value->text);
        return;
    }
    text_add(to, "%c", value->bracket);
    for (const struct pnnx_value *item = value->first; item; item = item->next)
        text_add(to, "%s%s", item == value->first ? "" : ",", item->text);
    text_add(to, "%c", value->bracket == '(' ? ')' : ']');
}

static void add_extent(struct text *to, const struct pnnx_dim *dim)
{
    if (dim->symbol)
        text_add(to, "%%%s", dim->symbol);
    else if (dim->extent == PNNX_ANY)
        text_add(to, "?");
    else
        text_add(to, "%" PRId64, dim->extent);
}

static void add_shape(struct text *to, const struct pnnx_shape *shape)
{
    text_add(to, "(");
    for (int i = 0; i < shape->rank; i++) {
        text_add(to, "%s", i ? "," : "");
        add_extent(to, &shape->dim[i]);
    }
    text_add(to, ")%s",
             shape->old_name ? pnnx_type_old_name(shape->type) : pnnx_type_name(shape->type));
}

static void add_mention(struct text *to, const struct pnnx_mention *mention)
{
    if (mention->shape) {
        text_add(to, " #%s=", mention->name);
        add_shape(to, mention->shape);
    } else {
        text_add(to, " $%s=%s", mention->name, mention->operand);
    }
}

static void add_pair(struct text *to, const struct pnnx_pair *pair)
{
    if (pair->mention) {
        add_mention(to, pair->mention);
    } else if (pair->attribute) {
        text_add(to, " @%s=", pair->attribute->name);
        add_shape(to, pair->attribute->shape);
    } else {
        text_add(to, " %s=", pair->param->key);
        add_value(to, pair->param->value);
    }
}

/* --- lines --------------------------------------------------------------------------------- */

static void add_operator(struct text *to, const struct pnnx_operator *op)
{
    text_add(to, "%-24s %-24s %d %d", op->type, op->name, op->nin, op->nout);
    for (int i = 0; i < op->nin; i++)
        text_add(to, " %s", op->in[i]->name);
    for (int i = 0; i < op->nout; i++)
        text_add(to, " %s", op->out[i]->name);
    for (const struct pnnx_pair *pair = op->pairs.first; pair; pair = pair->next)
        add_pair(to, pair);
    text_add(to, "\n");
}

void pnnx_write_text(const struct pnnx_document *document, const struct sink *sink)
{
    struct text line = {0};

    text_add(&line, "7767517\n%d %d\n", document->operators.count, document->operands.count);
    sink->put(sink->to, line.data, line.size);
    for (const struct pnnx_operator *o = document->operators.first; o; o = o->next) {
        line.size = 0;
        add_operator(&line, o);
        sink->put(sink->to, line.data, line.size);
    }
    text_free(&line);
}

/* --- weights ------------------------------------------------------------------------------- */

/* Operators of the same name share their attributes. */
void pnnx_write_weights(const struct context *context, const struct pnnx_document *document,
                        const struct sink *sink)
{
    struct archive_writer writer;
    struct map written = {0};
    struct text name = {0};

    archive_write_begin(&writer, sink);
    for (const struct pnnx_operator *o = document->operators.first; o; o = o->next)
        for (const struct pnnx_attribute *a = o->attributes.first; a; a = a->next) {
            name.size = 0;
            text_add(&name, "%s.%s", o->name, a->name);
            const char *member = intern(context->names, name.data, name.size);
            if (map_get(&written, member))
                continue;
            map_set(&written, member, a);
            archive_write_member(&writer, member, a->data, a->size);
        }
    archive_write_end(&writer);
    map_free(&written);
    text_free(&name);
}
