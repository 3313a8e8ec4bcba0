/*
 * help.c - the help, and what the manual page says of commands and options, from their tables
 *
 * In the help, examples come first: they answer most questions.  The manual is mdoc(7) for
 * tools/manual.awk: the synopsis, then a section for each command and for each group of options
 * that commands share.  A comment `detail NAME` stands where the frame of the page,
 * man/nnefc.1.in, may have more text on a command, group or option.
 */
#include "driver/command.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum { COLUMN = 32, MOST_TITLES = 16 };

/* --- the help --------------------------------------------------------------------------------- */

static const char exit_statuses[] =
    "exit status:\n"
    "  0 fine\n"
    "  1 the model has errors or exceeds a limit, or computing it fails\n"
    "  2 the command line is wrong, names and shapes in it included, or an input is missing\n"
    "  3 a file cannot be read or written, or has the wrong contents\n"
    "  4 the model is valid, but not supported\n"
    "  5 what is compared differs\n"
    "  6 'reduce' was interrupted; the best so far is there\n"
    " 70 internal error\n";

static const char what_a_model_is[] =
    "MODEL is an NNEF text, a folder with graph.nnef in it, an archive of such a folder\n"
    "(tar, compressed or not, or zip), an ONNX model, the .param of a PNNX model with its\n"
    ".bin beside it, a graph file of 'nnefc compile', or - (stdin).\n";

static const char what_a_pair_is[] =
    "A and B are models.  'compare' also takes recorded results for one of them: a folder or an\n"
    ".npz archive.\n";

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
        for (const struct option *o = group->options; o->name; o++) {
            const char *argument = o->argument ? o->argument : "";
            bool optional = option_value_optional(o);
            char left[COLUMN * 2];
            assert(o->help && strncmp(o->name, "--", 2) == 0);
            snprintf(left, sizeof left, "%s%s%s%s%s", o->alias ? o->alias : "",
                     o->alias ? ", " : "", o->name,
                     optional    ? "[="
                     : *argument ? "="
                                 : "",
                     argument + optional);
            /* Its help stands to the right, or below if the option is long. */
            bool below = strlen(left) > COLUMN - 4;
            printf("  %-*s%s%*s%s\n", below ? 0 : COLUMN - 2, left, below ? "\n" : "",
                   below ? COLUMN : 0, "", o->help);
        }
    printf("\n%s", exit_statuses);
}

/* --- the manual page -------------------------------------------------------------------------- */

/* A sentence of the manual: the texts of tables begin in lower case and have no final stop. */
static void print_sentence(const char *text)
{
    assert(*text && *text != '.' && *text != '\'');
    int (*upper)(int) = toupper; /* the macro of optimized builds is beyond our limits of nesting */
    printf("%c%s.\n", upper((unsigned char)*text), text + 1);
}

/*
 * A list of options as in ".It Fl c , Fl Fl color Ns = Ns Cm auto | always | never".  The comment
 * marks where the frame may add to an option.
 */
static void print_options(const struct option *options, const char *scope)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789.|";

    for (const struct option *o = options; o->name; o++) {
        const char *argument = o->argument;
        bool optional = option_value_optional(o);
        bool words = argument && !argument[strspn(argument, letters)];
        assert(strncmp(o->name, "--", 2) == 0);
        fputs(".It ", stdout);
        if (o->alias)
            printf("Fl %s , ", o->alias + 1);
        printf("Fl Fl %s", o->name + 2);
        if (argument)
            printf(" Ns %s Ns %s ", optional ? "Op =" : "=", words ? "Cm" : "Ar");
        for (argument = argument ? argument + optional : "";
             *argument && *argument != (optional ? ']' : '\n'); argument++)
            printf(words && *argument == '|' ? " %c " : "%c", *argument);
        putchar('\n');
        print_sentence(o->help);
        printf(".\\\" detail %s %s\n", scope, o->name);
    }
}

/* A command with its own options, and references to the groups that it shares. */
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

void help_print_manual(void)
{
    const char *titles[MOST_TITLES] = {NULL};
    int count = 0;

    /* Options are too many to be listed in the synopsis. */
    puts(".\\\" synopsis");
    for (const struct verb *const *v = verbs; *v; v++)
        printf(".Nm\n.Cm %s\n%s%s%s.Op Ar option ...\n", (*v)->name, (*v)->usage ? ".Ar " : "",
               (*v)->usage ? (*v)->usage : "", (*v)->usage ? "\n" : "");
    puts(".\\\" commands");
    for (const struct verb *const *v = verbs; *v; v++)
        print_verb(*v);
    /* Titles come in the order in which commands use them. */
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
