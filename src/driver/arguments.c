/*
 * arguments.c - the command line, by the table of the command
 *
 * Options may stand anywhere. The parser writes each value to the field that its table names, in
 * the struct of its group. The first fault ends the parsing, because it often causes the others.
 * Suggestions come from the same tables.
 */
#include "driver/command.h"
#include "driver/path.h"
#include "driver/report.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 64 };

/* The command line, and the position of the parser in it. */
struct arguments {
    const struct verb *verb;
    char **argv;
    int at;
    void *settings;
    bool answered;
};

bool option_value_optional(const struct option *option)
{
    const char *argument = option->argument;

    return argument && argument[0] == '[' && argument[strlen(argument) - 1] == ']';
}

/* --- which option ----------------------------------------------------------------------------- */

/* Does `argument` name the option, with or without "=value"? */
static bool names_option(const char *argument, const char *name)
{
    size_t len = name ? strlen(name) : 0;

    return name && strncmp(argument, name, len) == 0 && (!argument[len] || argument[len] == '=');
}

/* "-iFILE", unless the letter is not the only one of a name. */
static bool is_attached(const char *argument, const struct option *option)
{
    return option->alias && option->argument && argument[1] != '-' && argument[2] &&
           argument[2] != '=' && strncmp(argument, option->alias, 2) == 0;
}

/* NULL: no such option.  Sets *group to the group of the option. */
static const struct option *find_option(const struct verb *verb, const char *argument,
                                        const struct option_group **group)
{
    const struct option *attached = NULL;

    for (const struct option_group *g = verb->groups; g->options; g++)
        for (const struct option *o = g->options; o->name; o++) {
            bool named = names_option(argument, o->name) || names_option(argument, o->alias);
            if (named || is_attached(argument, o))
                *group = g;
            if (named)
                return o;
            attached = is_attached(argument, o) ? o : attached;
        }
    return attached;
}

/* --- its value -------------------------------------------------------------------------------- */

/* Store the value.  A report has it as the user wrote it, because `set` may cut up the argument. */
static enum nnefc_status set_value(const struct arguments *a, const struct option *option,
                                   void *field, char *value)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789.|-";
    const char *argument = option->argument, *names[MAX_NAMES] = {NULL}, *near = NULL;
    bool optional = option_value_optional(option), ok = true;
    int count = 0, index = 0;
    char written[256], words[128];

    snprintf(written, sizeof written, "%s", value ? value : "");
    /* Words are in lower case, as in "auto|always|never"; a value to be filled in is not. */
    if (argument && !option->expects && !argument[strspn(argument, letters)]) {
        assert(strlen(argument) < sizeof words);
        memcpy(words, argument, strlen(argument) + 1);
        for (char *rest = words; (names[count] = next_part(&rest, '|')); count++)
            assert(count < MAX_NAMES - 1);
    }
    while (value && index < count && strcmp(names[index], value) != 0)
        index++;
    if (option->set)
        ok = option->set(field, value);
    else if (argument && index == count)
        ok = false;
    else if (argument || option->first_word)
        *(int *)field = option->first_word + index;
    else
        *(bool *)field = true;
    if (ok)
        return NNEFC_OK;
    argument += optional;
    near = count ? nnefc_nearest(written, names) : NULL;
    return usage_error(a->settings, "'%s' is no value for %s%s%s, expected %s%s%s%s", written,
                       option->name, optional ? "[=" : "=", argument,
                       option->expects ? option->expects : argument, near ? "; did you mean '" : "",
                       near ? near : "", near ? "'?" : "");
}

/* Was another form of what is printed asked for before?  NULL, or that option. */
static const struct option *other_form(const struct command *command,
                                       const struct option_group *group,
                                       const struct option *option)
{
    const struct option *other = NULL;

    if (group->offset != 0 || option->field != offsetof(struct command, form))
        return NULL;
    for (int i = 0; i < command->given_count && !other; i++)
        if (command->given[i]->field == option->field && command->given[i]->first_word &&
            command->given[i] != option && !command->given[i]->argument)
            other = command->given[i];
    return other;
}

/* One option with its value; a.at is at the last argument that it took. */
static enum nnefc_status parse_option(struct arguments *a)
{
    const struct option_group *group = NULL;
    char *argument = a->argv[a->at];
    const struct option *option = find_option(a->verb, argument, &group);

