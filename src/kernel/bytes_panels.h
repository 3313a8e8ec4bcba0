/*
 * bytes_panels.h - how the output channels of layers of bytes are cut into panels of vectors
 */
#ifndef NNEFC_KERNEL_BYTES_PANELS_H
#define NNEFC_KERNEL_BYTES_PANELS_H

#include "base/num.h"
#include "kernel/conv.h"
#include "kernel/vector.h"

enum { PANEL_VECS = LANES == 16 ? 4 : 2 };

static inline int64_t group_out(const struct conv *conv)
{
    return conv->out_channels / conv->groups;
}

/* The number of vectors that the output channels of a group take. */
static inline int64_t vec_count(const struct conv *conv)
{
    return num_divide_up(group_out(conv), LANES);
}

/* The panels of a group: each has `few` vectors, and the first `larger` ones have one more. */
struct panels {
    int64_t count, few, larger;
};

static inline struct panels panels_of(const struct conv *conv)
{
    const int64_t vecs = vec_count(conv), count = num_divide_up(vecs, PANEL_VECS);

    return (struct panels){count, vecs / count, vecs % count};
}

static inline int64_t panel_begin(const struct panels *panels, int64_t panel)
{
    return panel * panels->few + num_min(panel, panels->larger);
}

static inline int64_t panel_vecs(const struct panels *panels, int64_t panel)
{
    return panels->few + (panel < panels->larger);
}

#endif
