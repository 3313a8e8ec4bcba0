/* place.c - where buffers lie: in the arena, in what the caller gives, among the constants */
#include "backend/c/writer.h"

#include "base/arena.h"
#include "base/num.h"
#include "diag/context.h"
#include "exec/planner.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void use_at(const struct c_writer *writer, int index, int step)
{
    struct c_use *use = &writer->use[buffer_root(writer->plan, index)];

    use->first = use->first == STEP_NONE ? step : use->first;
    use->last = step;
}

static void keep_to_end(struct c_writer *writer, int index)
{
    if (index != NO_BUFFER && writer->use[buffer_root(writer->plan, index)].first != STEP_NONE)
        use_at(writer, index, writer->plan->nstep - 1);
}

/* Each buffer from the first step that has to do with it to the last, or the end for results and
 * for what variables get. */
static void find_uses(struct c_writer *writer)
{
    const struct plan *plan = writer->plan;

    writer->use = arena_array_of(writer->arena, struct c_use, plan->nbuffer + 1);
    for (int i = 0; i < plan->nbuffer; i++)
        writer->use[i] = (struct c_use){STEP_NONE, STEP_NONE};
    for (int s = 0; s < plan->nstep; s++) {
        for (int i = 0; i < plan->steps[s].nin; i++)
            use_at(writer, plan->steps[s].in[i], s);
        for (int i = 0; i < plan->steps[s].nout; i++)
            use_at(writer, plan->steps[s].out[i], s);
    }
    for (int i = 0; i < plan->graph->noutput; i++)
        keep_to_end(writer, plan->shown[plan->graph->outputs[i].value->id]);
    for (int i = 0; i < plan->nrenewal; i++)
        keep_to_end(writer, plan->renewals[i].buffer);
}

/* The buffer of a step if it is memory of the arena; else NULL. */
static const struct buffer *in_arena(const struct c_writer *writer, int index)
{
    int root = buffer_root(writer->plan, index);
    const struct buffer *buffer = &writer->plan->buffers[root];

    return buffer->place == PLACE_ARENA && !writer->address[root] ? buffer : NULL;
}

/* Does it have memory of its own in the arena? */
static bool is_placed(const struct c_writer *writer, int index)
{
    return writer->plan->buffers[index].whole == STEP_NONE && in_arena(writer, index) &&
           writer->use[index].first != STEP_NONE;
}

/* Is that buffer memory of the arena that is in use during the step? */
static bool is_used_at(const struct c_writer *writer, int index, int step)
{
    const struct c_use *use = &writer->use[index];

    return is_placed(writer, index) && use->first <= step && step <= use->last;
}

/* --- the arena ------------------------------------------------------------------------------- */

/* What lies at one place of the arena from step to step. */
struct item {
    size_t at, size;
    int first, last;
    int index; /* the root of a buffer; of the memory of step s: nbuffer + s */
};

/* More of them lie as the plan has them. */
enum { MOST_ITEMS = 4096 };

static bool meet(const struct item *a, const struct item *b)
{
    return a->first <= b->last && b->first <= a->last && a->at < b->at + b->size &&
           b->at < a->at + a->size;
}

/* Move the item to the first place where it meets none of the others. */
static void place_item(struct item *item, const struct item *others, int count)
{
    bool moved = true;

    item->at = 0;
    while (moved) {
        moved = false;
        for (int i = 0; i < count; i++)
            if (meet(item, &others[i])) {
                item->at = others[i].at + others[i].size;
                moved = true;
            }
    }
}

/* Give those from `placed` on, in their order, a place among those before.  Returns the end of all.
 */
static size_t place_items(struct item *items, int placed, int count)
{
    size_t top = 0;

    for (int i = 0; i < count; i++) {
        if (i >= placed)
            place_item(&items[i], items, i);
        top = items[i].at + items[i].size > top ? items[i].at + items[i].size : top;
    }
    return top;
}

