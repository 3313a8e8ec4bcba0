/*
 * write.c - writes the text and the weights of a document of PNNX
 *
 * Writing starts from what was read and not from a graph, for a graph has lost how numbers were
 * spelled, sentinels, lists and strings, parameters that nothing is computed from, and which of its
 * operators were one of PNNX.
 */
#include "convert/pnnx/document.h"

#include "base/text.h"
#include "convert/pnnx/archive.h"
#include "diag/context.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* Most of a text are words, which need no format. */
static void add_word(struct text *to, const char *word)
{
    text_add_bytes(to, word, strlen(word));
}

/* --- pairs ---------------------------------------------------------------------------------- */

/* Lists keep the bracket that they were written with. */
static void add_value(struct text *to, const struct pnnx_value *value)
{
    bool round = value->bracket == '(';

    if (value->kind != PNNX_LIST) {
        add_word(to, value->text);
        return;
    }
    add_word(to, round ? "(" : "[");
    for (const struct pnnx_value *item = value->first; item; item = item->next) {
        add_word(to, item == value->first ? "" : ",");
        add_word(to, item->text);
    }
    add_word(to, round ? ")" : "]");
}

/* Types keep the name that they were written with. */
static void add_shape(struct text *to, const struct pnnx_shape *shape)
{
    add_word(to, "(");
    for (int i = 0; i < shape->rank; i++) {
        const struct pnnx_dim *dim = &shape->dim[i];
        add_word(to, i ? "," : "");
        if (dim->symbol)
            text_add(to, "%%%s", dim->symbol);
        else if (dim->extent == PNNX_ANY)
            add_word(to, "?");
        else
            text_add(to, "%" PRId64, dim->extent);
    }
    add_word(to, ")");
    add_word(to, shape->old_name ? pnnx_type_old_name(shape->type) : pnnx_type_name(shape->type));
}

/* #operand=shape, $argument=operand, @attribute=shape, or key=value. */
static void add_pair(struct text *to, const struct pnnx_pair *pair)
{
    static const char *const mark[PNNX_MARKS] = {" ", " @", " #", " $"};

    add_word(to, mark[pair->mark]);
    add_word(to, pair->name);
    add_word(to, "=");
    if (pair->shape)
        add_shape(to, pair->shape);
    else if (pair->mark == PNNX_ARGUMENT)
        add_word(to, pair->operand);
    else
        add_value(to, pair->value);
}

/* --- lines ---------------------------------------------------------------------------------- */

static void add_operands(struct text *to, struct pnnx_operand *const *operands, int count)
{
    for (int i = 0; i < count; i++) {
        add_word(to, " ");
        add_word(to, operands[i]->name);
    }
}

/* The line of the magic number, that of the counts, then a line for each operator. */
void pnnx_write_text(const struct pnnx_document *document, const struct sink *sink)
{
    struct text line = {0};

    text_add(&line, "7767517\n%d %d\n", document->operators.count, document->operands.count);
    sink->put(sink->to, line.data, line.size);
    for (const struct pnnx_operator *o = document->operators.first; o; o = o->next) {
        line.size = 0;
        text_add(&line, "%-24s %-24s %d %d", o->type, o->name, o->nin, o->nout);
        add_operands(&line, o->in, o->nin);
        add_operands(&line, o->out, o->nout);
        for (const struct pnnx_pair *p = o->pairs.first; p; p = p->behind)
            add_pair(&line, p);
        add_word(&line, "\n");
        sink->put(sink->to, line.data, line.size);
    }
    text_free(&line);
}

/* --- weights -------------------------------------------------------------------------------- */

/* Operators of the same name share their attributes. */
void pnnx_write_weights(const struct context *context, const struct pnnx_document *document,
                        const struct sink *sink)
{
    struct pnnx_archive_writer writer;
    struct map written = {0};

    pnnx_archive_begin(&writer, sink);
    for (const struct pnnx_operator *o = document->operators.first; o; o = o->next)
        for (const struct pnnx_pair *a = o->pairs.of[PNNX_ATTRIBUTE].first; a; a = a->next) {
            const char *member = pnnx_member_name(context, o, a);
            if (map_get(&written, member))
                continue;
            map_set(&written, member, a);
            pnnx_archive_add(&writer, member, a->data, a->size);
        }
    pnnx_archive_end(&writer);
    map_free(&written);
}
