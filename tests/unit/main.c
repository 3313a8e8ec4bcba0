/*
 * main.c - runs the tests of one room: the main() of each file, which is compiled under the file's
 * name
 *
 * UNIT_FILES is a list of TEST(name) that the Makefile writes.  Arguments name the files to run;
 * without any all of them run.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TEST(name) int name(void);
#include UNIT_FILES
#undef TEST

static const struct {
    const char *name;
    int (*run)(void);
} files[] = {
#define TEST(name) {#name, name},
#include UNIT_FILES
#undef TEST
};

static bool is_wanted(const char *name, char **wanted)
{
    bool any = !*wanted;

    while (*wanted)
        any |= strcmp(*wanted++, name) == 0;
    return any;
}

int main(int argc, char **argv)
{
    int failed = 0, ran = 0;

    (void)argc;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (!is_wanted(files[i].name, argv + 1))
            continue;
        fprintf(stderr, "== %s\n", files[i].name);
        failed += files[i].run();
        ran++;
    }
    return failed > 0 || ran == 0;
}
