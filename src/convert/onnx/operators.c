/* operators.c - the lists of operators, of ONNX and of domains beside it, put together */
#include "convert/onnx/operators.h"

#include "base/arena.h"
#include "base/map.h"
#include "convert/onnx/export_rules.h"
#include "convert/onnx/import_priv.h"
#include "diag/context.h"
#include "op/op.h"
#include "sema/sema.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What a list says of an operator. */
struct operator_row {
    const char *domain, *type, *text;
};

#define IMPORT(type, function, least, most)            {NAME_ONNX, #type, "import_" #function},
#define IMPORT_AS(type, function, op, least, most)     {NAME_ONNX, #type, "import_" #function},
#define IMPORT_OF(domain, type, function, least, most) {NAME_##domain, #type, "import_" #function},
#define IMPORT_WEIGHTS(domain, type, function, least, most, input) \
    IMPORT_OF(domain, type, function, least, most)
#define COMPOSED(type, function)
#define COMPOSED_OF(domain, type, function)
static const struct operator_row functions[] = {
#include "convert/onnx/import_list.def"
};

#define REFUSED(type, why)            {NAME_ONNX, #type, ONNX_REFUSED, why, NULL},
#define REFUSED_OF(domain, type, why) {NAME_##domain, #type, ONNX_REFUSED, why, NULL},
#define MISSING_OF(domain, type)      {NAME_##domain, #type, ONNX_MISSING, NULL, NULL},
#define DOMAIN(name, why)             {name, NULL, ONNX_REFUSED, why, NULL},
#define LIMIT(domain, type, text)
static const struct onnx_operator refused[] = {
#include "convert/onnx/refused_list.def"
};

#define REFUSED(type, why)
#define REFUSED_OF(domain, type, why)
#define MISSING_OF(domain, type)
#define DOMAIN(name, why)
#define LIMIT(domain, type, text) {NAME_##domain, #type, text},
static const struct operator_row limits[] = {
#include "convert/onnx/refused_list.def"
};

enum {
    FUNCTIONS = sizeof functions / sizeof *functions,
    REFUSALS = sizeof refused / sizeof *refused,
    LIMITS = sizeof limits / sizeof *limits
};

const char *onnx_refusal(const char *domain, const char *type)
{
    const char *name = is_standard_domain(domain) ? NAME_ONNX : domain;

    for (int i = 0; i < REFUSALS; i++)
        if (strcmp(refused[i].domain, name) == 0 &&
            (!refused[i].type || strcmp(refused[i].type, type) == 0))
            return refused[i].by;
    return NULL;
}

/* --- the list --------------------------------------------------------------------------------- */

struct operator_list {
    struct import *import; /* only its builder is used */
    struct map listed;     /* by operator_key() */
    struct onnx_operator *item;
    int count;
};

/* NULL: nothing. */
static const char *said_of(const struct operator_row *rows, int count, const char *domain,
                           const char *type)
{
    for (int i = 0; i < count; i++)
        if (strcmp(rows[i].domain, domain) == 0 && strcmp(rows[i].type, type) == 0)
            return rows[i].text;
    return NULL;
}

static void add(struct operator_list *list, const struct onnx_operator *o)
{
    struct arena *arena = list->import->builder.context->arena;

    list->item = arena_list(arena, list->item, list->count, sizeof *list->item);
    list->item[list->count++] = *o;
}

/* As the importer finds it, unless it is in the list; false if there is none of that type. */
static bool add_imported(struct operator_list *list, const char *domain, const char *type)
{
    const struct onnx_node node = {.op_type = type, .domain = domain};
    const char *key = operator_key(list->import, domain, type, "");
    const struct import_row *row = import_find_operator(&list->import->builder, &node);
    struct onnx_operator o = {domain, type, ONNX_BY_FUNCTION,
                              said_of(functions, FUNCTIONS, domain, type),
                              said_of(limits, LIMITS, domain, type)};

    if (!row || map_get(&list->listed, key))
        return row;
    map_set(&list->listed, key, list);
    if (row->fragment) {
        o.how = ONNX_AS_FRAGMENT;
        o.by = row->fragment->name;
    } else if (!o.by) {
        o.how = ONNX_AS_OPERATION;
        o.by = op_table[row->op]->name;
    }
    add(list, &o);
    return true;
}

/* Fragments with small letters are parts of others, and TYPE_11 is what TYPE was up to opset 11. */
static void add_fragments(struct operator_list *list, enum import_domain domain)
{
    const struct library *library = builder_compositions(&list->import->builder, domain);

    for (int i = 0; library && i < library_count(library); i++) {
        const char *type = library_at(library, i)->name;
        if (type[0] >= 'A' && type[0] <= 'Z' && !strchr(type, '_'))
            add_imported(list, import_domains[domain].name, type);
    }
}

static int by_name(const void *a, const void *b)
{
    const struct onnx_operator *x = a, *y = b;
    int order = strcmp(x->domain, y->domain);

    return order ? order : strcmp(x->type ? x->type : "", y->type ? y->type : "");
}

const struct onnx_operator *onnx_operators(struct context *context, int *count)
{
    struct import import = {0};
    struct operator_list list = {.import = &import};
    struct import_memory *memory;

    builder_begin(&import.builder, context, "operators");
    for (int i = 0; i < FUNCTIONS; i++)
        add_imported(&list, functions[i].domain, functions[i].type);
    for (enum op_id op = 0; op < OP_COUNT; op++)
        if (export_rules[op].type)
            add_imported(&list, NAME_ONNX, export_rules[op].type);
    for (enum import_domain domain = 0; domain < IMPORT_DOMAINS; domain++)
        add_fragments(&list, domain);
    for (int i = 0; i < REFUSALS; i++)
        if (!refused[i].type || !add_imported(&list, refused[i].domain, refused[i].type))
            add(&list, &refused[i]);
    builder_end(&import.builder, false, &memory);
    map_free(&list.listed);
    qsort(list.item, (size_t)list.count, sizeof *list.item, by_name);
    *count = list.count;
    return list.item;
}
