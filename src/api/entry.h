/*
 * entry.h - the boundary at which memory that runs out becomes an ordinary failure
 *
 * Deep inside the library an allocation that fails does not return: arena_out_of_memory() jumps to
 * the innermost boundary of its thread.  Every public function that may allocate is such a
 * boundary: entries.def lists them, and nnefc_NAME() calls api_NAME() within one.
 *
 * After a jump the model is marked: locks that the call held are given back, and from then on every
 * function of the model and its runs gives NNEFC_INTERNAL, or nothing, but for those that free.
 * What lies in arenas is freed with the model; what the call had on the heap besides, and streams
 * that it had open, are lost.  Temporary files have no names until they are complete.  Threads of a
 * team never jump beyond their own part of a loop (team.c).
 */
#ifndef NNEFC_API_ENTRY_H
#define NNEFC_API_ENTRY_H

#include "api/list.h"
#include "nnefc/nnefc.h"

#define ENTRY(type, name, failed, shared, parameters, ...) type api_##name parameters;
#define ENTRY_VOID(name, shared, parameters, arguments)    void api_##name parameters;
#define MODEL(name, parameters, arguments)                 bool api_##name parameters;
#define LOCKED(name, parameters, arguments)                bool api_##name parameters;
#define OPTION(name, what, parameters, arguments)          bool api_##name parameters;
#define SETTING(name, what, parameter, assignment)
#define ANYTIME(name, parameter, assignment)
#include "api/entries.def"

/* The lock of a model, which one thread may take several times.  A call that fails gives back its
 * own. */
void model_lock(const struct nnefc_model *model);
void model_unlock(const struct nnefc_model *model);

#endif
