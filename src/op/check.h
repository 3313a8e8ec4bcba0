/*
 * check.h - checks of arguments that many shape rules share
 *
 * Each reports what it finds wrong through infer_error() and returns false.
 */
#ifndef NNEFC_OP_CHECK_H
#define NNEFC_OP_CHECK_H

#include "op/op.h"

/* The operation, for messages. */
const char *infer_name(const struct infer *infer);

/* Argument `param` has the expected number of items. */
bool check_count(const struct infer *infer, const char *param, int count, int expected);

/* 0 <= axis < rank. */
bool check_axis(const struct infer *infer, const char *param, int64_t axis, int rank);

/* Every item is an axis and none is given twice. */
bool check_axes(const struct infer *infer, const char *param, const struct integers *axes,
                int rank);

/* Operand `index` has that rank; or_more: at least that. */
bool check_rank(const struct infer *infer, int index, int rank, bool or_more);

/* Operand `index` has that shape; or_number: or is a single number of rank 0, which stands for all.
 */
bool check_shape(const struct infer *infer, int index, const struct shape *expected,
                 bool or_number);

/* A result may have this rank. */
bool check_rank_limit(const struct infer *infer, int64_t rank);

/* All items of an operand, which messages call `what`, are 0 or more and below `end`; `why` says in
 * words what that is.  Reports through eval_error(). */
bool check_indices(const struct eval *eval, const struct tensor *index, const char *what,
                   int64_t end, const char *why);

/* Item `index`, or 1 beyond the last. */
int64_t integers_at(const struct integers *integers, int index);

bool integers_contain(const struct integers *integers, int64_t item);

/* Both known, and not the same. */
bool extents_differ(int64_t a, int64_t b);

/* The greatest integer of so many bits. */
double quantize_greatest(int64_t bits);

#endif
