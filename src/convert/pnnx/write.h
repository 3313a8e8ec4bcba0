/*
 * write.h - a document of PNNX is written again
 *
 * It is written from what was read and not from a graph: a graph knows neither how a number is spelled,
 * nor sentinels, lists, strings and parameters that nothing is computed from, nor which of its
 * operators were one of PNNX.
 */
#ifndef NNEFC_CONVERT_PNNX_WRITE_H
#define NNEFC_CONVERT_PNNX_WRITE_H

struct context;
struct pnnx_document;
struct sink;

/* The text: each value as it was spelled, pairs in their order, columns apart as PNNX has them. */
void pnnx_write_text(const struct pnnx_document *document, const struct sink *sink);

/* The archive of attributes, in the order of the text; all of them have their data. */
void pnnx_write_weights(const struct context *context, const struct pnnx_document *document,
                        const struct sink *sink);

#endif
