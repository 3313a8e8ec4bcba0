/* main.c - the program nnefc: an ordinary client of nnefc/nnefc.h */
#include "driver/message.h"
#include "driver/report.h"
#include "driver/rewrite.h"
#include "driver/verb.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How diagnostics are wanted has to be known for the first of them. */
static enum message_format asked_format(char **argv)
{
    static const char option[] = "--message-format";
    const size_t size = sizeof option - 1;
    int format = FORMAT_HUMAN;

    for (; *argv && strcmp(*argv, "--") != 0; argv++) {
        const char *value = NULL;
        if (strncmp(*argv, option, size) == 0)
            value = (*argv)[size] == '=' ? *argv + size + 1 : (*argv)[size] ? NULL : argv[1];
        if (value && message_format_find(value) >= 0)
            format = message_format_find(value);
    }
    return (enum message_format)format;
}

static enum nnefc_status run_verb(const struct verb *verb, char **argv, struct settings *settings)
{
    bool help;

    if (!arguments_parse(verb, argv, settings, &help))
        return NNEFC_USAGE;
    if (settings->list_passes)
        passes_print();
    else if (!help)
        return verb->run(settings);
    else
        help_print_verb(verb, stdout);
    return NNEFC_OK;
}

static enum nnefc_status start_verb(const struct verb *verb, int argc, char **argv,
                                    const struct settings *common)
{
    size_t room = (size_t)argc + 1;
    struct settings settings = {.format = common->format,
                                .reports = common->reports,
                                .error_limit = -1,
                                .seed = 1,
                                .steps = 1,
                                .warmup = 1,
                                .seconds = 3,
                                .tolerance = {1e-5, 1e-5},
                                .models = calloc(room, sizeof(char *)),
                                .limits = calloc(room, sizeof(struct limit)),
                                .shapes = calloc(room, sizeof(struct named_shape)),
                                .extents = calloc(room, sizeof(struct named_extent)),
                                .bounds = calloc(room, sizeof(struct named_file)),
                                .dynamic = calloc(room, sizeof(struct nnefc_dynamic)),
                                .warnings = calloc(room, sizeof(struct warning_setting)),
                                .inputs = calloc(room, sizeof(struct named_file)),
                                .outputs = calloc(room, sizeof(struct named_file)),
                                .expected = calloc(room, sizeof(struct named_file))};
    enum nnefc_status status = NNEFC_INTERNAL;

    if (settings.models && settings.limits && settings.shapes && settings.extents &&
        settings.bounds && settings.dynamic && settings.warnings && settings.inputs &&
        settings.outputs && settings.expected)
        status = run_verb(verb, argv, &settings);
    free(settings.models);
    free(settings.limits);
    free(settings.shapes);
    free(settings.extents);
    free(settings.bounds);
    free(settings.dynamic);
    free(settings.warnings);
    free(settings.inputs);
    free(settings.outputs);
    free(settings.expected);
    return status;
}

static enum nnefc_status help(const struct settings *settings, const char *name)
{
    bool warnings = name && strcmp(name, "warnings") == 0;
    const struct verb *verb = name && !warnings ? verb_find(settings, name) : NULL;

    if (warnings) {
        warnings_print(stdout);
        return NNEFC_OK;
    }
    if (name && !verb)
        return NNEFC_USAGE;
    if (verb)
        help_print_verb(verb, stdout);
    else
        help_print(stdout);
    return NNEFC_OK;
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words) != 0)
        words++;
    return *words;
}

static void print_version(void)
{
    const char *separator = "backends: ";

    printf("nnefc %s\n%s", nnefc_version(), nnefc_build_facts());
    for (int i = 0; nnefc_backend_name(i); i++) {
        const char *facts = nnefc_backend_facts(i);
        if (!facts || strcmp(nnefc_backend_name(i), "auto") == 0)
            continue;
        printf("%s%s", separator, nnefc_backend_name(i));
        if (*facts)
            printf(" (%s)", facts);
        separator = ", ";
    }
    putchar('\n');
}

static enum nnefc_status dispatch(int argc, char **argv, const struct settings *common)
{
    static const char *const help_words[] = {"help", "--help", "-h", NULL};
    static const char *const version_words[] = {"version", "--version", "-V", NULL};

    if (argc < 2) {
        help_print(stderr);
        return NNEFC_USAGE;
    }
    if (is_one_of(argv[1], help_words))
        return help(common, argv[2]);
    if (is_one_of(argv[1], version_words)) {
        print_version();
        return NNEFC_OK;
    }
    const struct verb *verb = verb_find(common, argv[1]);
    return verb ? start_verb(verb, argc, argv + 2, common) : NNEFC_USAGE;
}

/* Weights are used where they are mapped, which cannot go on if someone cuts off their file. */
static void file_shrank(int number)
{
    static const char text[] = "nnefc: a file became shorter while it was read\n";
    ssize_t put = write(STDERR_FILENO, text, sizeof text - 1);

    (void)number;
    _exit(put < 0 ? NNEFC_INTERNAL : NNEFC_FILE);
}

int main(int argc, char **argv)
{
    struct sigaction shrank = {.sa_handler = file_shrank};
    struct reports reports = {0};
    struct settings common = {.format = asked_format(argv), .reports = &reports};

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
