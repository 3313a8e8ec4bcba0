/* byte_sums.c - sums along axes of integers that lie as bytes or words, as integers of 64 bits */
#include "backend/portable/portable.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/team.h"
#include "exec/geometry.h"
#include "exec/planner.h"

#include <string.h>

enum { ITEMS, PART = 1 << 14, SUMMED = 64, JOINED = 1 << 10, WORTH_IT = 4 };

struct byte_sums {
    struct row_layout rows;
    bool wide; /* words */
    int flip;  /* half the values of items with a sign; 0: without */
};

struct sums_job {
    const struct byte_sums *sums;
    const char *in;
    int64_t *out;
};

/* Defines a function that adds rows of items without a sign, each after `flip`, to their sums.
 * `partial` holds sums of as many items as they have values; SUMMED neighbours have them at once.
 */
#define ADD_ROWS(item, values, partial)                                                      \
    static void add_strip_##item(int64_t *restrict to, const item *restrict from,            \
                                 const struct row_layout *rows, item flip)                   \
    {                                                                                        \
        for (int64_t k = 0; k < rows->length; k += (values)) {                               \
            const int64_t end = num_min(k + (values), rows->length);                         \
            partial sum[SUMMED] = {0};                                                       \
            for (int64_t row = k; row < end; row++)                                          \
                for (int i = 0; i < SUMMED; i++)                                             \
                    sum[i] = (partial)(sum[i] + (item)(from[row * rows->inner + i] ^ flip)); \
            for (int i = 0; i < SUMMED; i++)                                                 \
                to[i] += sum[i];                                                             \
        }                                                                                    \
    }                                                                                        \
    static void add_##item(int64_t *restrict to, const item *restrict from,                  \
                           const struct row_layout *rows, item flip)                         \
    {                                                                                        \
        int64_t first = 0;                                                                   \
        for (; first + SUMMED <= rows->inner; first += SUMMED)                               \
            add_strip_##item(to + first, from + first, rows, flip);                          \
        for (int64_t k = 0; k < rows->length; k++)                                           \
            for (int64_t i = first; i < rows->inner; i++)                                    \
                to[i] += from[k * rows->inner + i] ^ flip;                                   \
    }

ADD_ROWS(uint8_t, UINT8_MAX + 1, uint16_t)
ADD_ROWS(uint16_t, UINT16_MAX + 1, uint32_t)

/* The number of rows that are taken as one, whose length is a multiple of a strip; 1: rows stay
 * single, also if they are too few to pay. */
static int64_t joined_rows(const struct row_layout *rows)
{
    int64_t count = SUMMED;

    while (count > 1 && rows->inner * (count / 2) % SUMMED == 0)
        count /= 2;
    return rows->inner * count <= JOINED && WORTH_IT * count <= rows->length ? count : 1;
}

static void add_rows(const struct byte_sums *s, int64_t *to, const char *from,
                     const struct row_layout *rows)
{
    if (s->wide)
        add_uint16_t(to, (const void *)from, rows, (uint16_t)s->flip);
    else
        add_uint8_t(to, (const void *)from, rows, (uint8_t)s->flip);
}

static void add_all(const struct byte_sums *s, int64_t *to, const char *from)
{
    const int64_t inner = s->rows.inner, count = joined_rows(&s->rows);
    const struct row_layout joined = {.length = s->rows.length / count, .inner = inner * count},
                            rest = {.length = s->rows.length % count, .inner = inner};
    int64_t sums[JOINED];

    if (count == 1) {
        add_rows(s, to, from, &s->rows);
        return;
    }
    memset(sums, 0, (size_t)joined.inner * sizeof *sums);
    add_rows(s, sums, from, &joined);
    for (int64_t i = 0; i < joined.inner; i++)
        to[i % inner] += sums[i];
    add_rows(s, to, from + joined.length * joined.inner * (s->wide ? 2 : 1), &rest);
}

/* Items with a sign are moved by half their values for their sums. */
static void sum_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct sums_job *job = data;
    const struct byte_sums *s = job->sums;
    const int64_t inner = s->rows.inner, row = s->rows.length * inner * (s->wide ? 2 : 1);

    (void)member;
    for (int64_t o = begin; o < end; o++) {
        int64_t *to = job->out + o * inner;
        for (int64_t i = 0; i < inner; i++)
            to[i] = -s->rows.length * s->flip;
        add_all(s, to, job->in + o * row);
    }
}

static bool run_sums(const struct step *step, const struct step_frame *frame)
{
    const struct byte_sums *s = step->state;
    struct sums_job job = {s, step_in(step, frame, 0), step_out(step, frame, 0)};
    const int64_t row = s->rows.length * s->rows.inner;

    team_share(frame->team, s->rows.outer, num_divide_up(PART, row), sum_rows, &job);
    return true;
}

static const struct kernel portable_byte_sums = {.name = "sums of bytes", .run = run_sums};

/* Sums of fewer items than 2^47 do not wrap. */
unsigned portable_byte_sums_match(const struct planner *planner, const struct group *group,
                                  void *match)
{
    const struct node *node = group->nodes[0];
    const struct shape *in = node->in[ITEMS].value->shape;
    struct row_layout rows;
    unsigned layouts = 0;
    bool is_signed;

    (void)match;
    if (group->count > 1 || attr_bits(node) < 64 ||
        plan_narrow_size(planner, node->in[ITEMS].value, &is_signed) == 0 ||
        in->rank != node->out[0].shape->rank)
        return 0;
    for (int layout = 0; layout < LAYOUT_COUNT; layout++)
        if (row_layout_of(in, attr_axes(node), (enum layout)layout, &rows))
            layouts |= 1U << layout;
    return layouts;
}

bool portable_byte_sums_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct node *node = group->nodes[0];
    struct byte_sums *s = arena_new_of(planner->plan->arena, struct byte_sums);
    bool is_signed;

    row_layout_of(node->in[ITEMS].value->shape, attr_axes(node), step->layout, &s->rows);
    s->wide = plan_narrow_size(planner, node->in[ITEMS].value, &is_signed) > 1;
    s->flip = !is_signed ? 0 : s->wide ? 1 << 15 : 1 << 7;
    step->kernel = &portable_byte_sums;
    step->state = s;
    return plan_read(planner, step, node->in[ITEMS].value, step->layout) &&
           plan_write(planner, step, &node->out[0]);
}
