/*
 * pnnx_param.y - the text of a PNNX model
 *
 *   file     = magic END operators operands END { operator END }
 *   operator = type name inputs outputs { operand } { pair }
 *   pair     = "@" attribute "=" shape | "#" operand "=" shape | "$" key "=" operand | key "=" value
 *
 * The scanner tells pairs apart by their first character.  src/convert/pnnx/reader.c checks the
 * number of columns of a line.  After a fault, reading goes on at the next line.  If nothing that
 * follows can make sense, the reader stops: its next token is the end of the text.
 */
%require "3.8"
%define api.pure full
%define api.prefix {pnnx_param_yy}
%define api.token.prefix {PNNX_PARAM_}
%define api.location.type {struct span}
%define parse.error custom
%define parse.lac full
%locations
%expect 0

%param { struct pnnx_reader *r }
%initial-action { @$ = (struct span){r->base, r->base}; }

%code requires {
#include "convert/pnnx/reader_priv.h"

#define YYLLOC_DEFAULT(cur, rhs, n)                                          \
    ((cur).begin = (n) ? YYRHSLOC(rhs, 1).begin : YYRHSLOC(rhs, 0).end,      \
     (cur).end = (n) ? YYRHSLOC(rhs, n).end : YYRHSLOC(rhs, 0).end)
}

/* What the scanner's header expects these two types to be called. */
%code provides {
#define YYSTYPE PNNX_PARAM_YYSTYPE
#define YYLTYPE PNNX_PARAM_YYLTYPE

int pnnx_param_yylex(PNNX_PARAM_YYSTYPE *value, struct span *span, struct pnnx_reader *r);
}

%code {
static void pnnx_param_yyerror(const struct span *at, struct pnnx_reader *r, const char *text);
}

%union {
    struct pnnx_piece piece;
    struct pnnx_shape *shape;
    struct pnnx_value *value;
}

%token YYEOF 0                      "end of text"
%token END                          "end of line"
%token <piece> WORD          "word"
%token <piece> ATTRIBUTE     "'@...='"
%token <piece> OPERAND       "'#...='"
%token <piece> ARGUMENT      "'$...='"
%token <piece> KEY           "key and '='"
%token <piece> EXPRESSION    "'expr='"
%token <piece> EXTENT        "extent"
%token <piece> TYPE          "element type"
%token <piece> TEXT          "text"
%token <piece> ATOM          "value"
%token <piece> STRAY         "something else"

%nterm <shape>  shape extents
%nterm <value>  value items

%%

file      : columns END         { reader_magic(r, @1); }
            columns END         { reader_counts(r, @4); }
            operators
          ;

operators : %empty
          | operators END
          | operators line END  { reader_operator(r, @2); }
          | operators error END { yyerrok; reader_lost(r); }
          ;

line      : words pairs
          ;

columns   : %empty
          | words pairs
          ;

words     : WORD                { reader_word(r, $1); }
          | words WORD          { reader_word(r, $2); }
          ;

pairs     : %empty
          | pairs pair
          ;

pair      : ATTRIBUTE shape     { reader_pair(r, PNNX_ATTRIBUTE, $1)->shape = $2; }
          | OPERAND shape       { reader_pair(r, PNNX_OPERAND, $1)->shape = $2; }
          | ARGUMENT TEXT       { reader_argument(r, $1, $2); }
          | EXPRESSION TEXT     { reader_pair(r, PNNX_PARAM, $1)->value =
                                      reader_text(r->context, $2); }
          | KEY value           { reader_pair(r, PNNX_PARAM, $1)->value = $2; }
          ;

shape     : '(' extents ')' TYPE { $$ = reader_shape_close(r, $2, $4, @$); }
          | '(' ')' TYPE        { $$ = reader_shape_close(r, reader_shape_open(r), $3, @$); }
          ;

extents   : EXTENT              { $$ = reader_extent(r, reader_shape_open(r), $1); }
          | extents ',' EXTENT  { $$ = reader_extent(r, $1, $3); }
          ;

value     : ATOM                { $$ = reader_atom(r->context, $1); }
          | %empty              { $$ = reader_text(r->context, (struct pnnx_piece){"", 0, @$}); }
          | '(' items ')'       { $$ = reader_list_close($2, '(', @$); }
          | '[' items ']'       { $$ = reader_list_close($2, '[', @$); }
          | '(' ')'             { $$ = reader_list_close(reader_list(r->context, @$), '(', @$); }
          | '[' ']'             { $$ = reader_list_close(reader_list(r->context, @$), '[', @$); }
          ;

items     : ATOM                { $$ = reader_item(r, reader_list(r->context, @$), $1); }
          | items ',' ATOM      { $$ = reader_item(r, $1, $3); }
          ;

%%

static int yyreport_syntax_error(const yypcontext_t *context, struct pnnx_reader *r)
{
    enum { MOST = 5 };
    yysymbol_kind_t kind[MOST];
    int count = yypcontext_expected_tokens(context, kind, MOST);
    const char *names[MOST] = {NULL};

    for (int i = 0; i < count; i++)
        names[i] = yysymbol_name(kind[i]);
    reader_unexpected(r, *yypcontext_location(context), names, count);
    return 0;
}

/* Bison itself reports one fault only: its stack is exhausted, which no line can do. */
static void pnnx_param_yyerror(const struct span *at, struct pnnx_reader *r, const char *text)
{
    reader_error(r, *at, DIAG_PNNX_SYNTAX, "%s", text);
}
