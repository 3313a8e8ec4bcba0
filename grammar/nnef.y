/*
 * nnef.y - concrete grammar of NNEF 1.0.5 and provisional 1.0 (section 3.2)
 *
 * One grammar for both dialects: where they differ, the constructor of the production knows
 * which one it is in. Every action is one constructor call. The productions of the standard
 * stand above ours; how ours differ is said there too.
 */
%require "3.8"
%define api.pure full
%define api.prefix {nnef_yy}
%define api.location.type {struct span}
%define api.value.type union
%define lr.type canonical-lr
%define lr.default-reduction consistent
%define parse.error custom
%locations
%expect 0

%param { struct parser *p }
%initial-action { @$ = (struct span){p->base, p->base}; }

%code requires {
#include "parser/ast_priv.h"

#include <limits.h>
#include <string.h>

#define YYLLOC_DEFAULT(cur, rhs, n)                                          \
    ((cur).begin = (n) ? YYRHSLOC(rhs, 1).begin : YYRHSLOC(rhs, 0).end,      \
     (cur).end = YYRHSLOC(rhs, n).end)
}

/* What the scanner's header expects these two types to be called. */
%code provides {
#define YYSTYPE NNEF_YYSTYPE
#define YYLTYPE NNEF_YYLTYPE

int nnef_yylex(NNEF_YYSTYPE *value, struct span *span, struct parser *p);
}

%code {
static void nnef_yyerror(const struct span *at, struct parser *p, const char *text);
}

%token YYEOF 0          "end of text"
%token VERSION          "'version'"
%token EXTENSION        "'extension'"
%token GRAPH            "'graph'"
%token FRAGMENT         "'fragment'"
%token TENSOR           "'tensor'"
%token FOR              "'for'"
%token IN               "'in'"
%token YIELD            "'yield'"
%token IF               "'if'"
%token ELSE             "'else'"
%token TRUE             "'true'"
%token FALSE            "'false'"
%token ARROW            "'->'"
%token LE               "'<='"
%token GE               "'>='"
%token EQ               "'=='"
%token NE               "'!='"
%token AND              "'&&'"
%token OR               "'||'"
%token VIRTUAL          "end of assignment"
%token QUANT            "quantization file"
%token <enum type_name> TYPE "type name"
%token <enum builtin>   BUILTIN "built-in function"
%token <const char *>   NAME "identifier"
%token <const char *>   GENERIC_NAME "identifier of a generic fragment"
%token <uint64_t>       INTEGER "integer literal"
%token <double>         SCALAR "scalar literal"
%token <const char *>   STRING "string literal"

/* A list under construction is its last item; see parser_priv.h. */
%nterm <struct extension *>  extensions
%nterm <struct fragment *>   heading signature
%nterm <struct generic *>    generic
%nterm <struct param *>      params params_opt results results_opt param result
%nterm <enum type_name>      type_name
%nterm <struct type_expr *>  types type
%nterm <struct graph_decl *> graph_signature
%nterm <struct expr *>       graph_names graph_names_opt graph_name
%nterm <struct expr *>       expr exprs bound args arg filter
%nterm <struct iter *>       iters iter

/* Lowest first. An `if` after an iterable begins the filter; signs bind between '*' and '^'. */
%precedence ELSE
%precedence IF
%precedence ITERABLE
%left IN
%left AND OR
%left '<' LE '>' GE EQ NE
%left '+' '-'
%left '*' '/'
%precedence SIGN
%left '^'
%precedence '['

%%

/* The scanner says first what it is about to read. */
start    : document
         | QUANT
         | QUANT entries
         | QUANT unended
         ;

/*
 * <document> ::= <version> <extension>* <fragment-definition>* <graph-definition>
 * Any order is accepted here; what stands out of place is reported and kept.
 */
document : version
         | version items
         | items
         ;

items    : item
         | error                        { ast_skip_declaration(p, @1); }
         | items item
         | items error                  { ast_skip_declaration(p, @2); }
         ;

item     : extension
         | fragment
         | graph
         ;

/*
 * An entry of a quantization file (section 5.3): a tensor and its algorithm; without ";" in the
 * provisional dialect. After an error reading goes on at the next entry.
 */
entries  : entry
         | entries entry
         ;

entry    : STRING ':' expr ';'          { ast_quant_entry(p, $1, @1, $3); }
         | STRING ':' expr virtual      { ast_quant_entry(p, $1, @1, $3); }
         | error ';'                    { yyerrok; }
         | error VIRTUAL                { yyerrok; }
         ;

unended  : error
         | entries error
         ;

/* <version> ::= "version" <numeric-literal> ";", without ";" in the provisional dialect */
version  : VERSION number               { ast_version(p, @2, false); }
         | VERSION number ';'           { ast_version(p, @2, true); }
         ;

