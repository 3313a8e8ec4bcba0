/* operator.c - a line of the text of a PNNX model becomes an operator with its operands */
#include "convert/pnnx/expression.h"
#include "convert/pnnx/reader_priv.h"

#include "base/arena.h"
#include "base/num.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum { FIXED_COLUMNS = 4, MOST_PAIRS = 4096 };

static DEFINE_APPEND(pnnx_operator)

static DEFINE_APPEND(pnnx_operand)

/* --- operands ------------------------------------------------------------------------------- */

/* The operator at hand is the last so far that reads or makes the operand. */
static void touch(struct pnnx_operand *operand, const struct pnnx_operator *operator)
{
    if (operand->touched != operator)
        operand->unbound = -1;
    operand->touched = operator;
}

/* Operands are made before they are read, so the graph has no cycles. */
static bool add_input(struct pnnx_reader *reader, struct pnnx_operator *operator, int index,
                      const struct pnnx_piece *word)
{
    const char *name = reader_name(reader, word);
    struct pnnx_operand *operand = map_get(&reader->document->by_name, name);

    assert(index < operator->nin);
    if (!operand && reader->lost)
        return false; /* a line that could not be read may make it */
    if (!operand)
        return reader_error(reader, word->span, DIAG_PNNX_OPERAND,
                            "operand '%s' is read, but no operator before makes it", name);
    operand->uses++;
    operator->in[index] = operand;
    touch(operand, operator);
    return true;
}

/* Each operand has one producer. */
static bool add_output(struct pnnx_reader *reader, struct pnnx_operator *operator, int index,
                       const struct pnnx_piece *word)
{
    const char *name = reader_name(reader, word);
    const struct pnnx_operand *other = map_get(&reader->document->by_name, name);

    assert(index < operator->nout);
    if (other) {
        reader_error(reader, word->span, DIAG_PNNX_OPERAND,
                     "operand '%s' is made twice: also by '%s'", name, other->producer->name);
        diag_note(reader->diag, other->span, "made here");
        return false;
    }
    struct pnnx_operand *operand = arena_new_of(reader->context->arena, struct pnnx_operand);
    operand->name = name;
    operand->index = reader->document->operands.count;
    operand->producer = operator;
    touch(operand, operator);
    operand->port = index;
    operand->span = word->span;
    operator->out[index] = operand;
    map_set(&reader->document->by_name, name, operand);
    reader->document->operands = pnnx_operand_append(reader->document->operands, operand);
    return true;
}

/* As far as both are known. */
static bool agree(const struct pnnx_shape *a, const struct pnnx_shape *b)
{
    bool ok = a->rank == b->rank && (a->type == b->type || !a->type || !b->type);

    for (int i = 0; ok && i < a->rank; i++)
        ok = a->dim[i].extent == b->dim[i].extent || a->dim[i].extent == PNNX_ANY ||
             b->dim[i].extent == PNNX_ANY;
    return ok;
}

/* Shapes of an operand may be repeated, but must agree. */
static bool add_shape(struct pnnx_reader *reader, const struct pnnx_operator *operator,
                      const struct pnnx_pair * item)
{
    struct pnnx_operand *operand = map_get(&reader->document->by_name, item->name);

    if (!operand || operand->touched != operator)
        return reader_error(reader, item->span, DIAG_PNNX_OPERAND,
                            "the shape is of operand '%s', which '%s' neither reads nor makes",
                            item->name, operator->name);
    if (!operand->shape) {
        operand->shape = item->shape;
        return true;
    }
    if (agree(operand->shape, item->shape))
        return true;
    reader_error(reader, item->shape->span, DIAG_PNNX_OPERAND,
                 "operand '%s' has another shape or type here than before", item->name);
    diag_note(reader->diag, operand->shape->span, "it was given here");
    return false;
}

/* $argument=operand names an input. The same operand may be several arguments, from left to right.
 */
