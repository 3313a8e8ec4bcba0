/* place.c - where buffers lie: in the arena, in what the caller gives, among the constants */
#include "backend/c/writer.h"

#include "base/arena.h"
#include "exec/planner.h"

#include <assert.h>
#include <inttypes.h>

static size_t rounded(size_t bytes)
{
    return (bytes + BUFFER_ALIGNMENT - 1) / BUFFER_ALIGNMENT * BUFFER_ALIGNMENT;
}

/* From the first step that has to do with it to the last, or the end for what is wanted then. */
static void find_use(const struct c_writer *writer, int index, int *first, int *last)
{
    const struct plan *plan = writer->plan;

    *first = *last = STEP_NONE;
    for (int s = 0; s < plan->nstep; s++)
        for (int i = 0; i < plan->steps[s].nin + plan->steps[s].nout; i++) {
            int nin = plan->steps[s].nin;
            int used = i < nin ? plan->steps[s].in[i] : plan->steps[s].out[i - nin];
            if (buffer_root(plan, used) == index) {
                *first = *first == STEP_NONE ? s : *first;
                *last = s;
            }
        }
    for (int i = 0; i < plan->graph->noutput; i++) {
        int shown = plan->shown[plan->graph->outputs[i].value->id];
        if (shown != NO_BUFFER && buffer_root(plan, shown) == index && *first != STEP_NONE)
            *last = plan->nstep - 1;
    }
    if (plan->buffers[index].swaps && *first != STEP_NONE)
        *last = plan->nstep - 1;
}

/* The buffer of a step if it is memory of the arena; else NULL. */
static const struct buffer *in_arena(const struct c_writer *writer, int index)
{
    int root = buffer_root(writer->plan, index);
    const struct buffer *buffer = &writer->plan->buffers[root];

    return buffer->place == PLACE_ARENA && !buffer->swaps && !writer->address[root] ? buffer : NULL;
}

/* Is that buffer memory of the arena that is in use during the step? */
static bool is_used_at(const struct c_writer *writer, int index, int step)
{
    const struct buffer *buffer = &writer->plan->buffers[index];
    int first, last;

    if (buffer->whole != STEP_NONE || !in_arena(writer, index))
        return false;
    find_use(writer, index, &first, &last);
    return first != STEP_NONE && first <= step && step <= last;
}

/* Memory that a step has for itself lies where it meets nothing that is in use then. */
static void place_scratch(struct c_writer *writer)
{
    const struct plan *plan = writer->plan;

    writer->scratch = arena_array_of(writer->arena, size_t, plan->nstep + 1);
    for (int s = 0; s < plan->nstep; s++) {
        size_t at = 0, size = rounded(plan->steps[s].scratch);
        bool moved = size > 0;
        while (moved) {
            moved = false;
            for (int i = 0; i < plan->nbuffer; i++) {
                const struct buffer *b = &plan->buffers[i];
                bool meets = b->offset < at + size && at < b->offset + b->size;
                if (meets && is_used_at(writer, i, s)) {
                    at = rounded(b->offset + b->size);
                    moved = true;
                }
            }
        }
        writer->scratch[s] = at;
        if (size > 0 && at + size > writer->memory)
            writer->memory = at + size;
    }
}

void c_place_results(struct c_writer *writer)
{
    const struct plan *plan = writer->plan;

    writer->address = arena_array_of(writer->arena, const char *, plan->nbuffer + 1);
    for (int i = 0; i < plan->graph->noutput; i++) {
        int shown = plan->shown[plan->graph->outputs[i].value->id];
        const struct buffer *buffer = &plan->buffers[shown];
        if (buffer->place == PLACE_ARENA && buffer->whole == STEP_NONE && !writer->address[shown])
            writer->address[shown] = writer->result[i];
    }
    for (int i = 0; i < plan->nbuffer; i++) {
        const struct buffer *buffer = &plan->buffers[i];
        int root = buffer_root(plan, i);
        if (!writer->address[root] && buffer->place == PLACE_ARENA && !plan->buffers[root].swaps &&
            buffer->offset + buffer->size > writer->memory)
            writer->memory = buffer->offset + buffer->size;
    }
    writer->memory = rounded(writer->memory);
    place_scratch(writer);
}

/* Bytes of a result that are an operand's, too, which the step overwrites. */
static size_t taken_over(const struct c_writer *writer, const struct step *step)
{
    const struct buffer *to = step->nout > 0 ? in_arena(writer, step->out[0]) : NULL;

    for (int i = 0; i < step->nin; i++) {
        const struct buffer *from = in_arena(writer, step->in[i]);
        if (to && from && from != to && from->offset == to->offset)
            return from->size < to->size ? from->size : to->size;
    }
    return 0;
}

void c_find_peak(struct c_writer *writer)
{
    const struct plan *plan = writer->plan;
    struct c_summary *summary = &writer->files->summary;
    size_t *used = arena_array_of(writer->arena, size_t, plan->nstep + 1);

    for (int i = 0; i < plan->nbuffer; i++) {
        const struct buffer *b = &plan->buffers[i];
        int first, last;
        if (b->place != PLACE_ARENA || b->whole != STEP_NONE || writer->address[i])
            continue;
        find_use(writer, i, &first, &last);
        for (int s = first; s <= last && s != STEP_NONE; s++)
            used[s] += b->size;
    }
    for (int s = 0; s < plan->nstep; s++) {
        used[s] += plan->steps[s].scratch;
        used[s] -= taken_over(writer, &plan->steps[s]);
        if (used[s] > summary->peak) {
            summary->peak = used[s];
            summary->peak_step = s + 1;
        }
    }
}

void c_add_address(struct c_writer *writer, struct text *to, const struct step *step, int index)
{
    const struct buffer *buffer = &writer->plan->buffers[index];
    int root = buffer_root(writer->plan, index);
    enum dtype dtype = (enum dtype)buffer->value->dtype;

    switch (buffer->place) {
    case PLACE_INPUT:
        text_add(to, "%s", writer->input[buffer->index]);
        return;
    case PLACE_CONSTANT:
        text_add(to, "%s",
                 c_block(writer,
                         &(struct c_block){buffer->data, shape_volume(buffer->value->shape), dtype,
                                           c_type_at(writer, step, index), NULL},
                         &writer->data));
        return;
    case PLACE_VARIABLE:
        text_add(to, "state->v%d", buffer->index);
        return;
    case PLACE_ARENA:
        break;
    case PLACE_HEAP:
        assert(false);
        return;
    }
    if (!writer->address[root] && buffer->size == 0) {
        text_add(to, "NULL");
        return;
    }
    if (!writer->address[root]) {
        text_add(to, "(%s *)(void *)(arena + %zu)", c_type_at(writer, step, index), buffer->offset);
        return;
    }
    size_t at = (buffer->offset - writer->plan->buffers[root].offset) /
                (c_has_bytes(writer, index) ? 1 : dtype_size(dtype));
    text_add(to, "%s", writer->address[root]);
    if (at > 0)
        text_add(to, " + %zu", at);
}
