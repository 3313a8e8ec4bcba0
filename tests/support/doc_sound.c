/* doc_sound.c - what remains of a document without the faults that it announces; see doc.h */
#include "support/doc_pass.h"

#include "base/arena.h"

#include <string.h>

static bool is_announced(const struct doc *doc, int first, int last)
{
    for (const struct doc_fault *f = doc->faults.first; f; f = f->next)
        if (f->kind == '!' && first <= f->line && f->line <= last)
            return true;
    return false;
}

/* Faulty lines, of which the parser may have made nothing. */
static void blank_lines(const struct doc *doc, char *text)
{
    int line = 1;

    for (size_t i = 0; i < doc->size; i++) {
        if (text[i] == '\n')
            line++;
        else if (is_announced(doc, line, line))
            text[i] = ' ';
    }
}

static void blank_range(char *text, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        if (text[i] != '\n')
            text[i] = ' ';
    end += strspn(text + end, " \t\r\n");
    if (text[end] == ';')
        text[end] = ' ';
}

static int line_of(const struct doc_pass *pass, uint32_t offset)
{
    struct location where = {.line = 0};

    sources_locate(pass->context->sources, offset, &where);
    return where.line;
}

/* Faulty statements, which may extend over several lines. */
static void blank_statements(const struct doc_pass *pass, const struct graph_decl *graph,
                             char *text)
{
    for (const struct stmt *s = graph->body.first; s; s = s->next) {
        uint32_t begin = s->target->span.begin, end = s->value->span.end;
        if (is_announced(pass->doc, line_of(pass, begin), line_of(pass, end - 1)))
            blank_range(text, begin - pass->base, end - pass->base);
    }
}

const char *doc_sound_text(const struct doc_pass *pass)
{
    const struct doc *doc = pass->doc;
    char *text = arena_strndup(doc->arena, pass->text, doc->size);

    if (pass->document && pass->document->graph)
        blank_statements(pass, pass->document->graph, text);
    blank_lines(doc, text);
    return text;
}

static bool assigns(const struct expr *target, const char *name)
{
    bool found = false;

    if (target->kind == EXPR_NAME)
        return target->name == name;
    for (const struct expr *e = target->items.first; e; e = e->next)
        found |= assigns(e, name);
    return found;
}

static bool is_assigned(const struct graph_decl *graph, const char *name)
{
    for (const struct stmt *s = graph->body.first; s; s = s->next)
        if (assigns(s->target, name))
            return true;
    return false;
}

void doc_drop_results(struct graph_decl *graph)
{
    struct expr_list kept = {0};

    for (struct expr *e = graph->results.first, *next; e; e = next) {
        next = e->next;
        if (!is_assigned(graph, e->name))
            continue;
        e->next = NULL;
        *(kept.last ? &kept.last->next : &kept.first) = e;
        kept.last = e;
        kept.count++;
    }
    graph->results = kept;
}
