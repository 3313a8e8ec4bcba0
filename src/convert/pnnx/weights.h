/* weights.h - the attributes of a model of PNNX get their data */
#ifndef NNEFC_CONVERT_PNNX_WEIGHTS_H
#define NNEFC_CONVERT_PNNX_WEIGHTS_H

#include <stdbool.h>

struct context;
struct pnnx_archive;
struct pnnx_document;

/*
 * Each attribute is a view of its member of the archive, "<operator>.<attribute>", of exactly the bytes
 * that its shape and type need.  False after a report.
 */
bool pnnx_weights_bind(const struct context *context, struct pnnx_document *document,
                       const struct pnnx_archive *archive);

#endif
