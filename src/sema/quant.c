/*
 * quant.c - the quantization file (NNEF 1.0.5, section 5.3)
 *
 * An entry invokes an operation on the tensor that it names.  All parameters but that tensor are
 * given, by name, as constants.  Arrays stand for tensors, which cannot be written in another way;
 * the provisional dialect has nested invocations of `constant` instead.
 */
#include "sema/report_priv.h"

#include <string.h>

/* --- which tensor ------------------------------------------------------------------------ */

/* The identifiers of the graph, which entries may name. */
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
    for (const struct stmt *s = c->document->graph->body.first; s; s = s->next) {
        const struct expr *value = s->value;
        const struct signature *made = value->kind == EXPR_CALL ? value->call.signature : NULL;
        const struct expr *label =
            made && introduces(made, VALUE_VARIABLE) ? label_of(value) : NULL;
        if (s->target->kind != EXPR_NAME || !label || label->string != entry->name)
            continue;
        diag_help(c->diag, "that is a label; the tensor is called '%s'.", s->target->name);
        return;
    }
    help_identifier(c, entry->name, entry->span);
}

/* --- which operation --------------------------------------------------------------------- */

/* The operation that an entry invokes: it has a tensor as first parameter and as result.  NULL if
 * that was reported, now or as a declaration that contradicts itself. */
static const struct signature *find_algorithm(struct checker *c, const struct expr *call)
{
    const char *name = call->call.callee;
    struct signature *invoked = map_get(&c->operations, name);
    const struct signature *s = invoked;

    if (invoked)
        invoked->invoked = true;
    for (int i = 0; !s && i < OP_COUNT && c->dialect == DIALECT_PROVISIONAL; i++) {
        const struct op_desc *op = op_table[i];
        if (!op->alias || strcmp(op->alias, name) != 0)
            continue;
        s = library_find(c->library, op->name);
        if (s)
            diag_warning(c->diag, callee_span(call), WARNING_OPERATION_ALIAS,
                         "operation '%s' is called '%s'", name, s->name);
    }
    if (!s && !is_skipped(c, name))
        report_unknown_operation(c, call);
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

static const struct expr *first_variable(const struct expr *expr);

/* The first variable of up to three parts; NULL stands for no part. */
static const struct expr *first_variable_of(const struct expr *a, const struct expr *b,
                                            const struct expr *c)
{
    const struct expr *found = a ? first_variable(a) : NULL;

    if (!found && b)
        found = first_variable(b);
    return !found && c ? first_variable(c) : found;
}

/* The same of items or arguments. */
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

/* Is an argument, which is given by name, known at compile time?  False after a report. */
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

/* --- the file ---------------------------------------------------------------------------- */

static void check_entry(struct checker *c, const struct quant_entry *entry)
{
    struct expr *call = entry->call;
    const struct signature *s = find_algorithm(c, call);
    bool ok = s;

    for (const struct expr *arg = call->call.args; s && arg; arg = arg->next) {
        if (arg->kind != EXPR_NAMED)
            ok = diag_error(c->diag, arg->span, DIAG_QUANT_POSITIONAL,
                            "argument of '%s' is given by position, expected all by name", s->name);
        else if (arg->named.name == s->params[0].name)
            ok = diag_error(c->diag, arg->span, DIAG_QUANT_OPERAND,
                            "first parameter '%s' of '%s' is given, expected none: it is the "
                            "tensor that the entry names",
                            s->params[0].name, s->name);
        else
            ok &= is_constant(c, arg);
    }
    if (!ok)
        return;
    call->call.signature = s;
    int base = push_bindings(c, s->nparam);
    c->binding[base] = (struct binding){call, type_tensor(type_primitive(TYPE_SCALAR))};
    bool complete = bind_arguments(c, call, s, base);
    /* An array that stands for a tensor is checked by its items. */
    for (int i = 1; i < s->nparam; i++) {
        struct binding *b = &c->binding[base + i];
        if (s->params[i].type->kind != TYPE_TENSOR || !b->value || b->type->kind != TYPE_ARRAY)
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

/* A checker of entries: it knows the operations of the document, but no statement. */
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

/* Repeated and unknown tensors are reported before what is wrong with the entry itself. */
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
        check_entry(&c, e);
        e->faulty |= !e->call->call.signature || diag_error_count(c.diag) > errors;
    }
    map_free(&names);
    checker_end(&c);
    return diag_error_count(c.diag) == c.errors;
}

/* It has no tensor of the graph to be looked up. */
bool sema_quant_entry(const struct checked *checked, struct quant_entry *entry,
                      const struct sema_options *options)
{
    struct checker c;

    begin(&c, checked, options);
    check_entry(&c, entry);
    checker_end(&c);
    return diag_error_count(c.diag) == c.errors;
}