number   : SCALAR
         | INTEGER
         ;

/* <extension> ::= "extension" <identifier>+ ";", with or without commas between */
extension  : EXTENSION extensions end   { ast_extensions(p, $2, @1); }
           ;

extensions : NAME                       { $$ = extension_append(NULL, ast_extension(p, $1, @1)); }
           | extensions NAME            { $$ = extension_append($1, ast_extension(p, $2, @2)); }
           | extensions ',' NAME        { $$ = extension_append($1, ast_extension(p, $3, @3)); }
           ;

end        : ';'
           | %empty                     { ast_missing_semicolon(p, @$); }
           ;

/*
 * <fragment-definition> ::= <fragment-declaration> (<body> | ";")
 * <fragment-declaration> ::= "fragment" <identifier> [<generic-declaration>]
 *                            "(" <parameter-list> ")" "->" "(" <result-list> ")"
 * <generic-declaration> ::= "<" "?" ["=" <type-name>] ">"
 */
fragment  : FRAGMENT signature block    { ast_definition(p, $2); }
          | FRAGMENT signature ';'      { ast_declaration(p, $2); }
          | FRAGMENT error block        { yyerrok; ast_skip_declaration(p, @$); }
          | FRAGMENT error ';'          { yyerrok; ast_skip_declaration(p, @$); }
          | FRAGMENT error              { ast_skip_declaration(p, @$); }
          ;

signature : heading '(' params_opt ')' ARROW '(' results_opt ')'
                                        { $$ = ast_signature(p, $1, $3, $7); }
          ;

heading   : NAME generic                { $$ = ast_fragment(p, $1, @1, $2); }
          ;

generic   : %empty                      { $$ = NULL; }
          | '<' '?' '>'                 { $$ = ast_generic(p, TYPE_NAME_NONE, @$); }
          | '<' '?' '=' type_name '>'   { $$ = ast_generic(p, $4, @$); }
          ;

/*
 * <parameter-list> ::= <parameter> ("," <parameter>)*
 * <parameter> ::= <identifier> ":" <type-spec> ["=" <literal-expr>]
 * <result> ::= <identifier> ":" <type-spec>
 */
params_opt  : %empty                    { $$ = NULL; }
            | params surplus
            ;

params      : param                     { $$ = param_append(NULL, $1); }
            | params ',' param          { $$ = param_append($1, $3); }
            ;

param       : NAME ':' type             { $$ = ast_param(p, $1, @1, $3, NULL); }
            | NAME ':' type '=' expr    { $$ = ast_param(p, $1, @1, $3, $5); }
            ;

results_opt : %empty                    { $$ = NULL; }
            | results surplus
            ;

results     : result                    { $$ = param_append(NULL, $1); }
            | results ',' result        { $$ = param_append($1, $3); }
            ;

result      : NAME ':' type             { $$ = ast_param(p, $1, @1, $3, NULL); }
            ;

/*
 * <type-name> ::= "integer" | "scalar" | "logical" | "string" | "?"
 * <type-spec> ::= <type-name> | <tensor-type-spec> | <array-type-spec> | <tuple-type-spec>
 * <tensor-type-spec> ::= "tensor" "<" [<type-name>] ">", a bare "tensor" in the provisional dialect
 */
type_name : TYPE
          | '?'                         { $$ = TYPE_NAME_GENERIC; }
          | NAME                        { $$ = ast_type_name(p, $1, @1); }
          ;

type      : type_name                   { $$ = ast_primitive(p, $1, @$); }
          | TENSOR                      { $$ = ast_bare_tensor(p, @$); }
          | TENSOR '<' '>'              { $$ = ast_tensor(p, TYPE_NAME_NONE, @$); }
          | TENSOR '<' type_name '>'    { $$ = ast_tensor(p, $3, @$); }
          | type '[' ']'                { $$ = ast_array_type(p, $1, @$); }
          | '(' types ')'               { $$ = ast_tuple_type(p, $2, @$); }
          ;

types     : type                        { $$ = type_expr_append(NULL, $1); }
          | types ',' type              { $$ = type_expr_append($1, $3); }
          ;

/*
 * <graph-definition> ::= <graph-declaration> <body>
 * <graph-declaration> ::= "graph" <identifier> "(" <identifier-list> ")"
 *                         "->" "(" <identifier-list> ")"
 */
graph           : GRAPH graph_signature block   { ast_graph(p, $2); }
                | GRAPH error block             { yyerrok; ast_skip_declaration(p, @$); }
                | GRAPH error                   { ast_skip_declaration(p, @$); }
                ;

graph_signature : NAME '(' graph_names_opt ')' ARROW '(' graph_names_opt ')'
                                        { $$ = ast_graph_signature(p, $1, @1, $3, $7); }
                ;

