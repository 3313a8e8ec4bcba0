/*
 * help.c - help, printed from the tables of commands
 *
 * Examples come first: they answer most questions.
 */
#include "driver/command.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { COLUMN = 32 };

static const char exit_statuses[] =
    "exit status:\n"
    "  0 fine\n"
    "  1 the model has errors or exceeds a limit, or computing it fails\n"
    "  2 the command line is wrong, names and shapes in it included, or an input is missing\n"
    "  3 a file cannot be read or written, or holds the wrong thing\n"
    "  4 the model is valid, but not supported\n"
    "  5 what is compared differs\n"
    " 70 internal error\n";

static const char what_a_model_is[] =
    "MODEL is an NNEF text, a folder with graph.nnef in it, an archive of such a folder\n"
    "(tar, compressed or not, or zip), a model of ONNX, the .param of one of PNNX with its\n"
    ".bin beside it, a graph file of 'nnefc compile', or - (stdin).\n";

static const char what_a_pair_is[] =
    "A and B are models, or one is a folder, or .npz archive, of recorded results by name.\n";

void help_print(FILE *to)
{
    fputs("nnefc - check and run networks in the Khronos NNEF format\n\nexamples:\n", to);
    for (const struct verb *const *v = verbs; *v; v++)
        fprintf(to, "%.*s", (int)strcspn((*v)->examples, "\n") + 1, (*v)->examples);
    fputs("\nusage: nnefc COMMAND [MODEL] [OPTION]...\n\ncommands:\n", to);
    for (const struct verb *const *v = verbs; *v; v++)
        fprintf(to, "  %-9s %s\n", (*v)->name, (*v)->purpose);
    fprintf(to, "\n%s", what_a_model_is);
    fputs("'nnefc help COMMAND' lists the options, 'nnefc help warnings' the warnings;\n"
          "'nnefc --version' says what this is.\n\n",
          to);
    fputs(exit_statuses, to);
}

/* The option to the left, its help to the right, or below if it is long. */
static void print_option(const struct option *option)
{
    char left[COLUMN * 2];
    const char *argument = option->argument ? option->argument : "";
    bool optional = option_value_optional(option);

    assert(option->help && strncmp(option->name, "--", 2) == 0);

    snprintf(left, sizeof left, "%s%s%s%s%s", option->alias ? option->alias : "",
             option->alias ? ", " : "", option->name,
             optional    ? "[="
             : *argument ? "="
                         : "",
             argument + optional);
    if (strlen(left) > COLUMN - 4)
        printf("  %s\n  %-*s%s\n", left, COLUMN - 2, "", option->help);
    else
        printf("  %-*s%s\n", COLUMN - 2, left, option->help);
}

void help_print_verb(const struct verb *verb)
{
    bool takes_model = verb->operands != OPERANDS_NONE && verb->operands != OPERANDS_FREE;

    printf("nnefc %s - %s\n\nexamples:\n%s", verb->name, verb->purpose, verb->examples);
    printf("\nusage: nnefc %s %s%s[OPTION]...\n\n", verb->name, verb->usage ? verb->usage : "",
           verb->usage ? " " : "");
    if (verb->operands == OPERANDS_PAIR)
        fputs(what_a_pair_is, stdout);
    printf("%s%soptions:\n", takes_model ? what_a_model_is : "", takes_model ? "\n" : "");
    for (const struct option_group *group = verb->groups; group->options; group++)
        for (const struct option *o = group->options; o->name; o++)
            print_option(o);
    printf("\n%s", exit_statuses);
}
