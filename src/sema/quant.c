/*
 * quant.c - the quantization file (NNEF 1.0.5, section 5.3)
 *
 * An entry invokes an operation on the tensor that it names.  All parameters but that tensor are
 * given, by name, as constants.  Arrays stand for tensors, having no other way to be written; the
 * provisional dialect has nested invocations of `constant` instead.
 */
#include "sema/report_priv.h"

#include <string.h>

/* --- which tensor ------------------------------------------------------------------------ */

static void enter_target(struct checker *c, const struct expr *target)
{
    if (target->kind == EXPR_NAME) {
        struct symbol *symbol = scope_add(c, target->name, target->span, SYMBOL_LOCAL);
        symbol->type = poison();
        symbol->assigned = true;
        return;
    }
    for (const struct expr *item = target->items.first; item; item = item->next)
        enter_target(c, item);
}

static const char *text_of_label(const struct expr *value)
{
    const struct signature *s = value->kind == EXPR_CALL ? value->call.signature : NULL;
    const struct expr *label = s && introduces(s, VALUE_VARIABLE) ? label_of(value) : NULL;

    return label ? label->string : NULL;
}

/* An entry must name a tensor of the graph. */
static void check_tensor(struct checker *c, struct map *entries, struct quant_entry *entry)
{
    const struct quant_entry *before = map_get(entries, entry->name);
    bool garbled = !*entry->name && entry->span.end - entry->span.begin > 2;

    if (garbled) /* reported */
        return;
    if (before) {
        diag_error(c->diag, entry->span, DIAG_QUANT_REPEATED, "tensor '%s' is quantized twice",
                   entry->name);
        diag_label(c->diag, before->span, "first quantized here");
        return;
    }
    map_set(entries, entry->name, entry);
    if (scope_find(c, entry->name) || is_skipped(c, entry->name))
        return;
    diag_error(c->diag, entry->span, DIAG_QUANT_TENSOR,
               "unknown tensor '%s', expected an identifier of graph '%s'", entry->name,
               c->document->graph->name);
    /* Labels are what the names of entries are mistaken for. */
    const struct stmt *s = c->document->graph->body.first;
    while (s && (s->target->kind != EXPR_NAME || text_of_label(s->value) != entry->name))
        s = s->next;
    if (s)
        diag_help(c->diag, "that is a label; the tensor is called '%s'.", s->target->name);
    else
        help_identifier(c, entry->name, entry->span);
}

/* --- which operation --------------------------------------------------------------------- */

static struct span callee_span(const struct expr *call)
{
    return (struct span){call->span.begin, call->span.begin + (uint32_t)strlen(call->call.callee)};
}

static const struct signature *find_alias(const struct checker *c, const char *name)
{
    for (int i = 0; i < OP_COUNT && c->dialect == DIALECT_PROVISIONAL; i++)
        if (op_table[i]->alias && strcmp(op_table[i]->alias, name) == 0)
            return library_find(c->library, op_table[i]->name);
    return NULL;
}

/* Operations that quantize have a tensor as first parameter and as result. */
static const struct signature *find_operation(struct checker *c, const struct expr *call)
{
    const char *name = call->call.callee;
    struct signature *invoked = map_get(&c->operations, name);

    if (invoked) {
        invoked->invoked = true;
        return invoked;
    }
    const struct signature *s = find_alias(c, name);
    if (s) {
        diag_warning(c->diag, callee_span(call), WARNING_OPERATION_ALIAS,
                     "operation '%s' is called '%s'", name, s->name);
        return s;
    }
    if (is_skipped(c, name))
        return NULL;
    diag_error(c->diag, callee_span(call), DIAG_UNKNOWN_OPERATION,
               "unknown operation '%s', expected a standard one or a fragment of the document",
               name);
    help_operation(c, name, callee_span(call));
    return NULL;
}

/* NULL if it was reported, now or as a declaration that contradicts itself. */
static const struct signature *find_algorithm(struct checker *c, const struct expr *call)
{
    const struct signature *s = find_operation(c, call);

    if (!s || is_poison(s->type))
        return NULL;
    bool from_tensor = s->nparam > 0 && s->params[0].type->kind == TYPE_TENSOR;
    if (from_tensor && s->type->kind == TYPE_TENSOR && !has_effect(s))
        return s;
    diag_error(c->diag, callee_span(call), DIAG_QUANT_ALGORITHM,
               "'%s' cannot quantize, expected an operation that makes a tensor of its first "
               "parameter",
               s->name);
    label_signature(c, s);
    return NULL;
}

/* --- which arguments --------------------------------------------------------------------- */

static bool is_given_right(struct checker *c, const struct expr *arg, const struct signature *s)
{
    if (arg->kind != EXPR_NAMED)
        return diag_error(c->diag, arg->span, DIAG_QUANT_POSITIONAL,
                          "argument of '%s' is given by position, expected all by name", s->name);
    if (arg->named.name == s->params[0].name)
        return diag_error(c->diag, arg->span, DIAG_QUANT_OPERAND,
                          "first parameter '%s' of '%s' is given, expected none: it is the tensor "
                          "that the entry names",
                          s->params[0].name, s->name);
    return true;
}

static const struct expr *first_variable(const struct expr *expr);

static const struct expr *first_variable_of(const struct expr *a, const struct expr *b,
                                            const struct expr *c)
{
    const struct expr *found = a ? first_variable(a) : NULL;

    if (!found && b)
        found = first_variable(b);
    return !found && c ? first_variable(c) : found;
}

