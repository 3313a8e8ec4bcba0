/* diff_ports.c - how the order of nodes, and inputs and outputs, of two models differ (diff.c) */
#include "api/diff_priv.h"

#include "base/arena.h"

#include <string.h>

/* --- order ----------------------------------------------------------------------------------- */

/* What is put in order, in each model. */
struct diff_order {
    enum nnefc_changed what;
    const struct value **value[2]; /* NULL: a node without results */
    int count[2];
    int *mate; /* by index in B: that in A; -1: none */
};

/* The longest increasing sequence of pairs keeps its order; the others have moved.  *moved is set
 * for these, by index in B.  `last` has the end of the best sequence of each length, for a binary
 * search. */
static void find_moved(const struct diff_order *order, struct arena *arena, bool *moved)
{
    int count = order->count[1], length = 0;
    int *last = arena_array_of(arena, int, count + 1),
        *before = arena_array_of(arena, int, count + 1);

    for (int i = 0; i < count; i++) {
        int low = 0, high = length;
        moved[i] = order->mate[i] >= 0;
        while (moved[i] && low < high) {
            int middle = (low + high) / 2;
            if (order->mate[last[middle]] < order->mate[i])
                low = middle + 1;
            else
                high = middle;
        }
        if (!moved[i])
            continue;
        before[i] = low > 0 ? last[low - 1] : -1;
        last[low] = i;
        length += low == length;
    }
    for (int i = length > 0 ? last[length - 1] : -1; i >= 0; i = before[i])
        moved[i] = false;
}

static const char *name_before(struct diff_work *work, const struct diff_order *order, int which,
                               int index)
{
    return index > 0 ? diff_keep_name(work, order->value[which][index - 1]) : NULL;
}

static void compare_order(struct diff_work *work, const struct diff_order *order)
{
    struct arena *arena = work->pairs.arena;
    bool *moved = arena_array_of(arena, bool, order->count[1] + 1);

    if (diff_ignores(work, NNEFC_IGNORE_ORDER))
        return;
    find_moved(order, arena, moved);
    for (int i = 0; i < order->count[1]; i++) {
        int mate = order->mate[i];
        if (!moved[i] || !order->value[1][i])
            continue;
        struct nnefc_change *change =
            diff_change_values(work, NNEFC_CHANGE_ORDER, order->value[0][mate], order->value[1][i]);
        change->what = order->what;
        change->from = name_before(work, order, 0, mate);
        change->to = name_before(work, order, 1, i);
    }
}

void diff_order_of_nodes(struct diff_work *work)
{
    struct diff_order order = {.what = NNEFC_CHANGED_OPERATION, .mate = work->pairs.side[1].mate};

    for (int which = 0; which < 2; which++) {
        const struct diff_side *side = &work->pairs.side[which];
        order.count[which] = side->count;
        order.value[which] = arena_array_of(work->pairs.arena, const struct value *, side->count);
        for (int i = 0; i < side->count; i++)
            order.value[which][i] = side->node[i]->nout > 0 ? &side->node[i]->out[0] : NULL;
    }
    compare_order(work, &order);
}

/* --- inputs and outputs ---------------------------------------------------------------------- */

/* Ports of both models, and which of them are the same. */
struct diff_ports {
    struct diff_work *work;
    const struct port *port[2];
    struct diff_order order;
    bool *paired; /* by index in A */
};

static void begin_ports(struct diff_ports *ports, struct diff_work *work, bool outputs)
{
    struct arena *arena = work->pairs.arena;

    *ports = (struct diff_ports){.work = work};
    ports->order.what = outputs ? NNEFC_CHANGED_OUTPUT : NNEFC_CHANGED_INPUT;
    for (int which = 0; which < 2; which++) {
        const struct graph *graph = work->pairs.side[which].graph;
        int count = outputs ? graph->noutput : graph->ninput;
        ports->port[which] = outputs ? graph->outputs : graph->inputs;
        ports->order.count[which] = count;
        ports->order.value[which] = arena_array_of(arena, const struct value *, count);
        for (int i = 0; i < count; i++)
            ports->order.value[which][i] = ports->port[which][i].value;
    }
    ports->order.mate = arena_array_of(arena, int, ports->order.count[1]);
    for (int i = 0; i < ports->order.count[1]; i++)
        ports->order.mate[i] = -1;
    ports->paired = arena_array_of(arena, bool, ports->order.count[0]);
}

