/*
 * match.h - finding shapes of several operations in a graph
 *
 *     static const struct pattern x = {.slot = 1}, sigmoid = {.op = OP_sigmoid, .in = {&x}},
 *         silu = {.op = OP_mul, .in = {&x, &sigmoid}, .either_way = true};
 *
 *     if (pattern_match(pass, &silu, &node->out[0], &match))
 *         ... match.slot[1] ...
 *
 * A pattern is anchored at the result and goes from operands to what makes them, by position: a - b
 * does not match b - a.  The first way in which an operand fits is kept, whatever follows.  What is
 * computed within it, but for the result, must be needed by nothing outside it.
 */
#ifndef NNEFC_PASS_MATCH_H
#define NNEFC_PASS_MATCH_H

#include "pass/edit.h"

enum { PATTERN_OPERANDS = 4, MATCH_SLOTS = 12, MATCH_NODES = 24 };

/* Operator of a pattern for any value; no operation of a graph has it. */
#define PATTERN_VALUE OP_external

struct pattern {
    enum op_id op; /* PATTERN_VALUE, which is 0: any value, not looked into */
    const struct pattern *in[PATTERN_OPERANDS]; /* NULL: whatever it is */
    int slot;          /* from 1: the value goes there; found twice, it is the same; 0: nowhere */
    bool either_way;   /* operands 0 and 1 may stand the other way round */
    bool fixed;        /* VALUE: it has items, see value_items() */
    bool number;       /* VALUE: and all of them are `is`, but for `within` of its size */
    double is, within; /* within 0: exactly */
    const struct pattern *otherwise; /* what the value may be instead; the first that fits counts */
};

/* Where a pattern fits: the values of its slots, and the nodes that it goes through. */
struct match {
    struct value *slot[MATCH_SLOTS];
    const struct node *node[MATCH_NODES]; /* the first makes the result */
    int count;
};

/* Does the pattern fit the way in which `result` is computed?  False leaves *match undefined. */
bool pattern_match(const struct pass *pass, const struct pattern *pattern, struct value *result,
                   struct match *match);

/* If the pattern fits result 0 of the node, let `op` of the value in slot 1, which has the type and
 * shape of that result, stand for it.  False if nothing was changed. */
bool pattern_replace(struct pass *pass, struct node *node, const struct pattern *pattern,
                     enum op_id op);

#endif
