/* test_type.c - types and implicit casts (NNEF 1.0.5, section 3.3.1) */
#include "sema_fixture.h"

#include "base/arena.h"

/* A type by letters: i s l t(string) ? e(empty array) Ti T? T(unbound) X[] (XX) !(poison) */
static const struct type *parse(struct types *types, const char **at);
static const struct type *parse_item(struct types *types, const char **at);

static const struct type *parse_tuple(struct types *types, const char **at)
{
    const struct type *items[4];
    int count = 0;

    while (**at != ')')
        items[count++] = parse(types, at);
    ++*at;
    return type_tuple(types, items, count);
}

static const struct type *parse_tensor(struct types *types, const char **at)
{
    if (!**at || strchr("[)T(", **at))
        return type_tensor(NULL);
    return type_tensor(parse_item(types, at));
}

static const struct type *parse_item(struct types *types, const char **at)
{
    static const char letters[] = "!islt?";
    char letter = *(*at)++;

    if (letter == 'T')
        return parse_tensor(types, at);
    if (letter == '(')
        return parse_tuple(types, at);
    if (letter == 'e')
        return type_primitive(TYPE_EMPTY_ARRAY);
    return type_primitive((enum type_kind)(strchr(letters, letter) - letters));
}

static const struct type *parse(struct types *types, const char **at)
{
    const struct type *type = parse_item(types, at);

    for (; strncmp(*at, "[]", 2) == 0; *at += 2)
        type = type_array(types, type);
    return type;
}

static const struct type *type_from(struct types *types, const char *letters)
{
    return parse(types, &letters);
}

static void equal_types_are_one_pointer(void **state)
{
    struct fixture *f = *state;
    struct types *types = types_new(f->context->arena);
    const struct type *array = type_from(types, "(is)[]");

    for (int i = 0; i < 200; i++) {
        const struct type *items[] = {type_primitive(TYPE_INTEGER), array};
        array = type_tuple(types, items, 2);
        assert_ptr_equal(array, type_tuple(types, items, 2));
    }
    assert_ptr_equal(type_from(types, "(is)[]"), type_from(types, "(is)[]"));
    assert_ptr_equal(type_from(types, "Ts"), type_tensor(type_primitive(TYPE_SCALAR)));
    assert_ptr_not_equal(type_from(types, "i[]"), type_from(types, "s[]"));
}

struct cast {
    const char *from, *to;
    bool allowed;
};

static const struct cast casts[] = {
    {"i", "i", true},        {"i", "s", false},        {"s", "i", false},
    {"i", "l", false},       {"l", "i", false},        {"i", "t", false},
    {"t", "i", false},       {"i", "Ti", true},        {"i", "Ts", false},
    {"s", "Ts", true},       {"l", "Tl", true},        {"t", "Tt", true},
    {"s", "T", true},        {"Ts", "Ti", false},      {"Ts", "T", true},
    {"T", "Ts", false},      {"Ts", "s", false},       {"Tl", "l", false},
    {"s[]", "Ts", false},    {"i[]", "i[]", true},     {"s[]", "Ts[]", true},
    {"i[]", "s[]", false},   {"i[]", "i", false},      {"e", "i[]", true},
    {"e", "(ii)[]", true},   {"e", "i[][]", true},     {"i[]", "e", false},
    {"e", "i", false},       {"e[]", "i[][]", true},   {"(ii)", "(ii)", true},
    {"(ii)", "(is)", false}, {"(iii)", "(ii)", false}, {"(ss)", "(TsTs)", true},
    {"(ii)", "i[]", false},  {"i[]", "(ii)[]", false}, {"?", "?", true},
    {"?", "s", false},       {"s", "?", false},        {"T?", "T?", true},
    {"?", "T?", true},       {"T?", "Ts", false},      {"Ts", "T?", false},
    {"T?", "T", true},       {"!", "Ts", true},        {"i[]", "!", true},
    {"T!", "Ts", true},      {"Ti", "T!", true},       {"T!", "s", false},
};

static void casts_are_those_of_the_standard(void **state)
{
    struct fixture *f = *state;
    struct types *types = types_new(f->context->arena);

    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++) {
        const struct type *from = type_from(types, casts[i].from);
        const struct type *to = type_from(types, casts[i].to);
        if (type_castable(from, to) != casts[i].allowed)
            fail_msg("%s to %s: %s", casts[i].from, casts[i].to,
                     casts[i].allowed ? "not allowed" : "allowed");
    }
}

static void common_type_is_the_one_the_other_is_castable_to(void **state)
{
    struct fixture *f = *state;
    struct types *types = types_new(f->context->arena);

    assert_ptr_equal(type_common(type_from(types, "s"), type_from(types, "Ts")),
                     type_from(types, "Ts"));
    assert_ptr_equal(type_common(type_from(types, "i[]"), type_from(types, "e")),
                     type_from(types, "i[]"));
    assert_null(type_common(type_from(types, "i"), type_from(types, "s")));
    assert_null(type_common(type_from(types, "(sTs)"), type_from(types, "(Tss)")));
}

static void substitution_replaces_the_generic_type_everywhere(void **state)
{
    struct fixture *f = *state;
    struct types *types = types_new(f->context->arena);
    const struct type *integer = type_primitive(TYPE_INTEGER);

    assert_ptr_equal(type_substitute(types, type_from(types, "(T?[]?s)"), integer),
                     type_from(types, "(Ti[]is)"));
    assert_ptr_equal(type_substitute(types, type_from(types, "Ts[]"), integer),
                     type_from(types, "Ts[]"));
}

static void text_is_that_of_the_dialect(void **state)
{
    struct fixture *f = *state;
    struct arena *arena = f->context->arena;
    struct types *types = types_new(arena);
    const struct type *type = type_from(types, "(iTsT(Tl[]?[]))[]");

    assert_string_equal(type_text(type, DIALECT_1_0, arena),
                        "(integer,tensor<scalar>,tensor<>,(tensor<logical>[],?[]))[]");
    assert_string_equal(type_text(type_from(types, "(iTsTiT!)"), DIALECT_PROVISIONAL, arena),
                        "(extent,tensor,tensor<extent>,tensor)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_types_are_one_pointer, begin, end),
        cmocka_unit_test_setup_teardown(casts_are_those_of_the_standard, begin, end),
        cmocka_unit_test_setup_teardown(common_type_is_the_one_the_other_is_castable_to, begin,
                                        end),
        cmocka_unit_test_setup_teardown(substitution_replaces_the_generic_type_everywhere, begin,
                                        end),
        cmocka_unit_test_setup_teardown(text_is_that_of_the_dialect, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
