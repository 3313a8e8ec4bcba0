/*
 * special_key.h - what a graph of an open model goes by
 *
 * A key is bytes that begin with the settings of the run.  It has all that the graph and its plan
 * depend on.
 */
#ifndef NNEFC_API_SPECIAL_KEY_H
#define NNEFC_API_SPECIAL_KEY_H

#include <stdbool.h>
#include <stdint.h>

struct nnefc_model;
struct nnefc_run;
struct onnx_slot;
struct part_info;
struct text;

/* Is a graph made for the extents, or the items, of that parameter of the interface? */
bool input_is_open(const struct nnefc_model *model, int index);

/* Do the items of what that parameter is fed decide?  As many as in another step may be too many.
 */
bool input_decides(const struct nnefc_run *run, int index);

/* The same of what is in a slot. */
bool slot_decides(const struct part_info *info, const struct onnx_slot *slot);

struct settings {
    int64_t number[4];
};

struct settings settings_of(const struct nnefc_run *run);

/* The key of a graph of the model from its first node on, and that of a part, instead of what the
 * text has had. */
void key_of_inputs(struct text *key, const struct nnefc_run *run);
void key_of_slots(struct text *key, const struct nnefc_run *run, const struct part_info *info,
                  const struct onnx_slot *slots, int count);

#endif
