/*
 * parser.h - parses NNEF text (section 3) into a document, and prints documents
 *
 * No function uses state outside its arguments, so parses in different contexts may run at once.
 */
#ifndef NNEFC_PARSER_PARSER_H
#define NNEFC_PARSER_PARSER_H

#include "parser/ast.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;
struct text;

/* The dialect to read; AUTO decides by the ';' after the version number, which is in 1.0 only. */
enum parse_dialect { PARSE_AUTO, PARSE_1_0, PARSE_PROVISIONAL };

struct parse_options {
    enum parse_dialect dialect;
    bool library; /* fragments only: no graph, bodies optional in both dialects */
};

/*
 * Parse the text whose first byte has offset `base` in context->sources, and report every syntax
 * error.  The document lives in the arena of the context.  It is returned after errors too, so that
 * the rest can be checked; it is NULL only if nothing of use was read.  The caller compares
 * diag_error_count().
 */
struct document *parse_text(struct context *context, uint32_t base, const char *text, size_t size,
                            const struct parse_options *options);

/*
 * Parse a quantization file (section 5.3).  It has no version, so the caller passes the dialect of
 * the document.  Reports every syntax error and returns the entries that it understood.
 */
struct quant_entry_list parse_quant(struct context *context, uint32_t base, const char *text,
                                    size_t size, enum dialect dialect);

/* Write the document back as NNEF text in canonical form: what `--dump=ast` shows. */
void document_print(const struct document *document, struct text *to);

/* Write one expression as NNEF text. */
void expr_print(const struct expr *expr, enum dialect dialect, struct text *to);

/* The same by a printer, whose `print_call` writes each invocation; NULL: as it stands there. */
struct ast_printer {
    struct text *to;
    enum dialect dialect;
    void (*print_call)(const struct ast_printer *printer, const struct expr *call);
};
void ast_print_document(const struct ast_printer *to, const struct document *document);
void ast_print_expr(const struct ast_printer *to, const struct expr *e);

/* Whether `name` is an identifier of NNEF 1.0 (section 3.1), and no keyword. */
bool is_identifier(const char *name);

#endif