    if (!option) {
        const char *names[MAX_NAMES] = {NULL};
        char wrong[64], list[64];
        int count = 0;
        argument[strcspn(argument, "=")] = '\0';
        for (const struct option_group *g = a->verb->groups; g->options; g++)
            for (const struct option *o = g->options; o->name; o++) {
                assert(count < MAX_NAMES - 1);
                names[count++] = o->name;
            }
        snprintf(wrong, sizeof wrong, "'%s' has no option", a->verb->name);
        snprintf(list, sizeof list, "help %s", a->verb->name);
        return usage_suggest(a->settings, wrong, argument, names, list);
    }
    /* The value stands behind '=' or the letter, or else is the next argument. */
    char *equals = is_attached(argument, option) ? argument + 1 : strchr(argument, '=');
    char *value = equals ? equals + 1 : NULL;
    if (!option->argument && equals)
        return usage_error(a->settings, "%s takes no value", option->name);
    if (option->argument && !equals && !option_value_optional(option)) {
        value = a->argv[a->at + 1];
        if (!value)
            return usage_error(a->settings, "%s needs a value: %s", option->name, option->argument);
        a->at++;
    }
    if (option->answer) {
        option->answer();
        a->answered = true;
        return NNEFC_OK;
    }
    struct command *command = a->settings;
    const struct option *other = other_form(command, group, option);
    if (other)
        return usage_error(command, "%s and %s exclude each other", other->name, option->name);
    if (!value || strcmp(value, "auto") != 0) /* which leaves it as it is */
        command->given[command->given_count++] = option;
    assert(group && group->offset + option->field < a->verb->size);
    void *field = (unsigned char *)a->settings + group->offset + option->field;
    if (option->item_size) { /* each value is a new item of zeros */
        struct option_list *list = field;
        size_t used = (size_t)list->count * option->item_size;
        char *items = resize_items(list->item, (size_t)list->count + 1, option->item_size);
        list->item = items;
        list->count++;
        field = memset(items + used, 0, option->item_size);
    }
    return set_value(a, option, field, value);
}

/* --- operands --------------------------------------------------------------------------------- */

/* All arguments but options are operands: models, a target, codes or shapes. */
static enum nnefc_status parse_operand(struct arguments *a)
{
    static_assert(OPERANDS_FREE == 5, "the limits below are those of all kinds of operands");
    static const int most[] = {[OPERANDS_MODEL] = 1,
                               [OPERANDS_MODEL_TARGET] = 2,
                               [OPERANDS_PAIR] = 2,
                               [OPERANDS_MODELS] = INT32_MAX,
                               [OPERANDS_FREE] = INT32_MAX};
    struct command *c = a->settings;
    char *argument = a->argv[a->at];
    bool pair = a->verb->operands == OPERANDS_PAIR;
    const struct option_group *group;

    if (a->verb->operands == OPERANDS_NONE)
        return usage_error(c, "'%s' takes options only, not '%s'", a->verb->name, argument);
    if (c->operand_count < most[a->verb->operands]) {
        c->operand[c->operand_count++] = argument;
        return NNEFC_OK;
    }
    /* There is one too many.  If it is a file of data, its option is likely missing. */
    const char *last = c->operand[pair ? 0 : c->operand_count - 1];
    bool input = path_ends_in(argument, ".dat") || path_ends_in(argument, ".npy") ||
                 path_ends_in(argument, ".npz") || path_ends_in(argument, ".png");
    if (input && find_option(a->verb, "--input", &group))
        return usage_error(c, "%s at a time: '%s' or '%s'; is it '--input %s'?",
                           pair ? "two models" : "one model", last, argument, argument);
    if (pair)
        return usage_error(c, "two models at a time: '%s', '%s' or '%s'", last, c->operand[1],
                           argument);
    return usage_error(c, "one %s at a time: '%s' or '%s'",
                       c->operand_count > 1 ? "target" : "model", last, argument);
}

/* --- what they are for ------------------------------------------------------------------------ */

/* Was an option of the list given, which '|' separates?  Also true if the verb has none of them. */
static bool is_met(const struct verb *verb, const struct command *command, const char *needs)
{
    const struct option_group *group;
    char list[128], *rest = list;
    bool met = true;

    snprintf(list, sizeof list, "%s", needs);
    for (const char *name; (name = next_part(&rest, '|'));) {
        const struct option *option = find_option(verb, name, &group);
        met &= !option;
        for (int i = 0; option && i < command->given_count; i++)
            if (command->given[i] == option)
                return true;
    }
    return met;
}

