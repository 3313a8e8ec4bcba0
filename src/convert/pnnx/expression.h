/*
 * expression.h - what pnnx.Expression computes: functions of inputs, numbers and lists
 *
 *   expr = function "(" expr {"," expr} ")" | "[" [expr {"," expr}] "]" | "@" digits | literal
 *
 * An expression is a list of steps, each of which takes its operands, those made last, off a stack
 * and puts its result there; so the depth of nesting is bounded by memory and never by the stack of
 * C.
 */
#ifndef NNEFC_CONVERT_PNNX_EXPRESSION_H
#define NNEFC_CONVERT_PNNX_EXPRESSION_H

#include "diag/source.h"

struct context;
struct pnnx_value;

enum pnnx_step_kind { PNNX_STEP_INPUT, PNNX_STEP_LITERAL, PNNX_STEP_CALL, PNNX_STEP_LIST };

/* PNNX_STEP_INPUT and PNNX_STEP_LITERAL take no operands. */
struct pnnx_step {
    enum pnnx_step_kind kind;
    int index;                  /* INPUT: which one; CALL, LIST: how many operands */
    const char *function;       /* CALL */
    struct pnnx_value *literal; /* LITERAL; a word that is no value is a text */
    struct span span;
};

struct pnnx_expression {
    struct pnnx_step *step;
    int count;
    int depth; /* the most that is on the stack */
};

/*
 * Reads an expression; NULL after a report.  `text` stands at `span`; the operator has `inputs`
 * inputs, so that no step has an index beyond them. It lies in the arena of the compilation.
 */
struct pnnx_expression *pnnx_expression_read(struct context *context, const char *text,
                                             struct span span, int inputs);

#endif
