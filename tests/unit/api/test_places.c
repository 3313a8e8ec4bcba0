/* test_places.c - what stands where in a document: places of names, and what they refer to */
#include "nnefc/nnefc.h"

#include <string.h>

#include "support/api_model.h"
#include "support/t.h"

static const char text[] = "version 1.0;\n"
                           "extension KHR_enable_fragment_definitions;\n"
                           "fragment f(x: tensor<scalar>) -> (y: tensor<scalar>)\n"
                           "{\n"
                           "    y = concat([for i in [x] yield i], axis = 0);\n"
                           "}\n"
                           "graph g(x) -> (y)\n"
                           "{\n"
                           "    x = external<scalar>(shape = [2]); # x\n"
                           "    w = variable<scalar>(shape = [2], label = 'x');\n"
                           "    y = f( ( # x\n"
                           "        x) );\n"
                           "}\n";

static void load(struct nnefc_model *model)
{
    (void)nnefc_model_load_text(model, "g.nnef", text, sizeof text - 1);
}

/* The symbol of a name; fails if there is none. */
static int symbol_of(const struct nnefc_model *model, enum nnefc_symbol_kind kind, const char *name,
                     const char *scope)
{
    const struct nnefc_symbol_list *symbols = nnefc_model_symbols(model);

    for (int i = 0; i < symbols->count; i++) {
        const struct nnefc_symbol *s = symbols->at[i];
        bool same = scope ? s->scope && strcmp(s->scope, scope) == 0 : !s->scope;
        if (s->kind == kind && strcmp(s->name, name) == 0 && same)
            return i;
    }
    fail_msg("no symbol '%s'", name);
    return -1;
}

static int places_of(const struct nnefc_model *model, int symbol)
{
    const struct nnefc_place_list *places = nnefc_model_places(model);
    int count = 0;

    for (int i = 0; i < places->count; i++)
        count += places->at[i]->symbol == symbol;
    return count;
}

static void places_have_the_names_of_their_symbols(void **state)
{
    struct nnefc_model *model = *state;

    load(model);
    const struct nnefc_place_list *places = nnefc_model_places(model);
    assert_true(places->count > 0);
    for (int i = 0; i < places->count; i++) {
        const struct nnefc_place *place = places->at[i];
        const struct nnefc_symbol *symbol = nnefc_model_symbols(model)->at[place->symbol];
        bool quoted = symbol->kind == NNEFC_SYMBOL_LABEL;
        size_t size = strlen(symbol->name);
        assert_int_equal(place->end - place->begin, size + (quoted ? 2 : 0));
        assert_memory_equal(text + place->begin + quoted, symbol->name, size);
        assert_true(place->reach >= place->end && place->reach < sizeof text);
        assert_true(i == 0 || places->at[i - 1]->end <= place->begin);
    }
}

static void names_belong_to_their_scopes(void **state)
{
    struct nnefc_model *model = *state;

    load(model);
    assert_int_equal(places_of(model, symbol_of(model, NNEFC_SYMBOL_TENSOR, "x", NULL)), 3);
    assert_int_equal(places_of(model, symbol_of(model, NNEFC_SYMBOL_TENSOR, "x", "f")), 2);
    assert_int_equal(places_of(model, symbol_of(model, NNEFC_SYMBOL_LOOP, "i", "f")), 2);
    assert_int_equal(places_of(model, symbol_of(model, NNEFC_SYMBOL_FRAGMENT, "f", NULL)), 2);
    assert_int_equal(places_of(model, symbol_of(model, NNEFC_SYMBOL_LABEL, "x", NULL)), 1);
    assert_int_equal(places_of(model, symbol_of(model, NNEFC_SYMBOL_ARGUMENT, "shape", NULL)), 2);
}

static void places_reach_over_statements_and_invocations(void **state)
{
    struct nnefc_model *model = *state;
    const char *statement = strstr(text, "y = f(");

    assert_non_null(statement);
    load(model);
    int target = nnefc_model_place_at(model, (size_t)(statement - text));
    const struct nnefc_place *place = nnefc_model_places(model)->at[target];
    assert_true(place->assigns && !place->declares);
    assert_int_equal(text[place->reach], ';');
    assert_int_equal(nnefc_model_places(model)->at[target + 1]->reach, place->reach);
    const struct nnefc_symbol *symbol = nnefc_model_symbols(model)->at[place->symbol];
    assert_true(nnefc_model_places(model)->at[symbol->declaration]->result);
    assert_int_equal(nnefc_model_place_at(model, 0), -1);
}

static void places_are_there_after_errors(void **state)
{
    static const char broken[] = "version 1.0; graph g(x) -> (y) { x = external(shape = [2]);"
                                 " q = nothing(x); y = relu(z); }";
    struct nnefc_model *model = *state;

    assert_int_equal(nnefc_model_places(model)->count, 0);
    assert_int_equal(nnefc_model_load_text(model, "g", broken, sizeof broken - 1), NNEFC_INVALID);
    assert_int_equal(places_of(model, symbol_of(model, NNEFC_SYMBOL_TENSOR, "x", NULL)), 3);
    int undeclared = symbol_of(model, NNEFC_SYMBOL_TENSOR, "z", NULL);
    assert_int_equal(nnefc_model_symbols(model)->at[undeclared]->declaration, -1);
}

#define TEST(function) \
    cmocka_unit_test_setup_teardown(function, api_model_setup, api_model_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(places_have_the_names_of_their_symbols),
        TEST(names_belong_to_their_scopes),
        TEST(places_reach_over_statements_and_invocations),
        TEST(places_are_there_after_errors),
    };
    return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
