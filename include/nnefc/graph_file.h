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
 * Write the graph of a model as it is, with all data, into one file.  Loading it does not read the
 * data.  Custom operations, provisional documents and parameters of unknown shape are refused.  The
 * same model makes the same bytes, also if it was loaded from such a file.  The file is complete or
 * not touched.
 */
NNEFC_API enum nnefc_status nnefc_model_write_graph(struct nnefc_model *model, const char *path);

/*
 * The same, with a second copy of the weights, packed for runs with these options (NULL: default
 * options; threads do not matter).  The graph is rewritten as for such a run, and the weights are
 * packed for the kernels of "portable" that this processor runs.  On such a processor, runs by the
 * same version of nnefc use the packed weights: they neither read nor pack weights before the first
 * step.  All other runs pack the weights again.
 */
struct nnefc_run_options;
NNEFC_API enum nnefc_status nnefc_model_write_packed(struct nnefc_model *model, const char *path,
                                                     const struct nnefc_run_options *options);

/* The packed weights in the graph file of a model. */
struct nnefc_packed {
    int count; /* 0: there are none */
    int64_t bytes;
    const char *kernels; /* the kernels that they are packed for: "avx512" */
    bool fits;           /* runs on this processor, by this version of nnefc, can use them */
};
NNEFC_API const struct nnefc_packed *nnefc_model_packed(const struct nnefc_model *model);

/* The number of packed weights that the plan of a run needs, once it is made; *taken is the number
 * of these that it took from the file.  `taken` may be NULL. */
struct nnefc_run;
NNEFC_API int nnefc_run_packings(const struct nnefc_run *run, int *taken);

/* Before loading: also check the checksum of the data of a graph file, and the digests of the files
 * with the weights of an ONNX model.  That reads all of the data. */
NNEFC_API enum nnefc_status nnefc_model_set_check_data(struct nnefc_model *model, bool check);

#ifdef __cplusplus
}
#endif

#endif
