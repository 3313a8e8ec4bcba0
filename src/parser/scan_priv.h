/*
 * scan_priv.h - functions that the rules of the generated scanner call
 *
 * They work on the token from p->begin to p->at.  A function with an `int` result returns the kind
 * of the token.  NNEF_YYerror stands for a token that was reported: the parser goes on at the next
 * assignment.
 */
#ifndef NNEFC_PARSER_SCAN_PRIV_H
#define NNEFC_PARSER_SCAN_PRIV_H

#include "parser/parser_priv.h"

#include "nnef.tab.h"

/* --- scan.c --- */

/* Copy at most `room` more bytes of the text to `to`; returns how many, 0 at the end. */
size_t scan_feed(struct parser *p, char *to, size_t room);

/* Note a '{' or '}', or a ';'. */
void scan_brace(struct parser *p, bool opens);
void scan_semicolon(struct parser *p);

/* The kind of a word: `keyword` for 'graph' or 'fragment', unless it stands for a name; of a name.
 */
int scan_definition(struct parser *p, int keyword, const char **name);
int scan_name(struct parser *p, const char **name);

/* Report a byte that begins no token. */
int scan_stray(struct parser *p);

/* Whether the word at this place is a keyword, and whether '>' ends a type. */
bool scan_is_version(const struct parser *p);
bool scan_is_extension(const struct parser *p);
bool scan_is_yield(const struct parser *p);
bool scan_is_angle(const struct parser *p);

/* --- literal.c --- */

/* The value of a number; 0 after a report if it is out of range. */
uint64_t scan_integer(struct parser *p);
double scan_scalar(struct parser *p);

/* A number with an exponent and no point, which is an integer or a scalar. */
int scan_exponent(struct parser *p, uint64_t *integer, double *scalar);

/* Report a number; `what` is the end of the sentence. */
int scan_bad_number(struct parser *p, const char *what);

/* A string, interned without quotes and escapes; "" after a report.  One without its closing quote.
 */
int scan_string(struct parser *p, const char **string);
int scan_open_string(struct parser *p, const char **string);

#endif
