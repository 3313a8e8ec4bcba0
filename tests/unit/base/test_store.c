/* test_store.c - arena, names, map and sources: what everything else is kept in */
#include "base/arena.h"
#include "base/intern.h"
#include "base/map.h"
#include "diag/source.h"

#include <stdio.h>
#include <string.h>

#include "support/t.h"

static void arena_memory_is_zeroed_aligned_and_apart(void **state)
{
    struct arena *arena = arena_new();
    unsigned char *last = NULL;

    (void)state;
    for (size_t size = 1; size < 5000; size += 7) {
        unsigned char *p = arena_alloc(arena, size);
        assert_int_equal((uintptr_t)p % _Alignof(int64_t), 0);
        assert_true(p[0] == 0 && p[size - 1] == 0);
        memset(p, 0xAA, size);
        assert_true(!last || last[0] == 0xAA);
        last = p;
    }
    assert_true(arena_used(arena) > 1000000);
    assert_string_equal(arena_strndup(arena, "graph g", 5), "graph");
    arena_free(arena);
    arena_free(NULL);
}

static void equal_names_are_equal_pointers(void **state)
{
    struct arena *arena = arena_new();
    struct intern *names = intern_new(arena);
    const char *first[2000];
    char name[16];

    (void)state;
    for (int i = 0; i < 2000; i++)
        first[i] = intern(names, name, (size_t)snprintf(name, sizeof name, "v%d", i));
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "v%dx", i);
        assert_ptr_equal(intern(names, name, strlen(name) - 1), first[i]);
        assert_int_equal(strlen(first[i]), strlen(name) - 1);
    }
    assert_ptr_not_equal(intern(names, "", 0), first[0]);
    intern_free(names);
    arena_free(arena);
}

static void a_map_finds_what_was_set_last(void **state)
{
    static char key[1000];
    struct map map = {0};

    (void)state;
    assert_null(map_get(&map, &key[0]));
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof key; i++)
            map_set(&map, &key[i], &key[(i + (size_t)round) % sizeof key]);
    assert_int_equal(map.count, sizeof key);
    for (size_t i = 0; i < sizeof key; i++)
        assert_ptr_equal(map_get(&map, &key[i]), &key[(i + 1) % sizeof key]);
    assert_null(map_get(&map, &map));
    map_free(&map);
}

static void expect_place(const struct sources *s, uint32_t offset, int line, int column)
{
    struct location where;

    assert_true(sources_locate(s, offset, &where));
    assert_int_equal(where.line, line);
    assert_int_equal(where.column, column);
}

static void every_kind_of_line_end_counts_once(void **state)
{
    static const char text[] = "a\nb\r\nc\rd";
    struct sources *s = sources_new();
    uint32_t base = sources_add(s, "t", text, sizeof text - 1);

    (void)state;
    expect_place(s, base, 1, 1);
    expect_place(s, base + 1, 1, 2);
    expect_place(s, base + 2, 2, 1);
    expect_place(s, base + 5, 3, 1);
    expect_place(s, base + 7, 4, 1);
    expect_place(s, base + 8, 4, 2);
    sources_free(s);
}

static void texts_lie_side_by_side(void **state)
{
    struct sources *s = sources_new();
    uint32_t a = sources_add(s, "a", "one", 3), b = sources_add(s, "b", "", 0);
    struct location where;
    size_t size;

    (void)state;
    assert_true(a > 0 && b > a + 3);
    assert_true(sources_locate(s, b, &where));
    assert_string_equal(where.file, "b");
    assert_true(sources_locate(s, a + 3, &where));
    assert_string_equal(where.file, "a");
    assert_memory_equal(sources_text(s, (struct span){a + 1, a + 3}, &size), "ne", 2);
    assert_int_equal(size, 2);
    assert_false(sources_locate(s, 0, &where));
    assert_false(sources_locate(s, b + 1, &where));
    sources_text(s, (struct span){0, 0}, &size);
    assert_int_equal(size, 0);
    sources_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(equal_names_are_equal_pointers),
        cmocka_unit_test(a_map_finds_what_was_set_last),
        cmocka_unit_test(every_kind_of_line_end_counts_once),
        cmocka_unit_test(texts_lie_side_by_side),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
