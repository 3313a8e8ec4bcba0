/* parser_priv.h - the state of a parse, shared by scanner, grammar and constructors */
#ifndef NNEFC_PARSER_PARSER_PRIV_H
#define NNEFC_PARSER_PARSER_PRIV_H

#include "parser/parser.h"

#include "diag/context.h"
#include "diag/diag.h"

/*
 * Up to this depth nobody asks for the stack.  The stack of a level is what recursion over the tree
 * takes at most, in the builds with sanitizers, too.
 */
enum { UNMEASURED_NESTING = 128, STACK_OF_A_LEVEL = 2048 };

struct parser {
    struct context *context;
    struct diag *diag;
    struct document *document;
    bool library;
    bool quant;          /* the text is a quantization file */
    bool stop;           /* enough was reported: read no further */
    bool failed;         /* a syntax error was reported */
    int errors;          /* errors in context->diag before this text */
    int forgiven;        /* errors in this text that leave its meaning clear */
    int counted;         /* other errors, up to the current statement or declaration */
    bool versionless;    /* a missing version was reported as an error */
    bool guessed;        /* the dialect was chosen by the version */
    bool has_semicolons; /* rare in the provisional dialect */
    bool misread;        /* the version indicates another dialect than the user asked for */
    bool hinted;         /* the hint at the other dialect was given */
    bool graph_seen;
    bool holed;            /* a part of the current body was skipped, or it is empty */
    struct stmt_list body; /* statements since the last definition or signature; no body nests */
    struct quant_entry_list entries;
    int missing_semicolons;
    struct span pending;          /* where the first is missing, if its report is held back */
    int nesting;                  /* how deep expressions and types may be, as far as is known */
    bool measured;                /* the stack, and the above is the limit */
    const struct expr *unnegated; /* 9223372036854775808, valid only behind a minus */

    /* scanner */
    const char *text;
    size_t size;
    uint32_t base; /* offset of text[0] */
    void *scanner;
    size_t fed;                         /* bytes given to the scanner so far */
    uint32_t begin, at;                 /* begin and end of the current token */
    int last, before;                   /* the current token and the one before; 0: none */
    struct span last_span, before_span; /* their places */
    int brackets;                       /* open '(' and '[' */
    bool in_body;                       /* between '{' and '}' */
    bool assigned;                      /* behind the '=' of an assignment */
    bool declared;                      /* behind the '->' of a declaration */
    uint32_t run_end;                   /* no assignment begins before this offset */
};

/* --- parser.c --- */

/* False after a report if the dialect lacks `what`, a phrase such as "operator 'in' is". */
bool parser_require_1_0(struct parser *p, struct span span, const char *what);

/*
 * Explain, once for each text, why it was read in this dialect; called after a report that may come
 * from the wrong dialect.  If the version or the semicolons indicate another one, parsing stops.
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

/* The byte at `offset`; NUL behind the end of the text. */
static inline char parser_byte(const struct parser *p, uint32_t offset)
{
    return offset - p->base < p->size ? p->text[offset - p->base] : '\0';
}

/* --- scan.c --- */

/* The first offset from `offset` on that is not in a blank or comment, or not in a word. */
uint32_t scan_past_blank(const struct parser *p, uint32_t offset);
uint32_t scan_past_word(const struct parser *p, uint32_t offset);

/* --- foreign.c --- */

/* Whether the text from `at` on is in another language, which is reported. */
bool foreign_text(struct parser *p, uint32_t at);

/* Whether the unexpected string at `at` belongs to an identifier of tract, which is reported. */
bool foreign_identifier(struct parser *p, struct span at);

/* --- syntax_error.c --- */

/* Report the current token; `expected` are the names of the tokens that could stand at `at`. */
void syntax_error(struct parser *p, struct span at, const char *const *expected, int count);

/* Report that the keyword at `at` stands for an identifier.  Always false. */
bool keyword_error(struct parser *p, struct span at);

/* Report that something at `at` is nested too deeply, and stop parsing. */
/* Whether an expression or type may be that deep; false after a report. */
bool parser_may_nest(struct parser *p, int depth, struct span at);

/* nnef.y: whether `word` is a keyword.  Names of types and of built-in functions are none. */
bool grammar_has_keyword(const char *word);

#endif