static int by_size(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    return x->size != y->size ? (x->size < y->size) - (x->size > y->size)
                              : (x->index > y->index) - (x->index < y->index);
}

/* The root that has the place of this one: an operand that a step overwrites with it.  What a
 * variable takes over has no place in the plan. */
static int owner_of(const struct c_writer *writer, int index)
{
    const struct plan *plan = writer->plan;
    const struct c_use *use = &writer->use[index];

    for (const struct step *s = &plan->steps[use->first]; s->reused != STEP_NONE;) {
        int in = buffer_root(plan, s->in[s->reused]);
        bool takes_over = buffer_root(plan, s->out[0]) == index && in != index &&
                          in_arena(writer, in) && writer->use[in].last == use->first &&
                          !plan->buffers[in].swaps && !plan->buffers[index].swaps &&
                          plan->buffers[in].offset == plan->buffers[index].offset;
        if (!takes_over)
            break;
        index = in;
        use = &writer->use[index];
        s = &plan->steps[use->first];
    }
    return index;
}

/* Buffers as the plan has them, and then what is nowhere yet: those that variables take over, and
 * the memory of steps. */
static int list_items(const struct c_writer *writer, struct item *items, int *buffers)
{
    const struct plan *plan = writer->plan;
    int *item = arena_array_of(writer->arena, int, plan->nbuffer + 1), count = 0;

    for (int swaps = 0; swaps < 2; swaps++) {
        *buffers = swaps ? count : 0;
        for (int i = 0; i < plan->nbuffer; i++)
            if (plan->buffers[i].swaps == (swaps == 1) && is_placed(writer, i) &&
                owner_of(writer, i) == i) {
                item[i] = count;
                items[count++] = (struct item){
                    plan->buffers[i].offset, num_round_up(plan->buffers[i].size, BUFFER_ALIGNMENT),
                    writer->use[i].first, writer->use[i].last, i};
            }
    }
    for (int i = 0; i < plan->nbuffer; i++)
        if (is_placed(writer, i) && owner_of(writer, i) != i) {
            struct item *owner = &items[item[owner_of(writer, i)]];
            owner->last = writer->use[i].last > owner->last ? writer->use[i].last : owner->last;
        }
    for (int s = 0; s < plan->nstep; s++)
        if (plan->steps[s].scratch > 0)
            items[count++] = (struct item){
                0, num_round_up(plan->steps[s].scratch, BUFFER_ALIGNMENT), s, s, plan->nbuffer + s};
    return count;
}

/* As the plan has them, or the largest first, whichever needs less. */
static void place_all(struct c_writer *writer)
{
    const struct plan *plan = writer->plan;
    int most = plan->nbuffer + plan->nstep, buffers;
    struct item *items = arena_array_of(writer->arena, struct item, most + 1);
    int count = list_items(writer, items, &buffers);
    struct item *sorted = arena_array_of(writer->arena, struct item, most + 1);

    memcpy(sorted, items, (size_t)count * sizeof *items);
    writer->memory = place_items(items, buffers, count);
    qsort(sorted, (size_t)count, sizeof *sorted, by_size);
    size_t other = count > MOST_ITEMS ? SIZE_MAX : place_items(sorted, 0, count);
    if (other < writer->memory) {
        writer->memory = other;
        items = sorted;
    }
    writer->at = arena_array_of(writer->arena, size_t, most + 1);
    for (int i = 0; i < count; i++)
        writer->at[items[i].index] = items[i].at;
    for (int i = 0; i < plan->nbuffer; i++)
        if (is_placed(writer, i))
            writer->at[i] = writer->at[owner_of(writer, i)];
}

size_t c_place(const struct c_writer *writer, int index)
{
    const int root = buffer_root(writer->plan, index);

    return writer->at[root] + writer->plan->buffers[index].offset -
           writer->plan->buffers[root].offset;
}

size_t c_scratch(const struct c_writer *writer, const struct step *step)
{
    return writer->at[writer->plan->nbuffer + (int)(step - writer->plan->steps)];
}

