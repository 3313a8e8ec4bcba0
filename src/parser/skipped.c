/*
 * skipped.c - names in text that was skipped after a syntax error
 *
 * Such a name may be declared in the skipped text, so that its use elsewhere is not reported as
 * unknown.
 */
#include "parser/ast_priv.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/list.h"

#include <assert.h>
#include <string.h>

static DEFINE_APPEND(skipped_name)

/* Add all words of `span` to the skipped names. */
static void lose_all(struct parser *p, struct span span)
{
    for (uint32_t at = span.begin, end; at < span.end; at = end) {
        end = scan_past_word(p, at);
        if (end == at) {
            end = scan_past_blank(p, at + 1);
            continue;
        }
        struct skipped_name *skipped = arena_new_of(p->context->arena, struct skipped_name);
        skipped->name = intern(p->context->names, p->text + (at - p->base), end - at);
        p->document->skipped = skipped_name_append(p->document->skipped, skipped);
    }
}

/* Only names that are assigned count: those of each list that leads to a '='. */
void ast_skip(struct parser *p, struct span span)
{
    assert(span.begin <= span.end);
    p->holed = true;
    if (!p->stop) {
        uint32_t list = span.begin, at = span.begin;

        while (at < span.end) {
            uint32_t end = scan_past_word(p, at),
                     next = scan_past_blank(p, end > at ? end : at + 1);
            char c = parser_byte(p, at);
            if (parser_byte(p, at) == '=' && parser_byte(p, at + 1) != '=')
                lose_all(p, (struct span){list, at});
            if (end > at ? parser_byte(p, next) == '(' : !strchr("[](),", c))
                list = next;
            at = next;
        }
    }
    ast_is_faulty(p);
}

void ast_skip_declaration(struct parser *p, struct span span)
{
    const char *begin = p->text + (span.begin - p->base);
    const char *brace = memchr(begin, '{', span.end - span.begin);
    uint32_t body = brace ? span.begin + (uint32_t)(brace - begin) : span.end;

    assert(span.begin <= span.end);
    if (!p->stop)
        lose_all(p, (struct span){span.begin, body});
    ast_skip(p, (struct span){body, span.end});
}
