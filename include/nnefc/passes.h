/*
 * passes.h - the part of nnefc.h about passes: rewriting a model into one that computes the same
 *
 *     const struct nnefc_rewrite how = {.size = sizeof how, .without = "fuse-bias"};
 *
 *     if (nnefc_model_rewrite(model, &how) == NNEFC_OK)
 *         nnefc_model_write_nnef(model, "smaller/");
 *
 * Passes run in the order of their list, again and again until none of them changes anything.  The
 * inputs and outputs of the model stay as they are, with their names and order.
 */
#ifndef NNEFC_PASSES_H
#define NNEFC_PASSES_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nnefc_pass {
    const char *name;
    const char *purpose;
    bool by_default;
};

NNEFC_LIST_OF(nnefc_pass);

/* The passes there are, in their order. */
NNEFC_API const struct nnefc_pass_list *nnefc_catalogue_passes(struct nnefc_catalogue *catalogue);

/* Zeroed but for its size, it asks for the passes that run by default. */
struct nnefc_rewrite {
    size_t size;        /* sizeof(struct nnefc_rewrite) */
    const char *passes; /* "fuse-bias,remove-dead", with "default" and "all" for many and "none" for
                            none; NULL: "default" */
    const char *without; /* those that are not to run, likewise; NULL: none */
    int64_t growth;      /* items of a computed constant that takes the place of smaller ones; 0: as
                            many as 65536 */
    bool prune_inputs;   /* drop the inputs that no result depends on */
    bool verify;         /* check the graph after each pass: for those who test passes */
};

/*
 * Rewrite a loaded model, of which there are no runs.  It reads the weights if that was not done.
 * Names of tensors may go with the operations that computed them, but not those that the
 * quantization file names.  Models of provisional NNEF stay as they are.  After a failure, but for
 * NNEFC_USAGE, the model is not to be used.
 */
NNEFC_API enum nnefc_status nnefc_model_rewrite(struct nnefc_model *model,
                                                const struct nnefc_rewrite *how);

/* Of the last rewriting: how often a pass, by its index, changed something; how often all were run;
 * whether nothing was left to be changed in the end. */
NNEFC_API int nnefc_model_pass_changes(const struct nnefc_model *model, int pass);
NNEFC_API int nnefc_model_pass_rounds(const struct nnefc_model *model);
NNEFC_API bool nnefc_model_settled(const struct nnefc_model *model);

/* What a pass would have changed, were it not for the reason, such as "its bias is computed". */
struct nnefc_remark {
    const char *pass;
    const char *operation, *name;
    const char *reason;
};
NNEFC_LIST_OF(nnefc_remark);
NNEFC_API const struct nnefc_remark_list *nnefc_model_remarks(const struct nnefc_model *model);

#ifdef __cplusplus
}
#endif

#endif
