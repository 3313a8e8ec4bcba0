/* reorder.c - a tensor put into another layout */
#include "base/arena.h"
#include "base/team.h"
#include "fast/planner.h"
#include "tensor/tensor.h"

enum { BLOCK = 32, CHANNEL = 1 };

/* `planes` matrices of rows x columns items, each to be transposed. */
struct transposition {
    int64_t planes, rows, columns;
    size_t item; /* bytes */
};

struct job {
    const struct transposition *t;
    const void *from;
    void *to;
    int64_t bands; /* of BLOCK rows, in a plane */
};

#define TRANSPOSE(type)                                                             \
    static void transpose_##type(const struct job *job, int64_t plane, int64_t row) \
    {                                                                               \
        int64_t rows = job->t->rows, columns = job->t->columns;                     \
        const type *from = (const type *)job->from + plane * rows * columns;        \
        type *to = (type *)job->to + plane * rows * columns;                        \
        int64_t end = row + BLOCK < rows ? row + BLOCK : rows;                      \
                                                                                    \
        for (int64_t c = 0; c < columns; c++)                                       \
            for (int64_t r = row; r < end; r++)                                     \
                to[c * rows + r] = from[r * columns + c];                           \
    }

TRANSPOSE(uint8_t)
TRANSPOSE(uint32_t)
TRANSPOSE(uint64_t)

static void transpose_bands(void *data, int64_t begin, int64_t end, int member)
{
    const struct job *job = data;

    (void)member;
    for (int64_t i = begin; i < end; i++) {
        int64_t plane = i / job->bands, row = i % job->bands * BLOCK;
        if (job->t->item == sizeof(uint8_t))
            transpose_uint8_t(job, plane, row);
        else if (job->t->item == sizeof(uint32_t))
            transpose_uint32_t(job, plane, row);
        else
            transpose_uint64_t(job, plane, row);
    }
}

static bool run(const struct step *step, const struct frame *frame)
{
    const struct transposition *t = step->state;
    struct job job = {t, step_in(step, frame, 0), step_out(step, frame, 0),
                      (t->rows + BLOCK - 1) / BLOCK};

    team_share(frame->team, t->planes * job.bands, 1, transpose_bands, &job);
    return true;
}

static const struct kernel reorder = {.name = "reorder", .run = run};

void reorder_make(struct planner *planner, const struct value *value, int from, int to,
                  enum layout layout)
{
    struct plan *plan = planner->plan;
    struct transposition *t = arena_new_of(plan->arena, struct transposition);
    int64_t channels = value->shape->extent[CHANNEL];
    int64_t pixels = shape_volume_range(value->shape, CHANNEL + 1, value->shape->rank);
    bool to_last = layout == LAYOUT_CHANNELS_LAST;
    struct step step = {.kernel = &reorder,
                        .state = t,
                        .layout = layout,
                        .nin = 1,
                        .nout = 1,
                        .in = arena_new_of(plan->arena, int),
                        .out = arena_new_of(plan->arena, int),
                        .reused = STEP_NONE};

    *t = (struct transposition){.planes = value->shape->extent[0],
                                .rows = to_last ? channels : pixels,
                                .columns = to_last ? pixels : channels,
                                .item = dtype_size(value->dtype)};
    step.in[0] = from;
    step.out[0] = to;
    add_step(planner, &step);
}
