/*
 * report.c - types in messages, and what could help
 *
 * Help belongs to the report made last.  Names that may be meant are looked for only if the report
 * is printed at all.
 */
#include "sema/report_priv.h"

#include "base/num.h"
#include "sema/sema.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { ARGUMENTS_COMPARED = 100, WARNINGS_OF_A_KIND = 10 };

/* In the provisional dialect an extent never stands for a tensor, of whatever kind (R105). */
bool fits(const struct checker *c, const struct type *from, const struct type *to)
{
    bool never = from->kind == TYPE_INTEGER || from->kind == TYPE_STRING;

    if (c->dialect == DIALECT_PROVISIONAL && to->kind == TYPE_TENSOR && never)
        return false;
    return type_castable(from, to);
}

/* Empty if no report would show it, for long types take their time. */
const char *text_of(const struct checker *c, const struct type *type)
{
    bool wanted = diag_wants_help(c->diag) || !diag_full(c->diag);

    return wanted ? type_text(type, c->dialect, c->arena) : "";
}

void label_type(struct checker *c, const struct expr *expr, const struct type *type)
{
    diag_label(c->diag, expr->span, "this is %s", text_of(c, type));
}

/* What is deprecated, but common: only the pedantic reject it.  True if anything was said. */
bool tolerate(struct checker *c, int *count, struct span at, enum diag_warning which,
              const char *text)
{
    if (!c->options.pedantic && ++*count > WARNINGS_OF_A_KIND)
        return false;
    c->forgiven += c->options.pedantic;
    if (c->options.pedantic)
        diag_error(c->diag, at, (enum diag_code)diag_warning_info(which)->code, "%s", text);
    else
        diag_warning(c->diag, at, which, "%s", text);
    return true;
}

/* --- casts ------------------------------------------------------------------------------ */

void help_cast(struct checker *c, const struct expr *expr, const struct type *from,
               const struct type *to)
{
    bool in_array = false;

    for (; from->kind == TYPE_ARRAY && to->kind == TYPE_ARRAY; in_array = true) {
        from = from->item;
        to = to->item;
    }
    if (from->kind == TYPE_TENSOR && to->kind == TYPE_TENSOR) {
        bool known = from->item && to->item && to->item->kind != TYPE_GENERIC &&
                     to->item->kind != TYPE_POISON;
        if (known && c->dialect == DIALECT_1_0)
            diag_help(c->diag, "convert it by 'cast<%s>(...)'.", text_of(c, to->item));
        return;
    }
    if (to->kind == TYPE_ARRAY) {
        if (from->kind == TYPE_TUPLE)
            diag_help(c->diag, "write an array: '[...]' instead of '(...)'.");
        else if (fits(c, from, to->item))
            diag_help(c->diag, "write an array of one item: '[...]'.");
        return;
    }
    if (to->kind == TYPE_TENSOR && to->item)
        to = to->item;
    if (from->kind == TYPE_INTEGER && to->kind == TYPE_SCALAR) {
        if (in_array)
            diag_help(c->diag, "write numbers with a decimal point: '1.0'.");
        else if (expr->kind == EXPR_INTEGER)
            diag_help(c->diag, "write %" PRId64 ".0 instead of %" PRId64 ".", expr->integer,
                      expr->integer);
        else
            diag_help(c->diag, "convert it by 'scalar(...)'.");
    } else if (from->kind == TYPE_SCALAR && to->kind == TYPE_INTEGER) {
        int64_t whole;
        bool literal = expr->kind == EXPR_SCALAR && num_truncate(expr->scalar, &whole);
        if (in_array)
            diag_help(c->diag, "write numbers without a decimal point: '1'.");
        else if (literal && (double)whole >= expr->scalar && (double)whole <= expr->scalar)
            diag_help(c->diag, "write %" PRId64 " instead.", whole);
        else
            diag_help(c->diag, "convert it by '%s(...)'.",
                      builtin_text(BUILTIN_INTEGER, c->dialect));
    } else if (expr->kind == EXPR_INTEGER && to->kind == TYPE_LOGICAL)
        diag_help(c->diag, "write '%s' instead.", expr->integer ? "true" : "false");
}

/* --- names ------------------------------------------------------------------------------ */

enum { SLIPS_MENDED = 2 };

/* If no other name is as near, and it is near enough, the change is offered. */
static void help_nearest(struct checker *c, const char *name, struct span at,
                         const char *(*candidate)(int, const void *), const void *data)
{
    struct nearest search = nearest_to(name);
    const char *near = diag_wants_help(c->diag) ? nearest_among(&search, candidate, data) : NULL;

    if (!near)
        return;
    diag_help(c->diag, "did you mean '%s'?", near);
    if (search.unique && search.distance <= SLIPS_MENDED)
        diag_fix(c->diag, at, near);
}

/* For an operation or attribute that the two standards call by different names. */
static void help_renamed(struct checker *c, const char *name, struct span at)
{
    diag_fix(c->diag, at, name);
    if (c->dialect == DIALECT_1_0)
        diag_help(c->diag, "it is called '%s' since NNEF 1.0.", name);
    else
        diag_help(c->diag, "it is called '%s' in the provisional dialect.", name);
}

/* False of NULL. */
static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* Those of the standard come before those of the document. */
static const char *operation_at(int index, const void *data)
{
    const struct checker *c = data;
    int standard = library_count(c->library);

    if (index < standard)
        return library_at(c->library, index)->name;
    return index - standard < c->signature_count ? c->signatures[index - standard]->name : NULL;
}