static enum nnefc_status check_needs(const struct verb *verb, const struct command *command)
{
    for (int i = 0; i < command->given_count; i++) {
        const struct option *option = command->given[i];
        assert(option);
        if (option->needs && !is_met(verb, command, option->needs))
            return usage_error(command, "%s has no effect without %s", option->name, option->needs);
    }
    return NNEFC_OK;
}

/* --- all of them ------------------------------------------------------------------------------ */

enum nnefc_status arguments_parse(const struct verb *verb, char **argv, void *settings,
                                  bool *answered)
{
    struct arguments a = {.verb = verb, .argv = argv, .settings = settings};
    struct command *command = settings;
    enum nnefc_status status = NNEFC_OK;
    enum operands operands = verb->operands;
    bool options = true;
    size_t count = 0;

    assert(verb->size >= sizeof *command);
    while (argv[count])
        count++;
    command->operand = zeroed_items(count + 1, sizeof *command->operand);
    command->given = zeroed_items(count + 1, sizeof(struct option *));
    for (; argv[a.at] && status == NNEFC_OK && !a.answered; a.at++) {
        bool is_option = options && argv[a.at][0] == '-' && argv[a.at][1];
        if (is_option && strcmp(argv[a.at], "--") == 0) {
            options = false;
        } else if (is_option &&
                   (strcmp(argv[a.at], "--help") == 0 || strcmp(argv[a.at], "-h") == 0)) {
            help_print_verb(verb);
            a.answered = true;
        } else {
            status = is_option ? parse_option(&a) : parse_operand(&a);
        }
    }
    *answered = a.answered;
    command->target = operands == OPERANDS_MODEL_TARGET;
    if (status == NNEFC_OK && !a.answered)
        status = check_needs(verb, command);
    /* Commands whose operands are free, or a pair, check the number of operands themselves. */
    if (status != NNEFC_OK || a.answered || operands == OPERANDS_NONE ||
        operands == OPERANDS_PAIR || operands == OPERANDS_FREE)
        return status;
    if (command->operand_count == 0)
        return usage_error(command, "'%s' needs a model; see 'nnefc help %s'", verb->name,
                           verb->name);
    if (operands == OPERANDS_MODEL_TARGET && command->operand_count == 1)
        return usage_error(command, "'%s' needs OUT after the model; see 'nnefc help %s'",
                           verb->name, verb->name);
    return NNEFC_OK;
}

void arguments_free(const struct verb *verb, void *settings)
{
    struct command *command = settings;

    for (const struct option_group *g = verb->groups; g->options; g++)
        for (const struct option *o = g->options; o->name; o++)
            if (o->item_size) {
                struct option_list *list =
                    (void *)((unsigned char *)settings + g->offset + o->field);
                free(list->item);
                *list = (struct option_list){NULL, 0};
            }
    free(command->operand);
    free(command->given);
}

enum nnefc_status options_fit(const struct command *command, enum nnefc_format format,
                              const char *name, bool written)
{
    static const char *const title[] = {[NNEFC_FORMAT_NNEF] = "NNEF",
                                        [NNEFC_FORMAT_ONNX] = "ONNX",
                                        [NNEFC_FORMAT_GRAPH] = "graph files",
                                        [NNEFC_FORMAT_PNNX] = "PNNX"};
    char list[64] = "";

    assert(format > NNEFC_FORMAT_AUTO && (size_t)format < sizeof title / sizeof *title);
    for (int i = 0; i < command->given_count; i++) {
        const struct option *option = command->given[i];
        unsigned formats = written ? option->writes : option->reads;
        if (!formats || (formats & 1U << format))
            continue;
        for (size_t k = 1; k < sizeof title / sizeof *title; k++)
            if (formats & 1U << k)
                snprintf(strchr(list, '\0'), sizeof list - strlen(list), "%s%s",
                         *list ? " and " : "", title[k]);
        return usage_error(command, "%s is for %s, but '%s' is %s", option->name, list, name,
                           written ? "to be of another format" : "of another format");
    }
    return NNEFC_OK;
}