static bool add_arguments(struct pnnx_reader *reader, struct pnnx_operator *operator)
{
    int *next = arena_array_of(reader->context->arena, int, operator->nin + 1);
    bool ok = true;

    if (!reader->pairs.of[PNNX_ARGUMENT].first)
        return true;
    /* Chains the inputs of each operand: `unbound` is the first, next[i] the one behind input i. */
    for (int i = operator->nin - 1; i >= 0; i--) {
        next[i] = operator->in[i]->unbound;
        operator->in[i]->unbound = i;
    }
    for (const struct pnnx_pair *a = reader->pairs.of[PNNX_ARGUMENT].first; a; a = a->next) {
        struct pnnx_operand *operand = map_get(&reader->document->by_name, a->operand);
        assert(!operand || operand->unbound < operator->nin);
        if (!operand || operand->touched != operator|| operand->unbound<0) {
            ok = reader_error(
                reader, a->operand_span, DIAG_PNNX_OPERAND,
                "'%s' has no input '%s' left that could be its argument '%s'", operator->name,
                a->operand, a->name);
            continue;
        }
        operator->key[operand->unbound] = a->name;
        operand->unbound = next[operand->unbound];
    }
    return ok;
}

/* --- pairs ---------------------------------------------------------------------------------- */

/* Keys are few, so each pair is compared with those before; MOST_PAIRS bounds the time. */
static bool check_keys(struct pnnx_reader *reader, const struct pnnx_operator *operator)
{
    const struct pnnx_pair_list *of = operator->pairs.of;
    bool ok = true;

    if (of[PNNX_PARAM].count > MOST_PAIRS || of[PNNX_ATTRIBUTE].count > MOST_PAIRS)
        return reader_error(reader, operator->span, DIAG_PNNX_COUNT,
                            "'%s' has more than %d parameters or attributes", operator->name,
                            MOST_PAIRS);
    for (enum pnnx_mark mark = PNNX_PARAM; mark <= PNNX_ATTRIBUTE; mark++)
        for (const struct pnnx_pair *p = of[mark].first; p; p = p->next)
            if (pnnx_find(operator, mark, p->name) != p)
                ok = reader_error(reader, p->span, DIAG_PNNX_SYNTAX, "%s'%s' is given twice",
                                  mark == PNNX_PARAM ? "" : "attribute ", p->name);
    return ok;
}

/*
 * The archive has one member for "<operator>.<attribute>".  A module that is called twice is two
 * operators of that name, which share it; others that would share it have other shapes or types.
 */
static bool check_members(struct pnnx_reader *reader, const struct pnnx_operator *operator)
{
    bool ok = true;

    for (struct pnnx_pair *a = operator->pairs.of[PNNX_ATTRIBUTE].first; a; a = a->next) {
        const char *key = pnnx_member_name(reader->context, operator, a);
        const struct pnnx_pair *other = map_get(&reader->members, key);
        if (!other)
            map_set(&reader->members, key, a);
        if (!other || (other->shape->type == a->shape->type && agree(other->shape, a->shape)))
            continue;
        ok = reader_error(reader, a->shape->span, DIAG_PNNX_WEIGHTS,
                          "two operators have the weights '%s', with another shape or type each",
                          key);
        diag_note(reader->diag, other->shape->span, "it is given here first");
    }
    return ok;
}

/* --- lines ---------------------------------------------------------------------------------- */

/* Column 2 or 3: how many inputs or outputs. No line has more of them than columns. */
static bool read_column(struct pnnx_reader *reader, int column, int *count)
{
    const struct pnnx_piece *word = &reader->word[column];
    int64_t number;

    assert(column < reader->nword);
    if (!num_parse_integer(word->text, (size_t)word->size, &number) || number < 0 ||
        number > reader->nword - FIXED_COLUMNS)
        return reader_error(reader, word->span, DIAG_PNNX_COUNT,
                            "'%.*s' is no number of %s of a line with %d operands", word->size,
                            word->text, column == 2 ? "inputs" : "outputs",
                            reader->nword - FIXED_COLUMNS);
    *count = (int)number;
    return true;
}