graph_names_opt : %empty                { $$ = NULL; }
                | graph_names surplus
                ;

graph_names     : graph_name            { $$ = expr_append(NULL, $1); }
                | graph_names ',' graph_name    { $$ = expr_append($1, $3); }
                ;

graph_name      : NAME                  { $$ = ast_name(p, $1, @1); }
                | NAME ':' type         { $$ = ast_graph_name(p, $1, @1, @3); }
                | NAME '=' expr         { $$ = ast_graph_name(p, $1, @1, @3); }
                ;

/*
 * <body> ::= "{" <assignment>+ "}"
 * After an error reading goes on at the next ';' or '}', and where the body is not closed, at
 * the next 'fragment' or 'graph'.
 */
block  : '{' stmts '}'
       | '{' '}'                        { ast_empty_body(p, @$); }
       | '{' broken '}'                 { yyerrok; }
       | '{' broken
       ;

broken : error                          { ast_skip(p, @1); }
       | stmts error                    { ast_skip(p, @2); }
       ;

stmts  : stmt
       | stmts stmt
       ;

/*
 * <assignment> ::= <lvalue-expr> "=" <rvalue-expr> ";", without ";" in the provisional dialect
 * <lvalue-expr> ::= <identifier> | <array-lvalue-expr> | <tuple-lvalue-expr>
 * The left side is read as an expression, so that a wrong one can be explained.
 */
stmt   : exprs '=' exprs ';'            { ast_stmt(p, $1, $3); }
       | exprs '=' exprs virtual        { ast_stmt(p, $1, $3); }
       | ';'                            { ast_surplus(p, @1, "an assignment in front of it"); }
       | error ';'                      { yyerrok; ast_skip(p, @1); }
       | error VIRTUAL                  { yyerrok; ast_skip(p, @1); }
       ;

virtual : VIRTUAL                       { ast_missing_semicolon(p, @1); }
        ;

exprs  : expr                           { $$ = expr_append(NULL, $1); }
       | exprs ',' expr                 { $$ = expr_append($1, $3); }
       ;

/*
 * <rvalue-expr> ::= <identifier> | <literal> | <binary-expr> | <unary-expr> | <paren-expr>
 *                 | <array-rvalue-expr> | <tuple-rvalue-expr> | <subscript-expr> | <if-else-expr>
 *                 | <comprehension-expr> | <builtin-expr> | <invocation>
 */
expr   : NAME                           { $$ = ast_name(p, $1, @$); }
       | INTEGER                        { $$ = ast_integer(p, $1, @$); }
       | SCALAR                         { $$ = ast_scalar(p, $1, @$); }
       | STRING                         { $$ = ast_string(p, $1, @$); }
       | TRUE                           { $$ = ast_logical(p, true, @$); }
       | FALSE                          { $$ = ast_logical(p, false, @$); }
       | '(' ')'                        { $$ = ast_parentheses(p, NULL, @$); }
       | '(' exprs surplus ')'          { $$ = ast_parentheses(p, $2, @$); }
       | '[' ']'                        { $$ = ast_array(p, NULL, @$); }
       | '[' exprs surplus ']'          { $$ = ast_array(p, $2, @$); }
       ;

/* <binary-expr>, <unary-expr>: precedence of section 3.3.3; what it leaves open, see above */
expr   : expr IN expr                   { $$ = ast_binary(p, BINARY_IN, $1, $3, @$); }
       | expr AND expr                  { $$ = ast_binary(p, BINARY_AND, $1, $3, @$); }
       | expr OR expr                   { $$ = ast_binary(p, BINARY_OR, $1, $3, @$); }
       | expr '<' expr                  { $$ = ast_binary(p, BINARY_LT, $1, $3, @$); }
       | expr LE expr                   { $$ = ast_binary(p, BINARY_LE, $1, $3, @$); }
       | expr '>' expr                  { $$ = ast_binary(p, BINARY_GT, $1, $3, @$); }
       | expr GE expr                   { $$ = ast_binary(p, BINARY_GE, $1, $3, @$); }
       | expr EQ expr                   { $$ = ast_binary(p, BINARY_EQ, $1, $3, @$); }
       | expr NE expr                   { $$ = ast_binary(p, BINARY_NE, $1, $3, @$); }
       | expr '+' expr                  { $$ = ast_binary(p, BINARY_ADD, $1, $3, @$); }
       | expr '-' expr                  { $$ = ast_binary(p, BINARY_SUB, $1, $3, @$); }
       | expr '*' expr                  { $$ = ast_binary(p, BINARY_MUL, $1, $3, @$); }
       | expr '/' expr                  { $$ = ast_binary(p, BINARY_DIV, $1, $3, @$); }
       | expr '^' expr                  { $$ = ast_binary(p, BINARY_POW, $1, $3, @$); }
       | '+' expr %prec SIGN            { $$ = ast_unary(p, UNARY_PLUS, $2, @$); }
       | '-' expr %prec SIGN            { $$ = ast_unary(p, UNARY_MINUS, $2, @$); }
       | '!' expr %prec SIGN            { $$ = ast_unary(p, UNARY_NOT, $2, @$); }
       ;

