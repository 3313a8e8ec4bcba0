/*
 * manual.c - what the manual page says of commands and options, from their tables
 *
 * In mdoc(7), for tools/manual.awk: the synopsis, then a section for each command and for each
 * group of options that commands share.  A comment `detail NAME` stands where the frame of the
 * page, man/nnefc.1.in, may have more to say of a command, group or option.
 */
#include "driver/command.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum { MOST_TITLES = 16 };

/* Help begins in lower case and has no final stop. */
static void print_sentence(const char *text)
{
    assert(*text && *text != '.' && *text != '\'');
    printf("%c%s.\n", toupper((unsigned char)*text), text + 1);
}

/* .It Fl c , Fl Fl color Ns = Ns Cm auto | always | never */
static void print_item(const struct option *option)
{
    const char *argument = option->argument;

    assert(strncmp(option->name, "--", 2) == 0);
    bool optional = option_value_optional(option);
    bool words = argument && !argument[strspn(argument, "abcdefghijklmnopqrstuvwxyz0123456789.|")];

    printf(".It ");
    if (option->alias)
        printf("Fl %s , ", option->alias + 1);
    printf("Fl Fl %s", option->name + 2);
    if (!argument) {
        putchar('\n');
        return;
    }
    printf(" Ns %s Ns %s ", optional ? "Op =" : "=", words ? "Cm" : "Ar");
    for (argument += optional; *argument && *argument != (optional ? ']' : '\n'); argument++)
        if (words && *argument == '|')
            printf(" | ");
        else
            putchar(*argument);
    putchar('\n');
}

/* The comment says where the frame may add to an option. */
static void print_options(const struct option *options, const char *scope)
{
    for (const struct option *o = options; o->name; o++) {
        print_item(o);
        print_sentence(o->help);
        printf(".\\\" detail %s %s\n", scope, o->name);
    }
}

/* Options are too many to be listed here. */
static void print_synopsis(const struct verb *verb)
{
    printf(".Nm\n.Cm %s\n", verb->name);
    if (verb->usage)
        printf(".Ar %s\n", verb->usage);
    puts(".Op Ar option ...");
}

/* The options of the command itself, and where the others are. */
static void print_verb(const struct verb *verb)
{
    const char *title = NULL;
    bool own = false;

    printf(".Ss nnefc %s\n", verb->name);
    print_sentence(verb->purpose);
    printf(".\\\" detail %s\n.Bd -literal -offset indent\n", verb->name);
    for (const char *line = verb->examples; *line; line += strcspn(line, "\n") + 1)
        printf("%.*s\n", (int)strcspn(line, "\n") - 2, line + 2);
    puts(".Ed");
    for (const struct option_group *g = verb->groups; g->options; g++) {
        if (!g->title && !own)
            puts(".Bl -tag -width Ds");
        own |= !g->title;
        if (!g->title)
            print_options(g->options, verb->name);
    }
    if (own)
        puts(".El");
    for (const struct option_group *g = verb->groups; g->options; g++) {
        if (g->title && (!title || strcmp(title, g->title) != 0))
            printf("%s\n.Sx %s", title ? " ," : ".Pp\nFor further options see", g->title);
        title = g->title ? g->title : title;
    }
    puts(title ? " ." : "");
}

/* The tables of one title, each once. */
static void print_group(const char *title)
{
    const struct option *printed[MOST_TITLES] = {NULL};
    int count = 0;

    printf(".Ss %s\n.\\\" detail %s\n.Bl -tag -width Ds\n", title, title);
    for (const struct verb *const *v = verbs; *v; v++)
        for (const struct option_group *g = (*v)->groups; g->options; g++) {
            bool known = !g->title || strcmp(g->title, title) != 0;
            for (int i = 0; i < count; i++)
                known |= printed[i] == g->options;
            if (known)
                continue;
            assert(count < MOST_TITLES);
            printed[count++] = g->options;
            print_options(g->options, title);
        }
    puts(".El");
}

/* Titles in the order in which commands use them. */
static void print_groups(void)
{
    const char *titles[MOST_TITLES] = {NULL};
    int count = 0;

    for (const struct verb *const *v = verbs; *v; v++)
        for (const struct option_group *g = (*v)->groups; g->options; g++) {
            bool known = !g->title;
            for (int i = 0; i < count && !known; i++)
                known = strcmp(titles[i], g->title) == 0;
            assert(known || count < MOST_TITLES);
            if (!known)
                titles[count++] = g->title;
        }
    for (int i = 0; i < count; i++)
        print_group(titles[i]);
}

void help_print_manual(void)
{
    puts(".\\\" synopsis");
    for (const struct verb *const *v = verbs; *v; v++)
        print_synopsis(*v);
    puts(".\\\" commands");
    for (const struct verb *const *v = verbs; *v; v++)
        print_verb(*v);
    print_groups();
}
