/*
 * checked_print.c - the document as the check understood it
 *
 * It is printed as any other, but every invocation has all its arguments, in the order of the
 * declaration, and its generic type.
 */
#include "sema/sema.h"

#include "base/arena.h"
#include "base/text.h"
#include "parser/parser.h"

#include <assert.h>

/* The argument for a parameter; NULL: it is not given. */
static const struct expr *argument(const struct expr *call, int param)
{
    int position = 0;

    for (const struct expr *arg = call->call.args; arg; arg = arg->next, position++) {
        bool named = arg->kind == EXPR_NAMED;
        if ((named ? arg->named.param : position) == param)
            return named ? arg->named.value : arg;
    }
    return NULL;
}

/* Arguments from the first attribute on are given by name. */
static void print_call(const struct ast_printer *printer, const struct expr *call)
{
    const struct signature *s = call->call.signature;
    struct arena *arena = arena_new();
    bool positional = true;

    assert(s && s->nparam > 0 && call->kind == EXPR_CALL);
    text_add(printer->to, "%s", call->call.callee);
    /* The provisional dialect cannot write generic types. */
    if (printer->dialect == DIALECT_1_0 && call->slot != TYPE_NAME_NONE)
        text_add(printer->to, "<%s>", type_name_text((enum type_name)call->slot, printer->dialect));
    for (int i = 0; i < s->nparam; i++) {
        const struct sig_param *param = &s->params[i];
        const struct expr *given = argument(call, i);
        positional &= param->type->has_tensor;
        text_add(printer->to, "%s%s%s", i ? ", " : "(", positional ? "" : param->name,
                 positional ? "" : " = ");
        ast_print_expr(printer, given ? given : expr_literal(arena, &param->value));
    }
    text_add(printer->to, ")");
    arena_free(arena);
}

void checked_print(const struct checked *checked, struct text *to)
{
    const struct ast_printer printer = {to, checked->document->dialect, print_call};

    ast_print_document(&printer, checked->document);
}
