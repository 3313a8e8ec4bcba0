/* ast_decl.c - constructors of types, declarations and the document (sections 3.2.2 and 3.2.4) */
#include "parser/ast_priv.h"

#include "base/arena.h"
#include "base/num.h"

#include <assert.h>
#include <string.h>

DEFINE_CHAIN(type_expr)
DEFINE_CHAIN(param)
DEFINE_CHAIN(extension)
static DEFINE_APPEND(fragment)

/* The type of NNEF that has this name in other languages; NONE if there is none. */
static enum type_name type_elsewhere(const char *name)
{
    static const struct {
        const char *name;
        enum type_name type;
    } names[] = {{"float", TYPE_NAME_SCALAR},    {"double", TYPE_NAME_SCALAR},
                 {"float32", TYPE_NAME_SCALAR},  {"real", TYPE_NAME_SCALAR},
                 {"int", TYPE_NAME_INTEGER},     {"int32", TYPE_NAME_INTEGER},
                 {"int64", TYPE_NAME_INTEGER},   {"bool", TYPE_NAME_LOGICAL},
                 {"boolean", TYPE_NAME_LOGICAL}, {"str", TYPE_NAME_STRING}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].type;
    return TYPE_NAME_NONE;
}

enum type_name ast_type_name(struct parser *p, const char *name, struct span span)
{
    const enum dialect dialect = p->document->dialect;
    const enum dialect other = dialect == DIALECT_1_0 ? DIALECT_PROVISIONAL : DIALECT_1_0;
    const char *integer = type_name_text(TYPE_NAME_INTEGER, dialect);

    if (strcmp(name, type_name_text(TYPE_NAME_INTEGER, other)) == 0) {
        diag_error(p->diag, span, DIAG_DIALECT, "type '%s' is called '%s' in %s", name, integer,
                   parser_in_1_0(p) ? "NNEF 1.0" : "provisional NNEF");
        diag_fix(p->diag, span, integer);
        parser_hint_at_dialect(p);
        return TYPE_NAME_INTEGER;
    }
    diag_error(p->diag, span, DIAG_SYNTAX, "unknown type '%s'", name);
    enum type_name type = type_elsewhere(name);
    struct nearest search = nearest_to(name);
    const char *near = NULL;
    for (int t = TYPE_NAME_INTEGER; t <= TYPE_NAME_STRING; t++) {
        const char *known = type_name_text((enum type_name)t, dialect);
        near = nearest_take(&search, known) ? known : near;
    }
    if (type != TYPE_NAME_NONE)
        diag_help(p->diag, "in NNEF it is called '%s'.", type_name_text(type, dialect));
    else if (near) {
        diag_help(p->diag, "did you mean '%s'?", near);
        diag_fix(p->diag, span, near);
    } else
        diag_help(p->diag, "the types are %s, scalar, logical, string, tensors, arrays and tuples.",
                  integer);
    return TYPE_NAME_SCALAR;
}

/* A new type above the chain `items`; its depth is bounded like that of an expression. */
static struct type_expr *type_new(struct parser *p, enum type_expr_kind kind, struct span span,
                                  struct type_expr *items)
{
    struct type_expr *t = arena_new_of(p->context->arena, struct type_expr);

    t->kind = kind;
    t->span = span;
    t->items = type_expr_list(items);
    t->depth = 1;
    for (const struct type_expr *item = t->items.first; item; item = item->next)
        if (item->depth >= t->depth)
            t->depth = (uint16_t)(item->depth + 1);
    if (!parser_may_nest(p, t->depth, span))
        t->depth = 1;
    return t;
}

/* A primitive type, or a tensor of one. */
static struct type_expr *type_named(struct parser *p, enum type_expr_kind kind, enum type_name name,
                                    struct span span)
{
    struct type_expr *t = type_new(p, kind, span, NULL);

    t->name = name;
    if (name == TYPE_NAME_GENERIC)
        parser_require_1_0(p, span, "type '?' is");
    return t;
}

struct type_expr *ast_primitive(struct parser *p, enum type_name name, struct span span)
{
    return type_named(p, TYPE_EXPR_PRIMITIVE, name, span);
}

