/*
 * graph_file.h - the part of nnefc.h about graph files: models as they are run, in one file
 *
 *     if (nnefc_model_rewrite(model, &how) == NNEFC_OK)
 *         nnefc_model_write_graph(model, "net.ng");
 *
 * nnefc_model_load() reads them; docs/graph-file.md describes the format.
 */
#ifndef NNEFC_GRAPH_FILE_H
#define NNEFC_GRAPH_FILE_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Write the graph of a model as it is, with all data, into one file that is loaded without reading the
 * data.  Custom operations are refused, and so are provisional documents and parameters of unknown
 * shape.  The same model makes the same bytes, also when it was loaded from such a file.  The file is
 * complete or not touched.
 */
NNEFC_API enum nnefc_status nnefc_model_write_graph(struct nnefc_model *model, const char *path);

/* Before loading: of a graph file compare the sum of the data, too, for which all of them are read. */
NNEFC_API enum nnefc_status nnefc_model_set_check_data(struct nnefc_model *model, bool check);

#ifdef __cplusplus
}
#endif

#endif
