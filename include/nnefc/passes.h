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

/* With all members but `size` zero, it asks for the passes that run by default. */
struct nnefc_rewrite {
    size_t size;        /* sizeof(struct nnefc_rewrite) */
    const char *passes; /* "fuse-bias,remove-dead", with "default" and "all" for many and "none" for
                            none; NULL: "default" */
    const char *without; /* passes that do not run, written in the same way; NULL: none */
    int64_t growth;      /* most items of a computed constant that replaces smaller ones (65536) */
    bool prune_inputs;   /* drop the inputs that no result depends on */
    bool verify;         /* check the graph after each pass: for those who test passes */
};

/*
 * Rewrite a loaded model, of which there are no runs.  The call reads the weights if no earlier one
 * did.  A name of a tensor may be lost if its operation is removed, but not if it is in the
 * quantization file.  Models of provisional NNEF stay as they are.  After a failure other than
 * NNEFC_USAGE the model must not be used.
 */
NNEFC_API enum nnefc_status nnefc_model_rewrite(struct nnefc_model *model,
                                                const struct nnefc_rewrite *how);

/* The last rewriting: how often a pass, by its index, changed something; how often all passes ran;
 * whether the last round changed nothing. */
NNEFC_API int nnefc_model_pass_changes(const struct nnefc_model *model, int pass);
NNEFC_API int nnefc_model_pass_rounds(const struct nnefc_model *model);
NNEFC_API bool nnefc_model_settled(const struct nnefc_model *model);

/* A change that a pass did not make, and the reason, such as "its bias is computed". */
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