struct type_expr *ast_tensor(struct parser *p, enum type_name name, struct span span)
{
    if (name != TYPE_NAME_GENERIC && !parser_in_1_0(p) && !p->library)
        diag_warning(p->diag, span, WARNING_DIALECT,
                     "provisional NNEF does not state the data-type of a tensor");
    return type_named(p, TYPE_EXPR_TENSOR, name, span);
}

/* Provisional NNEF has tensors without a data type. */
struct type_expr *ast_bare_tensor(struct parser *p, struct span span)
{
    struct type_expr *t = type_new(p, TYPE_EXPR_TENSOR, span, NULL);

    t->bare = true;
    if (!parser_in_1_0(p))
        return t;
    diag_error(p->diag, span, DIAG_TENSOR_TYPE, "tensor type without its data-type");
    diag_help(p->diag, "write 'tensor<scalar>', or 'tensor<>' for a tensor of any type.");
    parser_hint_at_dialect(p);
    return t;
}

struct type_expr *ast_array_type(struct parser *p, struct type_expr *item, struct span span)
{
    return type_new(p, TYPE_EXPR_ARRAY, span, type_expr_append(NULL, item));
}

struct type_expr *ast_tuple_type(struct parser *p, struct type_expr *items, struct span span)
{
    if (items->next == items) {
        diag_error(p->diag, span, DIAG_TUPLE_ITEMS,
                   "tuple type of one item, expected at least two");
        return type_expr_list(items).first;
    }
    return type_new(p, TYPE_EXPR_TUPLE, span, items);
}

struct param *ast_param(struct parser *p, const char *name, struct span span,
                        struct type_expr *type, struct expr *value)
{
    struct param *param = arena_new_of(p->context->arena, struct param);

    assert(name);
    *param = (struct param){.name = name, .span = span, .type = type, .value = value};
    ast_settle_magnitude(p);
    return p->stop ? NULL : param;
}

struct generic *ast_generic(struct parser *p, enum type_name type, struct span span)
{
    struct generic *g = arena_new_of(p->context->arena, struct generic);

    parser_require_1_0(p, span, "a generic declaration is");
    g->type = type;
    g->span = span;
    return g;
}

/* A fragment is made before its parameters are read; ast_signature() adds them. */
struct fragment *ast_fragment(struct parser *p, const char *name, struct span span,
                              const struct generic *generic)
{
    struct fragment *f = arena_new_of(p->context->arena, struct fragment);

    f->name = name;
    f->span = span;
    if (generic) {
        f->generic = true;
        f->generic_default = generic->type;
        f->generic_span = generic->span;
    }
    return f;
}

struct fragment *ast_signature(struct parser *p, struct fragment *fragment, struct param *params,
                               struct param *results)
{
    assert(fragment);
    if (!params && !p->stop)
        diag_error(p->diag, fragment->span, DIAG_EMPTY_LIST, "fragment '%s' without parameters",
                   fragment->name);
    if (!results && !p->stop)
        diag_error(p->diag, fragment->span, DIAG_EMPTY_LIST, "fragment '%s' without results",
                   fragment->name);
    p->body = (struct stmt_list){0};
    p->holed = false;
    fragment->params = param_list(params);
    fragment->results = param_list(results);
    fragment->faulty = ast_is_faulty(p);
    return fragment;
}

/* An empty body counts as one that was skipped, so that unassigned results are not reported too. */
void ast_empty_body(struct parser *p, struct span span)
{
    p->holed = true;
    diag_error(p->diag, span, DIAG_EMPTY_LIST, "body without assignments");
}

/* Add a complete fragment to the document. */
static void add_fragment(struct parser *p, struct fragment *fragment)
{
    if (p->graph_seen) {
        diag_error(p->diag, fragment->span, DIAG_TRAILING, "fragment '%s' after the graph",
                   fragment->name);
        if (p->document->graph)
            diag_label(p->diag, p->document->graph->span, "the graph");
        diag_help(p->diag, "fragments stand before the graph.");
    }
    p->document->fragments = fragment_append(p->document->fragments, fragment);
    ast_is_faulty(p); /* errors so far do not concern the next declaration */
}