static void pair_ports(void *data, int a, int b)
{
    struct diff_ports *ports = data;

    ports->order.mate[b] = a;
    ports->paired[a] = true;
}

/* Pair ports of the same value first, then those of the same name, then those that differ only by
 * inserted or removed operations. */
static void match_ports(struct diff_ports *ports, bool by_name)
{
    struct diff_pairs *pairs = &ports->work->pairs;
    struct diff_key *keys[2];
    int counts[2] = {0};

    for (int which = 0; which < 2; which++) {
        keys[which] = arena_array_of(pairs->arena, struct diff_key, ports->order.count[which]);
        for (int i = 0; i < ports->order.count[which]; i++) {
            const struct value *value = ports->order.value[which][i];
            const struct value *first = which ? diff_twin(pairs, 1, value) : value;
            bool single = which ? ports->order.mate[i] < 0 : !ports->paired[i];
            uint64_t key = by_name ? digest_text(1, ports->port[which][i].name)
                           : first ? (uint64_t)first->id + 1
                                   : 0;
            if (single)
                keys[which][counts[which]++] = (struct diff_key){key, i};
        }
    }
    diff_match(keys, counts, pair_ports, ports);
}

static void match_ports_behind(struct diff_ports *ports)
{
    int a = 0;

    for (int b = 0; b < ports->order.count[1]; b++) {
        if (ports->order.mate[b] >= 0)
            continue;
        while (a < ports->order.count[0] && ports->paired[a])
            a++;
        if (a < ports->order.count[0] &&
            diff_explained(ports->work, ports->order.value[0][a], ports->order.value[1][b]))
            pair_ports(ports, a, b);
    }
}

/* An output has the name of its value, unless the format lets them differ. */
static void compare_port(struct diff_ports *ports, int a, int b)
{
    struct diff_work *work = ports->work;
    const struct port *x = &ports->port[0][a], *y = &ports->port[1][b];
    bool same = diff_twin(&work->pairs, 1, y->value) == x->value;
    bool told = same && x->value->name && y->value->name &&
                strcmp(x->value->name, y->value->name) != 0; /* reported for the value */
    struct nnefc_change *change = NULL;

    if (!told && strcmp(x->name, y->name) != 0 && !diff_ignores(work, NNEFC_IGNORE_NAMES)) {
        change = diff_change_values(work, NNEFC_CHANGE_RENAMED, x->value, y->value);
        change->from = diff_keep(work, x->name);
        change->to = diff_keep(work, y->name);
    } else if (!diff_explained(work, x->value, y->value)) {
        change = diff_change_values(work, NNEFC_CHANGE_OPERAND, x->value, y->value);
        change->operand = 1;
        change->from = change->name[0];
        change->to = change->name[1];
    }
    if (!change)
        return;
    change->what = ports->order.what;
    change->name[0] = diff_keep(work, x->name);
    change->name[1] = diff_keep(work, y->name);
}

void diff_outputs(struct diff_work *work)
{
    struct diff_ports ports;

    begin_ports(&ports, work, true);
    match_ports(&ports, false);
    match_ports(&ports, true);
    match_ports_behind(&ports);
    for (int i = 0; i < ports.order.count[0]; i++)
        if (!ports.paired[i])
            diff_change_values(work, NNEFC_CHANGE_REMOVED, ports.order.value[0][i], NULL)->what =
                NNEFC_CHANGED_OUTPUT;
    for (int i = 0; i < ports.order.count[1]; i++) {
        if (ports.order.mate[i] >= 0)
            compare_port(&ports, ports.order.mate[i], i);
        else
            diff_change_values(work, NNEFC_CHANGE_INSERTED, NULL, ports.order.value[1][i])->what =
                NNEFC_CHANGED_OUTPUT;
    }
    compare_order(work, &ports.order);
}

void diff_inputs(struct diff_work *work)
{
    struct diff_ports ports;

    begin_ports(&ports, work, false);
    match_ports(&ports, false);
    compare_order(work, &ports.order);
}
