/* random_text.c - random graphs as documents, and smaller ones; see random_graph.h */
#include "support/random_graph_priv.h"

#include <string.h>

static bool mentions(const char *text, const char *name)
{
    size_t size = strlen(name);

    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if ((at == text || !strchr("'0123456789", at[-1])) &&
            !strchr("0123456789", at[size] ? at[size] : ' '))
            return true;
    return false;
}

bool is_used(const struct random_graph *g, const struct made *made)
{
    for (int i = made->statement + 1; i < g->nstatement; i++)
        if (!g->statement[i].gone && mentions(g->statement[i].value, made->name))
            return true;
    return false;
}

/* --- as a document ------------------------------------------------------------------------ */

static void add_names(const struct random_graph *g, bool outputs, struct text *to)
{
    const char *between = "";

    for (int i = 0; i < g->nmade; i++) {
        const struct statement *s = &g->statement[g->made[i]->statement];
        if (s->gone || !(outputs ? g->made[i]->output : s->external))
            continue;
        text_add(to, "%s%s", between, g->made[i]->name);
        between = ", ";
    }
}

/* An operation of the extensions is declared where it is used. */
static void add_extensions(const struct random_graph *g, struct text *to)
{
    bool used = false;

    for (int i = 0; i < g->nstatement; i++)
        used = used || (!g->statement[i].gone && strncmp(g->statement[i].value, "erf(", 4) == 0);
    if (used)
        text_add(to, "extension KHR_enable_fragment_definitions;\n\n"
                     "fragment erf( x: tensor<scalar> ) -> ( y: tensor<scalar> );\n\n");
}

void random_graph_text(const struct random_graph *g, struct text *to)
{
    text_add(to, "version 1.0;\n");
    add_extensions(g, to);
    text_add(to, "graph net( ");
    add_names(g, false, to);
    text_add(to, " ) -> ( ");
    add_names(g, true, to);
    text_add(to, " )\n{\n");
    for (int i = 0; i < g->nstatement; i++) {
        const struct statement *s = &g->statement[i];
        if (s->gone)
            continue;
        text_add(to, "    %s = %s;", s->target, s->value);
        if (s->feed)
            text_add(to, "  #< %s", s->feed);
        text_add(to, "\n");
    }
    text_add(to, "}\n");
}

/* --- making it smaller -------------------------------------------------------------------- */

struct reduction {
    struct random_graph *graph;
    bool (*fails)(void *to, const char *text);
    void *to;
};

static bool still_fails(const struct reduction *r)
{
    struct text text = {0};

    random_graph_text(r->graph, &text);
    bool fails = r->fails(r->to, text.data);
    text_free(&text);
    return fails;
}

static bool shows(const struct random_graph *g, const struct statement *s)
{
    bool shown = false;

    for (int i = 0; i < s->count; i++)
        shown = shown || g->made[s->first + i]->output;
    return shown;
}

static bool is_read(const struct random_graph *g, const struct statement *s)
{
    bool read = shows(g, s);

    for (int i = 0; i < s->count; i++)
        read = read || is_used(g, g->made[s->first + i]);
    return read;
}

static bool try_without(const struct reduction *r, struct statement *s)
{
    s->gone = !is_read(r->graph, s);
    if (s->gone && still_fails(r))
        return true;
    s->gone = false;
    return false;
}

/* The graph is given what the statement computed. */
static bool try_as_input(const struct reduction *r, struct statement *s)
{
    const struct made *made = r->graph->made[s->first];
    struct statement before = *s;

    if (s->external || s->count != 1 || made->output || made->fixed || s->gone ||
        made->dtype != DTYPE_SCALAR)
        return false;
    s->external = true;
    s->value = format(r->graph, "external<scalar>( shape = %s )",
                      list_text(r->graph, made->shape.extent, made->shape.rank));
    s->feed = draw_items(r->graph, SMALL_NUMBERS, &(struct made){.shape = made->shape}, " ");
    if (still_fails(r))
        return true;
    *s = before;
    return false;
}

static bool try_hidden(const struct reduction *r, struct made *made)
{
    if (!made->output)
        return false;
    made->output = false;
    if (still_fails(r))
        return true;
    made->output = true;
    return false;
}

static bool reduce_once(const struct reduction *r)
{
    struct random_graph *g = r->graph;
    bool smaller = false;

    for (int i = 0; i < g->nmade; i++)
        smaller |= try_hidden(r, g->made[i]);
    for (int i = g->nstatement - 1; i >= 0; i--)
        smaller |= !g->statement[i].gone && try_without(r, &g->statement[i]);
    for (int i = g->nstatement - 1; i >= 0; i--)
        smaller |= try_as_input(r, &g->statement[i]);
    return smaller;
}

void random_graph_reduce(struct random_graph *graph, bool (*fails)(void *to, const char *text),
                         void *to)
{
    const struct reduction r = {graph, fails, to};

    while (reduce_once(&r))
        ;
}
