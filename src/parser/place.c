/* place.c - walks over a document and notes where its names stand (place.h) */
#include "parser/place.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The walk, and the loop variables that are in scope. */
struct place_walk {
    struct name_places places;
    const struct sources *sources;
    const char *scope;
    int loops; /* comprehensions so far */
    struct loop_scope {
        const struct comprehension *of;
        int number;
        const struct loop_scope *outer;
    } const *loop;
};

static void walk_expr(struct place_walk *walk, const struct expr *e);

/* --- one place ------------------------------------------------------------------------------- */

static struct name_place *add_place(struct place_walk *walk, enum name_kind kind, const char *name,
                                    struct span span)
{
    struct name_places *places = &walk->places;

    places->at = arena_list(places->arena, places->at, places->count, sizeof *places->at);
    struct name_place *place = &places->at[places->count++];
    *place = (struct name_place){
        .kind = kind, .span = span, .reach = span.end, .name = name, .scope = walk->scope};
    return place;
}

/* The name with which an expression begins, behind parentheses, blanks and comments. */
static struct span first_name(const struct place_walk *walk, const struct expr *e, const char *name)
{
    size_t size, at = 0, length = strlen(name);
    const char *text = sources_text(walk->sources, e->span, &size);

    while (at < size && strchr("( \t\r\n#", text[at]))
        at += text[at] == '#' ? strcspn(text + at, "\r\n") : 1;
    assert(at + length <= size && memcmp(text + at, name, length) == 0);
    uint32_t begin = e->span.begin + (uint32_t)at;
    return (struct span){begin, begin + (uint32_t)length};
}

/* The loop around that has a variable of this name; NULL: it is none of a loop. */
static const struct loop_scope *find_loop(const struct place_walk *walk, const char *name)
{
    for (const struct loop_scope *loop = walk->loop; loop; loop = loop->outer)
        for (const struct iter *i = loop->of->iters.first; i; i = i->next)
            if (strcmp(i->name, name) == 0)
                return loop;
    return NULL;
}

static struct name_place *add_name(struct place_walk *walk, const struct expr *e)
{
    const struct loop_scope *loop = find_loop(walk, e->name);
    struct name_place *place =
        add_place(walk, loop ? NAME_LOOP : NAME_TENSOR, e->name, first_name(walk, e, e->name));

    place->loop = loop ? loop->number : 0;
    return place;
}

/* --- expressions ----------------------------------------------------------------------------- */

/* The second argument of a variable, or the one that is called so. */
static bool is_label(const struct expr *call, const struct expr *arg, int index)
{
    bool named = arg->kind == EXPR_NAMED;

    return strcmp(call->call.callee, "variable") == 0 &&
           (named ? strcmp(arg->named.name, "label") == 0 && arg->named.value->kind == EXPR_STRING
                  : index == 1 && arg->kind == EXPR_STRING);
}

static void walk_call(struct place_walk *walk, const struct expr *e)
{
    int index = 0;

    add_place(walk, NAME_FRAGMENT, e->call.callee, first_name(walk, e, e->call.callee))->reach =
        e->span.end;
    for (const struct expr *arg = e->call.args; arg; arg = arg->next, index++) {
        const struct expr *value = arg->kind == EXPR_NAMED ? arg->named.value : arg;
        if (arg->kind == EXPR_NAMED)
            add_place(walk, NAME_ARGUMENT, arg->named.name, first_name(walk, arg, arg->named.name))
                ->reach = arg->span.end;
        if (is_label(e, arg, index))
            add_place(walk, NAME_LABEL, value->string, value->span);
        else
            walk_expr(walk, value);
    }
}

/* The item stands in front of its loops or behind them; either way it sees their variables.  What
 * they run over does not. */
static void walk_comprehension(struct place_walk *walk, const struct expr *e)
{
    const struct comprehension *c = e->comprehension;
    const struct loop_scope loop = {c, ++walk->loops, walk->loop};

    for (const struct iter *i = c->iters.first; i; i = i->next) {
        struct name_place *place = add_place(walk, NAME_LOOP, i->name, i->span);
        place->loop = loop.number;
        place->declares = true;
        walk_expr(walk, i->iterable);
    }
    walk->loop = &loop;
    if (c->filter)
        walk_expr(walk, c->filter);
    walk_expr(walk, c->item);
    walk->loop = loop.outer;
}