/* Type, name, number of inputs, number of outputs, then as many operands. */
static bool read_columns(struct pnnx_reader *reader, struct pnnx_operator *operator)
{
    if (reader->nword < FIXED_COLUMNS)
        return reader_error(reader, operator->span, DIAG_PNNX_SYNTAX,
                            "the line has %d columns, expected type, name and the numbers of "
                            "inputs and outputs",
                            reader->nword);
    operator->type = reader_name(reader, &reader->word[0]);
    operator->name = reader_name(reader, &reader->word[1]);
    operator->type_span = reader->word[0].span;
    operator->name_span = reader->word[1].span;
    if (!read_column(reader, 2, &operator->nin) || !read_column(reader, 3, &operator->nout))
        return false;
    if (operator->nin + operator->nout == reader->nword - FIXED_COLUMNS)
        return true;
    return reader_error(reader, operator->span, DIAG_PNNX_COUNT,
                        "'%s' has %d inputs and %d outputs, but %d operands are named",
                        operator->name, operator->nin, operator->nout,
                        reader->nword - FIXED_COLUMNS);
}

/* Operands, shapes, arguments and parameters of the line; false after a report. */
static bool fill(struct pnnx_reader *reader, struct pnnx_operator *operator)
{
    struct arena *arena = reader->context->arena;
    const struct pnnx_piece *word = reader->word + FIXED_COLUMNS;
    bool ok = true;

    operator->in = arena_array_of(arena, struct pnnx_operand *, operator->nin + 1);
    operator->out = arena_array_of(arena, struct pnnx_operand *, operator->nout + 1);
    operator->key = arena_array_of(arena, const char *, operator->nin + 1);
    for (int i = 0; i < operator->nin; i++)
        ok &= add_input(reader, operator, i, word++);
    for (int i = 0; i < operator->nout; i++)
        ok &= add_output(reader, operator, i, word++);
    for (const struct pnnx_pair *s = reader->pairs.of[PNNX_OPERAND].first; ok && s; s = s->next)
        ok &= add_shape(reader, operator, s);
    if (ok)
        ok = add_arguments(reader, operator);
    if (!check_keys(reader, operator) || !check_members(reader, operator))
        return false;
    for (struct pnnx_pair *p = operator->pairs.of[PNNX_PARAM].first; p; p = p->next)
        if (strcmp(p->name, "expr") == 0) { /* only this key holds an expression */
            p->expression = pnnx_expression_read(reader->context, p->value->text,
                                                 p->value->span, operator->nin);
            ok &= p->expression != NULL;
        }
    return ok;
}

/* A line with faults is an operator, too, so that its operands are known to the lines behind it. */
void reader_operator(struct pnnx_reader *reader, struct span line)
{
    struct pnnx_operator *operator= arena_new_of(reader->context->arena, struct pnnx_operator);
    const struct pnnx_pair *param = reader->pairs.of[PNNX_PARAM].first;
    const char *key = param ? param->name : "x";

    /* The formats of ncnn and PNNX begin with the same line, but keys of ncnn are numbers. */
    if (isdigit((unsigned char)key[*key == '-'])) {
        reader->stop = true;
        reader_error(
            reader, line, DIAG_FOREIGN_FORMAT,
            "this is a model of ncnn, whose parameters are called by numbers, not one of PNNX");
        diag_help(reader->diag, "give the '.pnnx.param' that pnnx wrote beside the '.ncnn.param'.");
        return;
    }
    operator->span = line;
    operator->index = reader->document->operators.count;
    operator->pairs = reader->pairs;
    reader->lost |= !read_columns(reader, operator) || !fill(reader, operator);
    reader->document->operators = pnnx_operator_append(reader->document->operators, operator);
    reader->document->nattribute += operator->pairs.of[PNNX_ATTRIBUTE].count;
    reader_next_line(reader);
}