void c_place_results(struct c_writer *writer)
{
    const struct plan *plan = writer->plan;

    find_uses(writer);
    writer->address = arena_array_of(writer->arena, const char *, plan->nbuffer + 1);
    for (int i = 0; i < plan->graph->noutput; i++) {
        int shown = plan->shown[plan->graph->outputs[i].value->id];
        const struct buffer *buffer = &plan->buffers[shown];
        if (buffer->place == PLACE_ARENA && buffer->whole == STEP_NONE && !writer->address[shown])
            writer->address[shown] = writer->result[i];
    }
    place_all(writer);
}

/* Bytes of a result that are an operand's, too, which the step overwrites. */
static size_t taken_over(const struct c_writer *writer, const struct step *step)
{
    const struct buffer *to = step->nout > 0 ? in_arena(writer, step->out[0]) : NULL;
    const struct buffer *all = writer->plan->buffers;

    for (int i = 0; i < step->nin; i++) {
        const struct buffer *from = in_arena(writer, step->in[i]);
        if (to && from && from != to && writer->at[from - all] == writer->at[to - all])
            return from->size < to->size ? from->size : to->size;
    }
    return 0;
}

static int by_place(const void *a, const void *b)
{
    const struct c_tensor *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

/* What lies where in the arena while a step is done. */
static void report_step(const struct c_writer *writer, int s, struct c_step *to)
{
    const struct plan *plan = writer->plan;
    struct arena *arena = plan->graph->context->arena;
    struct c_tensor own = {"scratch", c_scratch(writer, &plan->steps[s]), plan->steps[s].scratch};
    char name[VALUE_TEXT_SIZE];
    int count = own.bytes > 0;

    for (int i = 0; i < plan->nbuffer; i++)
        count += is_used_at(writer, i, s);
    to->tensors = arena_array_of(arena, struct c_tensor, count + 1);
    for (int i = 0; i < plan->nbuffer; i++)
        if (is_used_at(writer, i, s)) {
            const struct buffer *b = &plan->buffers[i];
            const char *text = value_text(b->value, name);
            to->tensors[to->count++] = (struct c_tensor){arena_strndup(arena, text, strlen(text)),
                                                         c_place(writer, i), b->size};
            to->bytes += b->size;
        }
    if (own.bytes > 0)
        to->tensors[to->count++] = own;
    qsort(to->tensors, (size_t)to->count, sizeof *to->tensors, by_place);
    to->bytes += own.bytes - taken_over(writer, &plan->steps[s]);
}

void c_report_memory(struct c_writer *writer)
{
    struct c_summary *summary = &writer->files->summary;
    size_t most = 0;

    summary->arena = writer->memory;
    summary->steps = writer->plan->nstep;
    summary->step =
        arena_array_of(writer->plan->graph->context->arena, struct c_step, summary->steps + 1);
    for (int s = 0; s < summary->steps; s++) {
        report_step(writer, s, &summary->step[s]);
        if (summary->step[s].bytes > most) {
            most = summary->step[s].bytes;
            summary->peak_step = s + 1;
        }
    }
}

void c_add_address(struct c_writer *writer, struct text *to, const struct step *step, int index)
{
    const struct buffer *buffer = &writer->plan->buffers[index];
    int root = buffer_root(writer->plan, index);
    enum dtype dtype =
        c_has_bytes(writer, index) ? DTYPE_LOGICAL : (enum dtype)buffer->value->dtype;

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
        text_add(to, "(%s *)(void *)(arena + %zu)", c_type_at(writer, step, index)->name,
                 c_place(writer, index));
        return;
    }
    size_t at = (buffer->offset - writer->plan->buffers[root].offset) /
                (c_has_bytes(writer, index) ? 1 : dtype_size(dtype));
    text_add(to, "%s", writer->address[root]);
    if (at > 0)
        text_add(to, " + %zu", at);
}
