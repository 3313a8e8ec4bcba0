/*
 * random_layer.h - documents of one large operation, or of two, with what backends do in one go
 * with it
 *
 * Of the sizes that fast algorithms begin with, which random_graph.h does not reach: many channels,
 * large images, several images, groups, steps, padding of other widths on each side, rows and
 * columns that fill no vector.  They are valid, can be run, and are the same for a seed on every
 * machine.
 */
#ifndef NNEFC_TESTS_SUPPORT_RANDOM_LAYER_H
#define NNEFC_TESTS_SUPPORT_RANDOM_LAYER_H

#include <stdint.h>

struct text;

void random_layer_text(uint64_t seed, struct text *to);

#endif
