/* help.c - help, printed from the table of commands */
#include "driver/verb.h"

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
    for (const struct verb *v = verbs; v->name; v++)
        fprintf(to, "%.*s", (int)strcspn(v->examples, "\n") + 1, v->examples);
    fputs("\nusage: nnefc COMMAND [MODEL] [OPTION]...\n\ncommands:\n", to);
    for (const struct verb *v = verbs; v->name; v++)
        fprintf(to, "  %-9s %s\n", v->name, v->purpose);
    fprintf(to, "\n%s", what_a_model_is);
    fputs("'nnefc help COMMAND' lists the options, 'nnefc help warnings' the warnings;\n"
          "'nnefc --version' says what this is.\n\n",
          to);
    fputs(exit_statuses, to);
}

static void print_option(const struct option *option, FILE *to)
{
    char left[COLUMN * 2];
    const char *argument = option->argument ? option->argument : "";
    int n = snprintf(left, sizeof left, "%s%s", option->alias ? option->alias : "",
                     option->alias ? ", " : "");

    if (option_value_optional(option))
        snprintf(left + n, sizeof left - (size_t)n, "%s[=%s", option->name, argument + 1);
    else
        snprintf(left + n, sizeof left - (size_t)n, "%s%s%s", option->name, *argument ? "=" : "",
                 argument);
    if (strlen(left) > COLUMN - 4)
        fprintf(to, "  %s\n  %-*s%s\n", left, COLUMN - 2, "", option->help);
    else
        fprintf(to, "  %-*s%s\n", COLUMN - 2, left, option->help);
}

void help_print_verb(const struct verb *verb, FILE *to)
{
    bool takes_model = verb->pair || (!verb->no_model && !verb->operand);

    fprintf(to, "nnefc %s - %s\n\nexamples:\n%s", verb->name, verb->purpose, verb->examples);
    fprintf(to, "\nusage: nnefc %s ", verb->name);
    if (!verb->no_model)
        fprintf(to, "%s%s ", verb->operand ? verb->operand : "MODEL", verb->many ? "..." : "");
    fprintf(to, "%s%s[OPTION]...\n\n", verb->target ? verb->target : "", verb->target ? " " : "");
    if (verb->pair)
        fputs(what_a_pair_is, to);
    fprintf(to, "%s%soptions:\n", takes_model ? what_a_model_is : "", takes_model ? "\n" : "");
    for (const struct option *const *group = verb->groups; *group; group++)
        for (const struct option *o = *group; o->name; o++)
            print_option(o, to);
    fprintf(to, "\n%s", exit_statuses);
}
