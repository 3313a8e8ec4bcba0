/*
 * scan_priv.h - what the generated scanner leaves to us
 *
 * The functions are about the token from p->begin to p->at; those that return `int` give its
 * kind. NNEF_YYerror is one that was reported: the parser goes on at the next assignment.
 */
#ifndef NNEFC_PARSER_SCAN_PRIV_H
#define NNEFC_PARSER_SCAN_PRIV_H

#include "parser/parser_priv.h"

#include "nnef.tab.h"

/* scan.c */
size_t scan_feed(struct parser *p, char *to, size_t room);
void scan_brace(struct parser *p, bool opens);
void scan_semicolon(struct parser *p);
int scan_definition(struct parser *p, int keyword, const char **name);
int scan_name(struct parser *p, const char **name);
int scan_stray(struct parser *p);

/* Whether a word or sign is a keyword or the end of a type where it stands. */
bool scan_is_version(const struct parser *p);
bool scan_is_extension(const struct parser *p);
bool scan_is_yield(const struct parser *p);
bool scan_is_angle(const struct parser *p);

/* literal.c */
uint64_t scan_integer(struct parser *p);
double scan_scalar(struct parser *p);
int scan_exponent(struct parser *p, uint64_t *integer, double *scalar);
int scan_bad_number(struct parser *p, const char *what);
int scan_string(struct parser *p, const char **string);
int scan_open_string(struct parser *p, const char **string);

#endif
