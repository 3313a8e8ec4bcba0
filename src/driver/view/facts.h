/* facts.h - what a run and other programs say of a network: plan, weights, overlay, findings */
#ifndef NNEFC_DRIVER_VIEW_FACTS_H
#define NNEFC_DRIVER_VIEW_FACTS_H

#include "driver/command.h"
#include "driver/view/net.h"

/* The steps of a run by the fast backend, and the operations that each computes. */
struct planned {
    struct nnefc_run *run;               /* its own, or NULL */
    const struct nnefc_step_list *steps; /* texts are the run's; NULL: there is no plan */
    int *step_of;                        /* of each operation; -1: it is computed in none */
};

/* Make a plan; false after a report of the model. */
bool planned_new(struct planned *plan, struct nnefc_model *model, const struct net *net);
/* That of a run, which stays the caller's. */
struct planned planned_of(struct nnefc_run *run, const struct net *net);
void planned_free(struct planned *plan);

/* Statistics of the data of variables as JSON, to be freed; NULL after a report of the model. */
char *weights_read(struct nnefc_model *model, const struct net *net);

/* The JSON of a file with numbers for names, {"unit":"ms","values":{"relu1":0.41}}, to be freed;
 * NULL after a message. */
char *overlay_read(const struct command *command, const char *path);

/* Warn of names in that JSON which no result of an operation has. */
void overlay_check(const struct command *command, const char *overlay, const struct net *net);

/* JSON without '<' of what bench, compare or diff have found, as a file has it, to be freed; NULL
 * after a message. */
char *findings_read(const struct command *command, const char *path);

#endif
