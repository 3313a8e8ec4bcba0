/*
 * main.c - the program nnefc: an ordinary client of nnefc/nnefc.h
 *
 * It finds the command, gives it settings with its defaults, and makes its status the exit status.
 * The library reports faults of models; messages of the program itself take the same way.
 */
#include "driver/load.h"
#include "driver/report.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct verb *const verbs[] = {
    &check_verb,   &info_verb,      &list_verb,     &view_verb,    &verify_verb,  &run_verb,
    &bench_verb,   &init_verb,      &pack_verb,     &convert_verb, &extract_verb, &compile_verb,
    &emit_c_verb,  &quantize_verb,  &compare_verb,  &diff_verb,    &edit_verb,    &reduce_verb,
    &explain_verb, &broadcast_verb, &list_ops_verb, NULL,
};

/* Run a command with its default settings and what the arguments after its name change. */
static enum nnefc_status run_verb_with(const struct verb *verb, char **argv,
                                       const struct command *common)
{
    struct command *settings =
        zeroed_items(1, verb->size); /* the command's struct begins with it */
    bool answered = false;

    assert(verb->size >= sizeof *settings);
    memcpy(settings, verb->defaults, verb->size);
    settings->format = common->format;
    settings->reports = common->reports;
    enum nnefc_status status = arguments_parse(verb, argv, settings, &answered);
    if (status == NNEFC_OK && !answered)
        status = verb->run(settings);
    arguments_free(verb, settings);
    free(settings);
    return status;
}

/* Is the word in the list, which ends with NULL? */
static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words) != 0)
        words++;
    return *words;
}

/* argv[1] is the command; its arguments follow. */
static enum nnefc_status dispatch(int argc, char **argv, const struct command *common)
{
    static const char *const help_words[] = {"help", "--help", "-h", NULL};
    static const char *const version_words[] = {"version", "--version", "-V", NULL};
    const char *names[sizeof verbs / sizeof verbs[0]] = {NULL}, *name = argc < 2 ? NULL : argv[1];
    const struct verb *verb = NULL;
    const char *separator = "backends: ";

    if (!name) {
        help_print(stderr);
        return NNEFC_USAGE;
    }
    bool is_help = is_one_of(name, help_words);
    name = is_help ? argv[2] : name;
    for (int i = 0; verbs[i]; i++) {
        names[i] = verbs[i]->name;
        verb = name && strcmp(names[i], name) == 0 ? verbs[i] : verb;
    }
    bool is_version = !verb && is_one_of(argv[1], version_words);
    bool is_topic = is_help && argv[2];
    if ((is_version || is_help) && argc > 2 + is_topic)
        return usage_error(common, "'%s' has no effect behind '%s'", argv[2 + is_topic],
                           argv[1 + is_topic]);
    if (is_help && (!name || is_one_of(name, help_words)))
        help_print(stdout);
    else if (is_help && strcmp(name, "warnings") == 0)
        warnings_print();
    else if (is_help && strcmp(name, "--mdoc") == 0) /* for the makefile */
        help_print_manual();
    else if (is_help && verb)
        help_print_verb(verb);
    else if (verb)
        return run_verb_with(verb, argv + 2, common);
    else if (!is_version)
        return usage_suggest(common, "there is no command", name, names, "help");
    else
        printf("nnefc %s\n%s", nnefc_version(), nnefc_build_facts());
    for (int i = 0; !is_help && nnefc_backend_name(i); i++) {
        const char *facts = nnefc_backend_facts(i);
        if (!facts || strcmp(nnefc_backend_name(i), "auto") == 0)
            continue;
        printf("%s%s", separator, nnefc_backend_name(i));
        if (*facts)
            printf(" (%s)", facts);
        separator = ", ";
    }
    if (!is_help)
        putchar('\n');
    return NNEFC_OK;
}

/* Handles SIGBUS: mapped weights cannot be read any more if someone cuts off their file. */
static void file_shrank(int number)
{
    static const char text[] = "nnefc: a file became shorter while it was read\n";
    ssize_t put = write(STDERR_FILENO, text, sizeof text - 1);

    (void)number;
    _exit(put < 0 ? NNEFC_INTERNAL : NNEFC_FILE);
}

int main(int argc, char **argv)
{
    static const char option[] = "--message-format";
    const size_t size = sizeof option - 1;
    struct sigaction shrank = {.sa_handler = file_shrank};
    struct reports reports = {0};
    struct command common = {.reports = &reports};

#if defined __i386__ && defined __SSE2__
    if (!__builtin_cpu_supports("sse2")) {
        (void)fputs("nnefc: this build needs a processor with SSE2\n", stderr);
        return NNEFC_INTERNAL;
    }
#endif
    /* The format of diagnostics has to be known for the first of them. */
    for (char **arg = argv; *arg && strcmp(*arg, "--") != 0; arg++) {
        const char *value = NULL;
        if (strncmp(*arg, option, size) == 0)
            value = (*arg)[size] == '=' ? *arg + size + 1 : (*arg)[size] ? NULL : arg[1];
        if (value && message_format_find(value) >= 0)
            common.format = (enum message_format)message_format_find(value);
    }
    sigaction(SIGBUS, &shrank, NULL);
    if (common.format == FORMAT_SARIF)
        reports.log = sarif_new();
    enum nnefc_status status = dispatch(argc, argv, &common);
    if (status == NNEFC_INTERNAL && !reports.errors) /* it was found here, not by the library */
        usage_error(&common, "out of memory");
    if (fflush(stdout) != 0 || ferror(stdout)) {
        usage_error(&common, "cannot write to standard output: %s", strerror(errno));
        status = NNEFC_FILE;
    }
    report_end(&common, status);
    return (int)status;
}
