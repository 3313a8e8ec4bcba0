/*
 * extension.c - fragments of a document that are operations of our extensions
 *
 * A document has such an operation when it declares it as our library does: words and literals are
 * compared, as the printer puts them.  If it has a body there, that has to be ours, too, and so has
 * whatever the body invokes; else the name is all that they have in common.
 */
#include "sema/sema_priv.h"

#include "base/text.h"
#include "parser/parser.h"

#include <assert.h>
#include <string.h>

/* Without the body unless `whole`. */
static void print(const struct fragment *fragment, bool whole, struct text *to)
{
    struct fragment copy = *fragment;
    struct document document = {.fragments = {&copy, &copy, 1}};

    copy.next = NULL;
    copy.has_body &= whole;
    document_print(&document, to);
}

/*
 * The same text as ours means the same operation; another text of that name is the document's
 * own.
 */
static bool is_ours(const struct checker *c, const struct signature *s,
                    const struct signature *ours)
{
    bool whole = s->fragment->has_body;

    struct text text[2] = {{0}, {0}};
    print(s->fragment, whole, &text[0]);
    print(ours->fragment, whole, &text[1]);
    bool same = strcmp(text[0].data, text[1].data) == 0;
    text_free(&text[0]);
    text_free(&text[1]);
    if (!same)
        return false;
    for (const struct helper *h = whole ? ours->helpers : NULL; h; h = h->next) {
        const struct signature *helper = map_get(&c->operations, h->signature->name);
        if (!helper || !is_ours(c, helper, h->signature))
            return false;
    }
    return true;
}

/* Documents carry the declarations of our extensions, so that other readers can parse them. */
void extensions_join(struct checker *c)
{
    for (int i = 0; c->dialect == DIALECT_1_0 && i < c->signature_count; i++) {
        struct signature *s = c->signatures[i];
        /* Fragments of a document are many, and the names of our operations few. */
        const struct op_desc *op = s->faulty ? NULL : op_find(s->name);
        if (!op || !(op->traits & OP_EXTENSION) || map_get(&c->operations, s->name) != s)
            continue;
        const struct library *library = library_above(c->context, c->library, LIBRARY_EXTENSIONS);
        const struct signature *ours = library ? library_find(library, s->name) : NULL;
        if (!ours || !is_ours(c, s, ours))
            continue;
        assert(ours->op == op);
        s->extension = ours;
        signature_join(s, ours->op, c->dialect);
    }
}
