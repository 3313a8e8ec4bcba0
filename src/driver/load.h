/* load.h - how a model is read and rewritten, as the options say */
#ifndef NNEFC_DRIVER_LOAD_H
#define NNEFC_DRIVER_LOAD_H

#include "driver/command.h"

/* How a model is read.  A comment names the type of the items of each list. */
struct loading {
    enum nnefc_format from; /* AUTO: the file tells */
    enum nnefc_dialect dialect;
    bool pedantic;
    bool trust_shapes; /* declarations that do not hold are warnings */
    enum nnefc_keep keep;
    bool check_data;    /* of graph files, and in files beside ONNX models */
    bool force;         /* files that the model was read from may be replaced */
    bool half_memory;   /* the limit on memory is for two models */
    int quantization;   /* an enum nnefc_quantization */
    int error_limit;    /* -1: that of the library */
    int64_t max_memory; /* overrides the limit of this name; -1: not given */
    const char *data, *quant_file;
    const char *bin;               /* weights of a model of PNNX */
    struct option_list warnings;   /* struct warning_setting, in the order given */
    struct option_list limits;     /* struct limit_setting */
    struct option_list shapes;     /* struct named_shape */
    struct option_list extents;    /* struct named_shape of one extent, of ONNX and PNNX */
    struct option_list bindings;   /* struct named_file: inputs that are known */
    struct option_list opened;     /* struct nnefc_dynamic: extents of an NNEF text that are open */
    bool keeps_open;               /* the command needs no graph before there are inputs */
    bool takes_ranges;             /* "--dim NAME=8..128" */
    const struct option_list *fed; /* struct named_file, of inputs; NULL: the command has none */
    bool channels_last;            /* in images among them */
};

/* NAME=EXTENT,EXTENT,... of --shape and --dim. */
struct named_shape {
    const char *name;
    int rank;
    int64_t extent[NNEFC_MAX_RANK];
};

/* Defaults of a struct loading. */
#define LOADING_UNSET .error_limit = -1, .max_memory = -1
#define LOADING_DEFAULTS \
    {                    \
        LOADING_UNSET    \
    }

/* Options of commands for models: for the struct loading, and for the struct command. */
extern const struct option loading_options[], console_options[];

/* "--data", "--force" and "--quant", where a command has them: the fields of the struct at
 * `offset`. */
#define DATA_OPTION(offset)                                                      \
    {                                                                            \
        "--data", NULL, "DIR", "folder or archive of the weights (the model's)", \
            .set = set_text, .field = (offset) + offsetof(struct loading, data)  \
    }
#define FORCE_OPTION(offset)                                                 \
    {                                                                        \
        "--force", "-f", NULL, "replace files that the model was read from", \
            .field = (offset) + offsetof(struct loading, force)              \
    }
#define QUANT_OPTION(offset, standard)                                                       \
    {                                                                                        \
        "--quant", NULL, "off|apply|integers|auto",                                          \
            "compute as the quantization file says: in reals or in integers (" standard ")", \
            .field = (offset) + offsetof(struct loading, quantization)                       \
    }

#define OPEN_OPTION(offset)                                                            \
    {                                                                                  \
        "--open", NULL, "TENSOR:AXIS[=NAME]",                                          \
            "NNEF: leave this extent of a parameter to its input",                     \
            .expects = "a graph parameter, an axis from 0, and perhaps an identifier", \
            .set = set_open, .field = (offset) + offsetof(struct loading, opened),     \
            .item_size = sizeof(struct nnefc_dynamic), .reads = FOR_NNEF               \
    }

/* NAME=TEXT, of a struct named_file: two texts around the first '='. */
bool set_binding(void *field, char *value);

/* TENSOR:AXIS[=NAME], of a struct nnefc_dynamic; set_dynamic() wants the name. */
bool set_open(void *field, char *value);
bool set_dynamic(void *field, char *value);

/* A range of extents, "NAME=8..128". */
struct dim_range {
    const char *name;
    int64_t least, most;
};

/* The one of that index among the options; false: it is a single number, or there is none. */
bool dim_range_at(const struct loading *loading, int index, struct dim_range *range);

/* The groups of options of a command for models, and its settings with their defaults.  The first
 * of loading_options is --from, for which a command that cuts models has another meaning. */
#define GROUPS_FROM(verb, first)                                                                 \
    {(first), offsetof(struct verb##_settings, loading), "Options of every command for models"}, \
        {console_options, 0, "Options of every command for models"},                             \
    {                                                                                            \
        message_options, 0, "Options of every command for models"                                \
    }
#define MODEL_GROUPS(verb) GROUPS_FROM(verb, loading_options)
#define PART_GROUPS(verb)  GROUPS_FROM(verb, loading_options + 1)
#define VERB_SETTINGS(verb, ...) \
    .size = sizeof(struct verb##_settings), .defaults = &(const struct verb##_settings)__VA_ARGS__

/*
 * False after a message if options contradict each other or name a warning that does not exist, or
 * if more than one of models and files is the standard input.
 */
bool loading_agrees(const struct command *command, const struct loading *loading);

/* How many of these files are the standard input; the models are the operands. */
int loading_streams(const struct command *command, const struct loading *loading);

/* False after a message if more than one of the inputs is the standard input. */
bool input_is_used_once(const struct command *command, int streams);

/* A new model with the settings of the options, never NULL; load_prepared() then reads it. */
struct nnefc_model *prepare_model(const struct loading *loading);
void load_prepared(const struct loading *loading, struct nnefc_model *model, const char *path);

/* Both at once; never NULL.  loaded_status() says whether it was loaded. */
struct nnefc_model *load_model(const struct loading *loading, const char *path);

/* The same, but closed.c chooses the extents that a model leaves open, if the model can be loaded
 * then, and says which. */
struct nnefc_model *load_closed(const struct command *command, const struct loading *loading,
                                const char *path);

/*
 * The options of each of two models.  A shape, an extent or a binding of a name that only one of
 * them has is for that one.  Names that both lack stay, so that loading reports them.  The lists
 * of names are to be freed by loading_join().
 */
void loading_split(const struct loading *both, const char *const path[2], struct loading each[2]);
void loading_join(struct loading each[2]);

/*
 * Does a file that is to be written replace none that the model of this path is read from?  Else
 * NNEFC_USAGE after a message.  `out` may be NULL: no file.
 */
enum nnefc_status keeps_model(const struct command *command, struct nnefc_model *model,
                              const char *path, const char *out);

/*
 * The status of the only model of a command after it was loaded; NNEFC_USAGE after a message if an
 * option was given that has no effect on its format.
 */
enum nnefc_status loaded_status(const struct command *command, const struct nnefc_model *model);

/* What 'nnefc help warnings' prints: the warnings, and how -W turns them on and off. */
void warnings_print(void);

/* --- passes ----------------------------------------------------------------------------------- */

struct rewriting {
    struct nnefc_rewrite how;
    bool raw;     /* leave the graph as it is */
    bool verbose; /* say what passes did, and how many packed weights a run has used */
};

extern const struct option pass_options[]; /* for a struct rewriting */
#define PASS_TITLE "Passes"

/* False after a message if an option has no effect, because no passes run. */
bool rewriting_agrees(const struct command *command, const struct rewriting *rewriting);

/* If asked for, rewrite a loaded model; with -v the standard error gets what changed. */
void rewrite_model(const struct rewriting *rewriting, struct nnefc_model *model);

#endif