static const struct expr *first_variable_in(const struct expr *item)
{
    const struct expr *found = NULL;

    for (; item && !found; item = item->next)
        found = first_variable(item->kind == EXPR_NAMED ? item->named.value : item);
    return found;
}

/* The first part of an expression that is not known at compile time, or hard to tell. */
static const struct expr *first_variable(const struct expr *expr)
{
    switch ((enum expr_kind)expr->kind) {
    case EXPR_INTEGER:
    case EXPR_SCALAR:
    case EXPR_LOGICAL:
    case EXPR_STRING:
        return NULL;
    case EXPR_ARRAY:
    case EXPR_TUPLE:
        return first_variable_in(expr->items.first);
    case EXPR_BUILTIN:
    case EXPR_UNARY:
        return first_variable(expr->unary.operand);
    case EXPR_BINARY:
        return first_variable_of(expr->binary.left, expr->binary.right, NULL);
    case EXPR_SELECT:
        return first_variable_of(expr->select.condition, expr->select.yes, expr->select.no);
    case EXPR_SUBSCRIPT:
    case EXPR_RANGE:
        return first_variable_of(expr->subscript.base, expr->subscript.begin, expr->subscript.end);
    case EXPR_NAME:
    case EXPR_CALL:
    case EXPR_NAMED:
    case EXPR_COMPREHENSION:
        break;
    }
    return expr;
}

static bool is_constant(struct checker *c, const struct expr *arg)
{
    const struct expr *value = arg->named.value, *found;
    const struct signature *s =
        value->kind == EXPR_CALL ? map_get(&c->operations, value->call.callee) : NULL;
    bool call = s && introduces(s, VALUE_CONSTANT);

    if (call && c->dialect == DIALECT_PROVISIONAL)
        found = first_variable_in(value->call.args);
    else
        found = first_variable(value);
    if (!found)
        return true;
    if (found->kind == EXPR_NAME)
        diag_error(c->diag, found->span, DIAG_QUANT_CONSTANT,
                   "identifier '%s' in a quantization file, expected a constant", found->name);
    else
        diag_error(c->diag, found->span, DIAG_QUANT_CONSTANT,
                   "argument '%s' is not known at compile time, expected a constant",
                   arg->named.name);
    if (call && c->dialect == DIALECT_1_0)
        diag_help(c->diag, "write an array: '%s = [[1.0, 2.0]]'.", arg->named.name);
    return false;
}

static bool are_given_right(struct checker *c, const struct expr *call, const struct signature *s)
{
    bool ok = true;

    for (const struct expr *arg = call->call.args; arg; arg = arg->next)
        ok &= is_given_right(c, arg, s) && is_constant(c, arg);
    return ok;
}

static void check_arguments(struct checker *c, struct expr *call, const struct signature *s)
{
    const struct type *scalar = type_primitive(TYPE_SCALAR);
    int base = push_bindings(c, s->nparam);

    c->binding[base] = (struct binding){call, type_tensor(scalar)};
    bool complete = bind_arguments(c, call, s, base);
    /* An array that stands for a tensor is checked by its items. */
    for (int i = 1; i < s->nparam; i++) {
        struct binding *b = &c->binding[base + i];
        bool array = b->value && b->type->kind == TYPE_ARRAY;
        if (s->params[i].type->kind != TYPE_TENSOR || !array)
            continue;
        if (c->dialect == DIALECT_PROVISIONAL) {
            diag_error(c->diag, b->value->span, DIAG_DIALECT,
                       "an array in the place of a tensor is not available in provisional NNEF");
            diag_help(c->diag, "write 'constant(shape = [...], value = [...])'.");
        }
        while (b->type->kind == TYPE_ARRAY)
            b->type = b->type->item;
    }
    bind_check(c, call, s, base, bind_generic(c, call, base, complete));
    c->binding_count = base;
}

/* --- the file ---------------------------------------------------------------------------- */

static void check_call_of(struct checker *c, struct quant_entry *entry)
{
    const struct signature *s = find_algorithm(c, entry->call);

    if (!s || !are_given_right(c, entry->call, s))
        return;
    entry->call->call.signature = s;
    check_arguments(c, entry->call, s);
}

static void begin(struct checker *c, const struct checked *checked,
                  const struct sema_options *options)
{
    checker_begin(c, checked->context, checked->document);
    c->library = checked->library;
    c->types = checked->types;
    c->options = *options;
    c->signatures = checked->signatures;
    c->signature_count = checked->document->fragments.count;
    c->quant = true;
    library_enter(c->library, &c->operations);
    for (int i = 0; i < c->signature_count; i++)
        map_set(&c->operations, c->signatures[i]->name, c->signatures[i]);
}

bool sema_quant(const struct checked *checked, const struct quant_entry_list *entries,
                const struct sema_options *options)
{
    struct checker c;
    struct map names = {0};

    begin(&c, checked, options);
    for (const struct stmt *s = c.document->graph->body.first; s; s = s->next)
        enter_target(&c, s->target);
    for (struct quant_entry *e = entries->first; e && !diag_full(c.diag); e = e->next) {
        int errors = diag_error_count(c.diag);
        c.faulty = e->faulty;
        check_tensor(&c, &names, e);
        check_call_of(&c, e);
        e->faulty |= !e->call->call.signature || diag_error_count(c.diag) > errors;
    }
    map_free(&names);
    checker_end(&c);
    return diag_error_count(c.diag) == c.errors;
}

bool sema_quant_entry(const struct checked *checked, struct quant_entry *entry,
                      const struct sema_options *options)
{
    struct checker c;

    begin(&c, checked, options);
    check_call_of(&c, entry);
    checker_end(&c);
    return diag_error_count(c.diag) == c.errors;
}
