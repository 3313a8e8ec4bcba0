/* arguments.c - the command line, by the table of the command */
#include "driver/verb.h"

#include "driver/message.h"
#include "driver/path.h"
#include "driver/value.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NAMES = 64 };

bool option_value_optional(const struct option *option)
{
    const char *argument = option->argument;

    return argument && argument[0] == '[' && argument[strlen(argument) - 1] == ']';
}

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

static const struct option *find_option(const struct verb *verb, const char *argument)
{
    const struct option *attached = NULL;

    for (const struct option *const *group = verb->groups; *group; group++)
        for (const struct option *o = *group; o->name; o++) {
            if (names_option(argument, o->name) || names_option(argument, o->alias))
                return o;
            attached = is_attached(argument, o) ? o : attached;
        }
    return attached;
}

static bool unknown_option(const struct settings *settings, const struct verb *verb, char *argument)
{
    const char *names[MAX_NAMES] = {NULL};
    int count = 0;

    argument[strcspn(argument, "=")] = '\0';
    for (const struct option *const *group = verb->groups; *group; group++)
        for (const struct option *o = *group; o->name && count < MAX_NAMES - 1; o++)
            names[count++] = o->name;
    const char *nearest = nnefc_nearest(argument, names);
    if (nearest)
        usage_error(settings, "'%s' has no option '%s'; did you mean '%s'?", verb->name, argument,
                    nearest);
    else
        usage_error(settings, "'%s' has no option '%s'; 'nnefc help %s' lists them", verb->name,
                    argument, verb->name);
    return false;
}

/* The value of the option at argv[*at], which may be the next argument; false if it is amiss. */
static bool take_value(const struct settings *settings, const struct option *option, char **argv,
                       int *at, char **value)
{
    bool attached = is_attached(argv[*at], option);
    char *equals = attached ? argv[*at] + 1 : strchr(argv[*at], '=');

    *value = equals ? equals + 1 : NULL;
    if (!option->argument && equals) {
        usage_error(settings, "%s takes no value", option->name);
        return false;
    }
    if (!option->argument || equals || option_value_optional(option))
        return true;
    *value = argv[*at + 1];
    if (!*value) {
        usage_error(settings, "%s needs a value: %s", option->name, option->argument);
        return false;
    }
    ++*at;
    return true;
}

/* Is the value one of some words, "auto|always|never", and not what is to be filled in? */
static bool takes_words(const struct option *option)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789.|";

    return !option->expects && !option->argument[strspn(option->argument, letters)];
}

/* Which of the words of the option is near, in `words`, which has room for all of them. */
static const char *nearest_word(const struct option *option, const char *said, char *words)
{
    const char *list[MAX_NAMES] = {NULL};
    int count = 0;

    memcpy(words, option->argument, strlen(option->argument) + 1);
    for (char *rest = words, *word; count < MAX_NAMES - 1 && (word = next_part(&rest, '|'));)
        list[count++] = word;
    return nnefc_nearest(said, list);
}

static bool not_understood(const struct settings *settings, const struct option *option,
                           const char *said)
{
    bool optional = option_value_optional(option);
    const char *argument = option->argument + optional, *near = NULL;
    char words[128];

    if (takes_words(option) && strlen(argument) < sizeof words)
        near = nearest_word(option, said, words);
    usage_error(settings, "'%s' is no value for %s%s%s, expected %s%s%s%s", said, option->name,
                optional ? "[=" : "=", argument, option->expects ? option->expects : argument,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return false;
}

static bool parse_option(const struct verb *verb, char **argv, int *at, struct settings *settings)
{
    const struct option *option = find_option(verb, argv[*at]);
    char *value, said[256];

    if (!option)
        return unknown_option(settings, verb, argv[*at]);
    if (!take_value(settings, option, argv, at, &value))
        return false;
    if (!option->set)
        return *(bool *)((unsigned char *)settings + option->flag) = true;
    snprintf(said, sizeof said, "%s", value ? value : "");
    if (option->set(settings, value))
        return true;
    return not_understood(settings, option, said);
}

static bool looks_like_input(const struct verb *verb, const char *argument)
{
    return find_option(verb, "--input") &&
           (path_ends_in(argument, ".dat") || path_ends_in(argument, ".npy") ||
            path_ends_in(argument, ".npz") || path_ends_in(argument, ".png"));
}

static bool one_too_many(const struct verb *verb, const char *argument,
                         const struct settings *settings)
{
    const char *there = settings->target ? settings->target : settings->model;

    if (looks_like_input(verb, argument))
        usage_error(settings, "%s at a time: '%s' or '%s'; is it '--input %s'?",
                    verb->pair ? "two models" : "one model", there, argument, argument);
    else if (verb->pair)
        usage_error(settings, "two models at a time: '%s', '%s' or '%s'", settings->models[0],
                    settings->models[1], argument);
    else
        usage_error(settings, "one %s at a time: '%s' or '%s'",
                    settings->target ? "target" : "model", there, argument);
    return false;
}

static bool parse_operand(const struct verb *verb, char *argument, struct settings *settings)
{
    const char **place = settings->model && verb->target ? &settings->target : &settings->model;

    if (verb->no_model) {
        usage_error(settings, "'%s' takes options only, not '%s'", verb->name, argument);
        return false;
    }
    if (verb->pair ? settings->nmodel == 2 : *place && !verb->many)
        return one_too_many(verb, argument, settings);
    if (!*place)
        *place = argument;
    if (place == &settings->model)
        settings->models[settings->nmodel++] = argument;
    return true;
}

static bool has_operands(const struct verb *verb, const struct settings *settings)
{
    if (verb->no_model || verb->operand || settings->list_passes)
        return true;
    if (!settings->model)
        usage_error(settings, "'%s' needs a model; see 'nnefc help %s'", verb->name, verb->name);
    else if (verb->target && !settings->target)
        usage_error(settings, "'%s' needs %s after the model; see 'nnefc help %s'", verb->name,
                    verb->target, verb->name);
    return settings->model && (settings->target || !verb->target);
}

static bool asks_for_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

bool arguments_parse(const struct verb *verb, char **argv, struct settings *settings, bool *help)
{
    bool options = true;

    *help = false;
    for (int i = 0; argv[i]; i++) {
        bool is_option = options && argv[i][0] == '-' && argv[i][1];
        if (is_option && asks_for_help(argv[i]))
            return *help = true;
        if (is_option && strcmp(argv[i], "--") == 0)
            options = false;
        else if (is_option ? !parse_option(verb, argv, &i, settings)
                           : !parse_operand(verb, argv[i], settings))
            return false;
    }
    return has_operands(verb, settings) && settings_agree(settings);
}