/* As deep as the parser allows. */
static void walk_expr(struct place_walk *walk, const struct expr *e)
{
    if (!e)
        return;
    switch ((enum expr_kind)e->kind) {
    case EXPR_INTEGER:
    case EXPR_SCALAR:
    case EXPR_LOGICAL:
    case EXPR_STRING:
        return;
    case EXPR_NAME:
        add_name(walk, e);
        return;
    case EXPR_ARRAY:
    case EXPR_TUPLE:
        for (const struct expr *item = e->items.first; item; item = item->next)
            walk_expr(walk, item);
        return;
    case EXPR_CALL:
        walk_call(walk, e);
        return;
    case EXPR_NAMED:
        walk_expr(walk, e->named.value);
        return;
    case EXPR_BUILTIN:
    case EXPR_UNARY:
        walk_expr(walk, e->unary.operand);
        return;
    case EXPR_BINARY:
        walk_expr(walk, e->binary.left);
        walk_expr(walk, e->binary.right);
        return;
    case EXPR_SELECT:
        walk_expr(walk, e->select.condition);
        walk_expr(walk, e->select.yes);
        walk_expr(walk, e->select.no);
        return;
    case EXPR_SUBSCRIPT:
        walk_expr(walk, e->subscript.base);
        walk_expr(walk, e->subscript.begin);
        return;
    case EXPR_RANGE:
        walk_expr(walk, e->subscript.begin);
        walk_expr(walk, e->subscript.end);
        return;
    case EXPR_COMPREHENSION:
        walk_comprehension(walk, e);
        return;
    }
}

/* --- bodies and heads ------------------------------------------------------------------------ */

/* A target consists of names; the first one reaches to the end of the statement. */
static void walk_target(struct place_walk *walk, const struct expr *target)
{
    if (target->kind == EXPR_NAME)
        add_name(walk, target)->assigns = true;
    else if (target->kind == EXPR_ARRAY || target->kind == EXPR_TUPLE)
        for (const struct expr *item = target->items.first; item; item = item->next)
            walk_target(walk, item);
}

static void walk_body(struct place_walk *walk, const struct stmt_list *body)
{
    for (const struct stmt *s = body->first; s; s = s->next) {
        int first = walk->places.count;
        walk_target(walk, s->target);
        if (walk->places.count > first)
            walk->places.at[first].reach = s->value->span.end;
        walk_expr(walk, s->value);
    }
}

static void walk_params(struct place_walk *walk, const struct param_list *params, bool results)
{
    for (const struct param *p = params->first; p; p = p->next) {
        struct name_place *place = add_place(walk, NAME_TENSOR, p->name, p->span);
        place->declares = true;
        place->result = results;
        walk_expr(walk, p->value);
    }
}

static void walk_head(struct place_walk *walk, const struct expr_list *names, bool results)
{
    for (const struct expr *e = names->first; e; e = e->next) {
        if (e->kind != EXPR_NAME)
            continue;
        struct name_place *place = add_name(walk, e);
        place->declares = true;
        place->result = results;
    }
}

/* Callers of a fragment name it from outside, and so does its own head. */
static void walk_fragment(struct place_walk *walk, const struct fragment *f)
{
    add_place(walk, NAME_FRAGMENT, f->name, f->span)->declares = true;
    walk->scope = f->name;
    walk_params(walk, &f->params, false);
    walk_params(walk, &f->results, true);
    walk_body(walk, &f->body);
    walk->scope = NULL;
}

/* --- all of them ----------------------------------------------------------------------------- */

static int compare_places(const void *a, const void *b)
{
    const struct name_place *x = a, *y = b;

    return (x->span.begin > y->span.begin) - (x->span.begin < y->span.begin);
}

struct name_places places_find(const struct document *document, const struct sources *sources,
                               struct arena *arena)
{
    struct place_walk walk = {.places = {.arena = arena}, .sources = sources};
    const struct graph_decl *graph = document->graph;

    for (const struct fragment *f = document->fragments.first; f; f = f->next)
        walk_fragment(&walk, f);
    if (graph) {
        add_place(&walk, NAME_GRAPH, graph->name, graph->span)->declares = true;
        walk_head(&walk, &graph->params, false);
        walk_head(&walk, &graph->results, true);
        walk_body(&walk, &graph->body);
    }
    if (walk.places.count > 0)
        qsort(walk.places.at, (size_t)walk.places.count, sizeof *walk.places.at, compare_places);
    return walk.places;
}
