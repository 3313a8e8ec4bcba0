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
 * Write the graph of a model as it is, with all data, into one file that is loaded without reading
 * the data.  Custom operations are refused, and so are provisional documents and parameters of
 * unknown shape.  The same model makes the same bytes, also when it was loaded from such a file.
 * The file is complete or not touched.
 */
NNEFC_API enum nnefc_status nnefc_model_write_graph(struct nnefc_model *model, const char *path);

/*
 * The same with the weights once more, as a run by these options wants them (NULL: those of a run
 * by default; threads do not matter): rewritten as the run rewrites it and packed for the kernels
 * of "portable" that this processor runs.  Runs of the file on such a processor, by the same
 * version of nnefc, find them there, so that weights are neither read nor packed before the first
 * step; all others pack them anew.
 */
struct nnefc_run_options;
NNEFC_API enum nnefc_status nnefc_model_write_packed(struct nnefc_model *model, const char *path,
                                                     const struct nnefc_run_options *options);

/* The packed weights in the graph file of a model. */
struct nnefc_packed {
    int count; /* 0: there are none */
    int64_t bytes;
    const char *kernels; /* for which: "avx512" */
    bool fits;           /* runs can use them here: these kernels, this version of nnefc */
};
NNEFC_API const struct nnefc_packed *nnefc_model_packed(const struct nnefc_model *model);

/* How many weights the plan of a run wants packed, once it is made, and how many of these it has
 * taken from the file; taken: NULL if that is not wanted. */
struct nnefc_run;
NNEFC_API int nnefc_run_packings(const struct nnefc_run *run, int *taken);

/* Before loading: compare the sum of the data of a graph file, too, and the digests of files with
 * the weights of an ONNX model, for which all of the data are read. */
NNEFC_API enum nnefc_status nnefc_model_set_check_data(struct nnefc_model *model, bool check);

#ifdef __cplusplus
}
#endif

#endif
