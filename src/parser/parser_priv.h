/* parser_priv.h - the state of a parse, shared by scanner, grammar and constructors */
#ifndef NNEFC_PARSER_PARSER_PRIV_H
#define NNEFC_PARSER_PARSER_PRIV_H

#include "parser/parser.h"

#include "diag/context.h"
#include "diag/diag.h"

struct parser {
    struct context *context;
    struct diag *diag;
    struct document *document;
    bool library;
    bool quant;          /* it is a quantization file */
    bool stop;           /* enough was reported: read no further */
    bool failed;         /* a syntax error was reported */
    int errors;          /* reported before this text */
    int forgiven;        /* of those in it: the text means what it would mean without them */
    int counted;         /* of the others: up to the statement or declaration at hand */
    bool versionless;    /* that the version is missing was an error */
    bool guessed;        /* the dialect was told by the version */
    bool has_semicolons; /* which texts of the provisional dialect rarely have */
    bool misread;        /* the version tells another dialect than was asked for */
    bool hinted;         /* the hint at the other dialect was given */
    bool graph_seen;
    bool holed;            /* some of the body was skipped, or there is nothing in it */
    struct stmt_list body; /* read since the last definition or signature; bodies do not nest */
    struct quant_entry_list entries;
    int missing_semicolons;
    struct span pending;          /* where the first is missing, if it is to be reported later */
    int nesting;                  /* limit on the depth of expressions and types */
    const struct expr *unnegated; /* 9223372036854775808 that waits for its minus */

    /* scanner */
    const char *text;
    size_t size;
    uint32_t base; /* offset of text[0] */
    void *scanner;
    size_t fed;                         /* bytes given to the scanner so far */
    uint32_t begin, at;                 /* of the token scanned last, and behind it */
    int last, before;                   /* the tokens scanned last, 0 for none */
    struct span last_span, before_span; /* where they stand */
    int brackets;                       /* open '(' and '[' */
    bool in_body;                       /* between '{' and '}' */
    bool assigned;                      /* behind the '=' of an assignment */
    bool declared;                      /* behind the '->' of a declaration */
    uint32_t run_end;                   /* no assignment begins before this offset */
};

/* parser.c: false if the dialect lacks `what` ("operator 'in' is"), which is reported */
bool parser_require_1_0(struct parser *p, struct span span, const char *what);

/*
 * Why the text was read in this dialect; for the report made last, once for a text.  If that is
 * not the one its version tells, or its semicolons do, nothing more is reported.
 */
void parser_hint_at_dialect(struct parser *p);

static inline bool parser_in_1_0(const struct parser *p)
{
    return p->document->dialect == DIALECT_1_0;
}

static inline struct span parser_token_span(const struct parser *p)
{
    return (struct span){p->begin, p->at};
}

/* The byte at `offset`, NUL behind the end. */
static inline char parser_byte(const struct parser *p, uint32_t offset)
{
    return offset - p->base < p->size ? p->text[offset - p->base] : '\0';
}

/* scan.c: the first offset from `offset` on that is neither blank nor comment. */
uint32_t scan_past_blank(const struct parser *p, uint32_t offset);
uint32_t scan_past_word(const struct parser *p, uint32_t offset);

/*
 * foreign.c: whether the text that begins at `at` is in another language, and whether a string
 * that was not expected belongs to an identifier of one; both are reported
 */
bool foreign_text(struct parser *p, uint32_t at);
bool foreign_identifier(struct parser *p, struct span at);

/* syntax_error.c: `expected` are the names of the tokens that could stand at `at`. */
void syntax_error(struct parser *p, struct span at, const char *const *expected, int count);
bool keyword_error(struct parser *p, struct span at);
void nesting_error(struct parser *p, struct span at);

/* nnef.y: is it "fragment", "for" ...?  Names of types and of built-in functions are not. */
bool grammar_has_keyword(const char *word);

#endif
