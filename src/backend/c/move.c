/* move.c - steps that compute nothing, as loops over the boxes that the portable backend moves */
#include "backend/c/c.h"

#include "backend/c/nest.h"
#include "backend/portable/moves.h"
#include "backend/portable/portable.h"
#include "exec/planner.h"

#include <inttypes.h>

enum { FROM, TO };

static void print_move(struct c_writer *writer, const struct move *move, size_t size, int in,
                       int out)
{
    struct nest nest = {.letter = "i", .nview = 2, .at = {move->from_at, move->to_at}};
    struct text line = {0};

    for (int i = 0; i < move->rank; i++)
        nest_add(&nest, move->extent[i], (const int64_t[]){move->from[i], move->to[i]});
    if (nest.rank == 0 ||
        (nest.rank == 1 && nest.stride[FROM][0] == 1 && nest.stride[TO][0] == 1)) {
        text_add(&line, "memcpy(out%d + %" PRId64 ", in%d + %" PRId64 ", %" PRId64 ");\n", out,
                 nest.at[TO], in, nest.at[FROM],
                 (nest.rank > 0 ? nest.extent[0] : 1) * (int64_t)size);
        c_code_v(writer, line.data, line.size);
        text_free(&line);
        return;
    }
    nest_open(writer, &nest);
    text_add(&line, "out%d[", out);
    nest_index(&line, &nest, TO);
    text_add(&line, "] = in%d[", in);
    nest_index(&line, &nest, FROM);
    text_add(&line, "];\n");
    c_code_v(writer, line.data, line.size);
    nest_close(writer, &nest);
    text_free(&line);
}

static void print_moves(struct c_writer *writer, const struct step *step)
{
    const struct moves *moves = step->state;
    struct text number = {0};

    if (moves->fills) {
        c_number(&number, (double)moves->value);
        c_code(writer, "for (int i = 0; i < %" PRId64 "; i++)\n    out0[i] = %s;\n", moves->items,
               number.data);
    }
    for (int i = 0; i < moves->count; i++) {
        const struct transfer *t = &moves->transfer[i];
        bool none = false;
        for (int k = 0; k < t->move.rank; k++)
            none |= t->move.extent[k] == 0;
        if (!none)
            print_move(writer, &t->move, moves->size, t->in, t->out);
    }
    text_free(&number);
}

/* Bytes become integers of 64 bits, or these bytes, where their items have different sizes. */
void c_print_reordering(struct c_writer *writer, const struct step *step)
{
    const struct reordering *r = step->state;
    int64_t count = c_converts(writer, step);

    if (count > 0) {
        c_code(writer, "for (int i = 0; i < %" PRId64 "; i++)\n    out0[i] = in0[i];\n", count);
        return;
    }

    print_move(writer, &r->move, r->size, 0, 0);
}

static const struct c_kernel move = C_KERNEL("move", print_moves);

unsigned c_move_match(const struct planner *planner, const struct group *group, void *match)
{
    return portable_move_match(planner, group, match);
}

bool c_move_make(struct planner *planner, const struct group *group, struct step *step)
{
    bool ok = portable_move_make(planner, group, step);

    if (step->kernel)
        step->kernel = &move.kernel;
    return ok;
}
