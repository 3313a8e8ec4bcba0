/*
 * panel.h - the output channels of a layer in panels, which tiles multiply with
 *
 * Panels are as wide as registers allow, and of nearly the same width.  Lanes of the last vector
 * without a channel have weights of 0.
 */
#ifndef NNEFC_KERNEL_PANEL_H
#define NNEFC_KERNEL_PANEL_H

#include "kernel/tile.h"

#include <assert.h>
#include <stddef.h>

struct panels {
    int64_t channels;
    int64_t vecs;  /* vectors of all panels */
    int64_t count; /* of panels */
};

struct panel {
    int64_t channel; /* its first one */
    int64_t vecs;
    int last; /* channels in the last one */
};

static inline struct panels panels_of(int64_t channels)
{
    int64_t vecs = (channels + LANES - 1) / LANES;

    return (struct panels){channels, vecs, (vecs + PANEL_VECS - 1) / PANEL_VECS};
}

static inline struct panel panel_at(const struct panels *panels, int64_t i)
{
    assert(i >= 0 && i < panels->count);
    int64_t begin = panels->vecs * i / panels->count, end = panels->vecs * (i + 1) / panels->count;
    int64_t rest = panels->channels - (end - 1) * LANES;

    return (struct panel){begin * LANES, end - begin, (int)(rest < LANES ? rest : LANES)};
}

/* Items of the packed weights with `depth` products for each channel.  Those of a panel begin at
 * item channel * depth. */
static inline int64_t panels_volume(const struct panels *panels, int64_t depth)
{
    return panels->vecs * LANES * depth;
}

#endif