/* The body was collected in the parser since ast_signature(). */
void ast_definition(struct parser *p, struct fragment *fragment)
{
    assert(fragment);
    fragment->has_body = true;
    fragment->holed = p->holed;
    fragment->body = p->body;
    p->body = (struct stmt_list){0};
    add_fragment(p, fragment);
}

void ast_declaration(struct parser *p, struct fragment *fragment)
{
    if (!parser_in_1_0(p) && !p->library)
        diag_error(p->diag, fragment->span, DIAG_BODY_MISSING,
                   "fragment '%s' without a body, which provisional NNEF requires", fragment->name);
    add_fragment(p, fragment);
}

/* A parameter or result of a graph with a type or default at `surplus`, as fragments have it. */
struct expr *ast_graph_name(struct parser *p, const char *name, struct span span,
                            struct span surplus)
{
    diag_error(p->diag, surplus, DIAG_SYNTAX,
               "type or default of '%s', but a graph declares identifiers only", name);
    return ast_name(p, name, span);
}

struct graph_decl *ast_graph_signature(struct parser *p, const char *name, struct span span,
                                       struct expr *params, struct expr *results)
{
    struct graph_decl *g = arena_new_of(p->context->arena, struct graph_decl);

    if (!params)
        diag_error(p->diag, span, DIAG_EMPTY_LIST, "graph '%s' without parameters", name);
    if (!results)
        diag_error(p->diag, span, DIAG_EMPTY_LIST, "graph '%s' without results", name);
    ast_is_faulty(p);
    p->body = (struct stmt_list){0};
    p->holed = false;
    g->name = name;
    g->span = span;
    g->params = expr_list(params);
    g->results = expr_list(results);
    return g;
}

/* The first graph counts; others are reported and dropped. */
void ast_graph(struct parser *p, struct graph_decl *graph)
{
    assert(graph);
    graph->body = p->body;
    graph->holed = p->holed;
    p->body = (struct stmt_list){0};
    if (p->library)
        diag_error(p->diag, graph->span, DIAG_GRAPH_COUNT, "graph '%s' in a library", graph->name);
    else if (p->graph_seen) {
        diag_error(p->diag, graph->span, DIAG_GRAPH_COUNT,
                   "second graph '%s', expected exactly one", graph->name);
        if (p->document->graph)
            diag_label(p->diag, p->document->graph->span, "the first graph");
    } else
        p->document->graph = graph;
    p->graph_seen = true;
}

struct extension *ast_extension(struct parser *p, const char *name, struct span span)
{
    struct extension *e = arena_new_of(p->context->arena, struct extension);

    e->name = name;
    e->span = span;
    return e;
}

/* Errors so far do not concern the statement, so ast_is_faulty() starts anew. */
void ast_extensions(struct parser *p, struct extension *extensions, struct span span)
{
    struct extension_list *all = &p->document->extensions, list = extension_list(extensions);

    ast_is_faulty(p);
    if (!parser_in_1_0(p)) {
        diag_error(p->diag, span, DIAG_DIALECT, "extension statements require NNEF 1.0");
        diag_help(p->diag, "add ';' after the version number.");
        parser_hint_at_dialect(p);
        return;
    }
    if (p->document->fragments.first || p->graph_seen)
        diag_error(p->diag, span, DIAG_EXTENSION_PLACE,
                   "extension statement behind a definition, expected next to the version");
    if (all->last)
        all->last->next = list.first;
    else
        all->first = list.first;
    all->last = list.last;
    all->count += list.count;
}

/* Only 1.0 exists, in both dialects; a long number is shown in part. */
void ast_version(struct parser *p, struct span number, bool semicolon)
{
    const char *text = p->text + (number.begin - p->base);
    size_t size = number.end - number.begin;

    p->document->version = number;
    ast_is_faulty(p);
    if (size != 3 || memcmp(text, "1.0", 3) != 0)
        diag_error(p->diag, number, DIAG_VERSION, "unsupported version '%.*s', expected 1.0",
                   size < 40 ? (int)size : 40, text);
    if (!semicolon)
        ast_missing_semicolon(p, (struct span){number.end, number.end});
}