static void help_operation(struct checker *c, const char *name, struct span at)
{
    /*
     * Operations that other tools call by names that no spelling leads to ours from.  It is no list
     * of operators: what is not here is found by the nearest name.
     */
    static const char *const elsewhere[][2] = {
        {"recip", "rcp"},
        {"reciprocal", "rcp"},
        {"identity", "copy"},
        {"concatenate", "concat"},
        {"where", "select"},
        {"permute", "transpose"},
        {"gemm", "linear"},
        {"dense", "linear"},
        {"view", "reshape"},
        {"expand_dims", "unsqueeze"},
        {"conv_transpose", "deconv"},
        {"placeholder", "external"},
        {"parameter", "variable"},
    };
    bool now = c->dialect == DIALECT_1_0;

    assert(name);
    for (int i = 0; i < OP_COUNT; i++) {
        const struct op_desc *op = op_table[i];
        if (op->provisional && same(name, now ? op->provisional : op->name)) {
            help_renamed(c, now ? op->name : op->provisional, at);
            return;
        }
    }
    /* An operation of our extensions is there once it is declared. */
    const struct op_desc *op = now ? op_find(name) : NULL;
    const struct library *library = op && (op->traits & OP_EXTENSION)
                                        ? library_above(c->context, c->library, LIBRARY_EXTENSIONS)
                                        : NULL;
    const struct signature *s = library ? library_find(library, name) : NULL;
    if (s) {
        diag_help(c->diag, "nnefc knows it in documents that declare it: 'fragment %s;'.",
                  library_describe(c->context, library, s).declaration);
        return;
    }
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (same(elsewhere[i][0], name) && library_find(c->library, elsewhere[i][1])) {
            diag_help(c->diag, "in NNEF it is called '%s'.", elsewhere[i][1]);
            return;
        }
    help_nearest(c, name, at, operation_at, c);
}

void report_unknown_operation(struct checker *c, const struct expr *call)
{
    diag_error(c->diag, callee_span(call), DIAG_UNKNOWN_OPERATION,
               "unknown operation '%s', expected a standard one or a fragment of the document",
               call->call.callee);
    help_operation(c, call->call.callee, callee_span(call));
}

/* If there are many arguments, they are not all looked at for this. */
bool is_given(const struct expr *call, const char *name)
{
    const struct expr *arg = call->call.args;

    for (int i = 0; arg && i < ARGUMENTS_COMPARED; arg = arg->next, i++)
        if (arg->kind == EXPR_NAMED && same(arg->named.name, name))
            return true;
    return arg;
}

struct parameter_names {
    const struct expr *call;
    const struct signature *signature;
};

/* What is given already has the empty name. */
static const char *parameter_at(int index, const void *data)
{
    const struct parameter_names *i = data;

    if (index >= i->signature->nparam)
        return NULL;
    const char *name = i->signature->params[index].name;
    return is_given(i->call, name) ? "" : name;
}

void help_parameter(struct checker *c, const struct expr *call, const struct signature *signature,
                    const char *name, struct span at)
{
    bool now = c->dialect == DIALECT_1_0;

    assert(call->kind == EXPR_CALL);
    for (int i = 0; diag_wants_help(c->diag) && i < signature->nparam; i++) {
        const struct op_attr *attr = signature->params[i].attr;
        if (attr && attr->provisional && same(name, now ? attr->provisional : attr->name) &&
            !is_given(call, now ? attr->name : attr->provisional)) {
            help_renamed(c, now ? attr->name : attr->provisional, at);
            return;
        }
    }
    help_nearest(c, name, at, parameter_at, &(struct parameter_names){call, signature});
}

/* The identifiers added last; what cannot be used here has the empty name. */
static const char *identifier_at(int index, const void *data)
{
    const struct checker *c = data;

    if ((uint32_t)index >= c->symbol_count)
        return NULL;
    uint32_t slot = c->symbol_count - 1 - (uint32_t)index;
    const struct symbol *symbol = scope_at(c, slot);
    bool usable =
        symbol->kind != SYMBOL_UNKNOWN && symbol->assigned && scope_find(c, symbol->name) == symbol;
    return usable ? symbol->name : "";
}

/* Which tensor is meant is not for us to decide: a name that is near is offered, but no fix-it. */
void help_identifier(struct checker *c, const char *name, struct span at)
{
    static const char *const foreign[][3] = {
        {"True", "write 'true'.", "true"},
        {"TRUE", "write 'true'.", "true"},
        {"False", "write 'false'.", "false"},
        {"FALSE", "write 'false'.", "false"},
        {"None", "leave out an argument to give it its default value.", NULL},
    };

    if (!diag_wants_help(c->diag))
        return;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (same(name, foreign[i][0])) {
            diag_help(c->diag, "%s", foreign[i][1]);
            if (foreign[i][2])
                diag_fix(c->diag, at, foreign[i][2]);
            return;
        }
    const char *near = num_nearest(name, identifier_at, c);
    if (near)
        diag_help(c->diag, "did you mean '%s'?", near);
}

static const char *unused_at(int index, const void *data)
{
    const struct checker *c = data;
    const char *name = identifier_at(index, data);
    bool candidate =
        name && *name && !scope_find(c, name)->used && scope_find(c, name)->kind == SYMBOL_LOCAL;

    return candidate || !name ? name : "";
}

/* A local that nothing reads may be the result that nothing assigns. */
void help_unused(struct checker *c, const char *name)
{
    const char *near = diag_wants_help(c->diag) ? num_nearest(name, unused_at, c) : NULL;

    if (near)
        diag_help(c->diag, "did you mean '%s', which is assigned and not used?", near);
}