/*
 * <if-else-expr> ::= <rvalue-expr> "if" <rvalue-expr> "else" <rvalue-expr>
 * <subscript-expr> ::= <rvalue-expr> "[" (<rvalue-expr> | [<rvalue-expr>] ":" [<rvalue-expr>]) "]"
 */
expr   : expr IF expr ELSE expr         { $$ = ast_select(p, $3, $1, $5, @$); }
       | expr '[' expr ']'              { $$ = ast_subscript(p, $1, $3, @$); }
       | expr '[' bound ':' bound ']'   { $$ = ast_range(p, $1, $3, $5, @$); }
       ;

bound  : %empty                         { $$ = NULL; }
       | expr
       ;

/*
 * <comprehension-expr> ::= "[" "for" <loop-iter-list> ["if" <rvalue-expr>]
 *                              "yield" <rvalue-expr> "]"
 * <loop-iter> ::= <identifier> "in" <rvalue-expr>
 * in the provisional dialect "[" <expr> "for" <identifier> "in" <expr> ["if" <expr>] "]"
 */
expr   : '[' FOR iters filter YIELD expr ']'
                                        { $$ = ast_comprehension(p, $3, $4, $6, @$); }
       | '[' expr FOR iter filter ']'   { $$ = ast_item_first(p, $2, $4, $5, @$); }
       ;

iters  : iter                           { $$ = iter_append(NULL, $1); }
       | iters ',' iter                 { $$ = iter_append($1, $3); }
       ;

iter   : NAME IN expr %prec ITERABLE    { $$ = ast_iter(p, $1, @1, $3); }
       ;

filter : %empty                         { $$ = NULL; }
       | IF expr                        { $$ = $2; }
       ;

/*
 * <invocation> ::= <identifier> ["<" <type-name> ">"] "(" <argument-list> ")"
 * <argument> ::= <rvalue-expr> | <identifier> "=" <rvalue-expr>
 * <builtin-expr> ::= <builtin-name> "(" <rvalue-expr> ")"
 */
expr   : NAME '(' args surplus ')'      { $$ = ast_call(p, $1, $3, @$); }
       | NAME '(' ')'                   { $$ = ast_call(p, $1, NULL, @$); }
       | GENERIC_NAME '<' type_name '>' '(' args surplus ')'
                                        { $$ = ast_generic_call(p, $1, $3, $6, @$); }
       | GENERIC_NAME '<' type_name '>' '(' ')'
                                        { $$ = ast_generic_call(p, $1, $3, NULL, @$); }
       | BUILTIN '(' expr ')'           { $$ = ast_builtin(p, $1, $3, @$); }
       | TYPE '(' expr ')'              { $$ = ast_cast(p, $1, $3, @$); }
       ;

args   : arg                            { $$ = expr_append(NULL, $1); }
       | args ',' arg                   { $$ = expr_append($1, $3); }
       ;

arg    : expr
       | NAME '=' expr                  { $$ = ast_named(p, $1, $3, @$); }
       ;

/* Not in the standard: reported, and else of no consequence. */
surplus  : %empty
         | ','                          { ast_surplus(p, @1, "an item behind it"); }
         ;

%%

static int yyreport_syntax_error(const yypcontext_t *context, struct parser *p)
{
    yysymbol_kind_t kind[YYNTOKENS];
    const char *expected[YYNTOKENS];
    int count = yypcontext_expected_tokens(context, kind, YYNTOKENS);

    for (int i = 0; i < count; i++)
        expected[i] = yysymbol_name(kind[i]);
    syntax_error(p, *yypcontext_location(context), expected, count);
    return 0;
}

/* Bison itself reports one fault only: its stack is exhausted. */
static void nnef_yyerror(const struct span *at, struct parser *p, const char *text)
{
    (void)text;
    parser_may_nest(p, INT_MAX, *at);
}

/* Keywords are the tokens that are called by a word in quotes. */
bool grammar_has_keyword(const char *word)
{
    size_t size = strlen(word);

    for (int kind = 0; kind < YYNTOKENS; kind++) {
        const char *name = yysymbol_name((yysymbol_kind_t)kind);
        if (*name == '\'' && strncmp(name + 1, word, size) == 0 && name[size + 1] == '\'')
            return true;
    }
    return false;
}
