/*
 * pnnx_expr.y - expressions of PNNX; see src/convert/pnnx/expression.h
 *
 * Every production adds one step behind those of its operands.
 */
%require "3.8"
%define api.pure full
%define api.prefix {pnnx_expr_yy}
%define api.token.prefix {PNNX_EXPR_}
%define api.location.type {struct span}
%define parse.error custom
%define parse.lac full
%locations
%expect 0

%param { struct expression_reader *r }
%initial-action { @$ = (struct span){r->base, r->base}; }

%code requires {
#include "convert/pnnx/expression_priv.h"

/* The stack is on the heap: this is what nesting may take of it. */
#define YYMAXDEPTH 1000000

#define YYLLOC_DEFAULT(cur, rhs, n)                                          \
    ((cur).begin = (n) ? YYRHSLOC(rhs, 1).begin : YYRHSLOC(rhs, 0).end,      \
     (cur).end = (n) ? YYRHSLOC(rhs, n).end : YYRHSLOC(rhs, 0).end)
}

/* What the scanner's header expects these two types to be called. */
%code provides {
#define YYSTYPE PNNX_EXPR_YYSTYPE
#define YYLTYPE PNNX_EXPR_YYLTYPE

int pnnx_expr_yylex(PNNX_EXPR_YYSTYPE *value, struct span *span, struct expression_reader *r);
}

%code {
static void pnnx_expr_yyerror(const struct span *at, struct expression_reader *r,
                              const char *text);
}

%union {
    struct pnnx_piece piece;
    int count;
}

%token YYEOF 0          "end of the expression"
%token <piece> INPUT    "input"
%token <piece> WORD     "word"
%token <piece> NUMBER   "number"
%token <piece> STRAY    "something else"

%nterm <count> exprs

%%

expression : expr
           ;

expr  : INPUT                   { expression_input(r, $1); }
      | NUMBER                  { expression_literal(r, $1); }
      | WORD                    { expression_literal(r, $1); }
      | WORD '(' exprs ')'      { expression_call(r, $1, $3); }
      | '[' exprs ']'           { expression_list(r, $2, @$); }
      | '[' ']'                 { expression_list(r, 0, @$); }
      ;

exprs : expr                    { $$ = 1; }
      | exprs ',' expr          { $$ = $1 + 1; }
      ;

%%

static int yyreport_syntax_error(const yypcontext_t *context, struct expression_reader *r)
{
    enum { MOST = 9 }; /* as many as there are */
    yysymbol_kind_t kind[MOST];
    int count = yypcontext_expected_tokens(context, kind, MOST);
    const char *names[MOST] = {NULL};

    for (int i = 0; i < count; i++)
        names[i] = yysymbol_name(kind[i]);
    expression_unexpected(r, *yypcontext_location(context), names, count);
    return 0;
}

/* Bison itself reports one fault only: its stack is exhausted. */
static void pnnx_expr_yyerror(const struct span *at, struct expression_reader *r,
                              const char *text)
{
    expression_error(r, *at, text);
}
