/* places.c - places of names and their symbols, as clients see them (places.h) */
#include "parser/place.h"

#include "api/api_priv.h"
#include "base/hash.h"
#include "file/store.h"

#include <assert.h>
#include <string.h>

/* Kinds of names have the same numbers on both sides of the interface. */
static_assert((int)NAME_GRAPH == (int)NNEFC_SYMBOL_GRAPH, "kinds are cast");
static_assert((int)NAME_LABEL == (int)NNEFC_SYMBOL_LABEL, "kinds are cast");

static struct name_places find_places(const struct nnefc_model *model, struct arena *arena)
{
    if (!model->document || !model->origin[NNEFC_PART_DOCUMENT].at.begin)
        return (struct name_places){.count = 0};
    return places_find(model->document, model->context->sources, arena);
}

/* Tensors and loop variables belong to a scope, other names to all of the document. */
static bool is_scoped(const struct name_place *place)
{
    return place->kind == NAME_TENSOR || place->kind == NAME_LOOP;
}

static bool same_symbol(const struct name_place *a, const struct name_place *b)
{
    return a->kind == b->kind && a->loop == b->loop && strcmp(a->name, b->name) == 0 &&
           (!is_scoped(a) || a->scope == b->scope);
}

static uint64_t hash_symbol(const struct name_place *place)
{
    uint64_t hash = hash_bytes((uint64_t)place->kind, place->name, strlen(place->name));

    hash = hash_mix(hash, (uint64_t)place->loop);
    return hash_mix(hash, is_scoped(place) ? (uint64_t)(uintptr_t)place->scope : 0);
}

/* The symbols in the order of their first places; of each place the number of its symbol. */
struct symbol_table {
    int *symbol;                     /* by place */
    const struct name_place **first; /* by symbol */
    int *declaration;                /* by symbol: a place; -1: none */
    int count;
};

static struct symbol_table make_symbols(const struct name_places *places, struct arena *arena)
{
    size_t room = 16;

    while (room / 2 < (size_t)places->count)
        room *= 2;
    int *slot = arena_array_of(arena, int, room); /* number of a symbol, from 1 */
    struct symbol_table table = {
        .symbol = arena_array_of(arena, int, places->count),
        .first = arena_array_of(arena, const struct name_place *, places->count),
        .declaration = arena_array_of(arena, int, places->count)};
    for (int i = 0; i < places->count; i++) {
        const struct name_place *place = &places->at[i];
        size_t at = (size_t)(hash_symbol(place) >> 16) & (room - 1);
        while (slot[at] && !same_symbol(table.first[slot[at] - 1], place))
            at = (at + 1) & (room - 1);
        if (!slot[at]) {
            table.first[table.count] = place;
            table.declaration[table.count] = -1;
            slot[at] = ++table.count;
        }
        int symbol = slot[at] - 1;
        table.symbol[i] = symbol;
        if (table.declaration[symbol] < 0 && (place->declares || place->assigns))
            table.declaration[symbol] = i;
    }
    return table;
}

void list_places(const struct nnefc_model *model, struct list *list)
{
    struct name_places places = find_places(model, list->arena);
    const struct symbol_table table = make_symbols(&places, list->arena);
    uint32_t base = model->origin[NNEFC_PART_DOCUMENT].at.begin;

    for (int i = 0; i < places.count; i++) {
        const struct name_place *place = &places.at[i];
        LIST_ADD(list, (struct nnefc_place){.begin = place->span.begin - base,
                                            .end = place->span.end - base,
                                            .reach = place->reach - base,
                                            .symbol = table.symbol[i],
                                            .declares = place->declares,
                                            .result = place->result,
                                            .assigns = place->assigns});
    }
}

void list_symbols(const struct nnefc_model *model, struct list *list)
{
    struct name_places places = find_places(model, list->arena);
    const struct symbol_table table = make_symbols(&places, list->arena);

    for (int i = 0; i < table.count; i++)
        LIST_ADD(list, (struct nnefc_symbol){
                           .name = table.first[i]->name,
                           .kind = (enum nnefc_symbol_kind)table.first[i]->kind,
                           .scope = is_scoped(table.first[i]) ? table.first[i]->scope : NULL,
                           .declaration = table.declaration[i]});
}

int nnefc_model_place_at(const struct nnefc_model *model, size_t offset)
{
    const struct nnefc_place_list *places = nnefc_model_places(model);
    int low = 0, high = places->count; /* the first that begins behind it is sought */

    while (low < high) {
        int middle = (low + high) / 2;
        if (places->at[middle]->begin <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && offset <= places->at[low - 1]->end ? low - 1 : -1;
}

/* --- labels that are renamed ------------------------------------------------------------------ */

bool api_model_set_stored_label(struct nnefc_model *model, const char *label, const char *stored)
{
    if (!label || !stored)
        return misuse(model, "a label needs the one that its data are stored by");
    struct label_alias *alias = arena_new_of(model->context->arena, struct label_alias);
    *alias =
        (struct label_alias){keep_text(model, label), keep_text(model, stored), model->aliases};
    model->aliases = alias;
    return true;
}
