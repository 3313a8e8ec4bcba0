/*
 * nnefc.h - NNEF networks: read, check and run them
 *
 *     struct nnefc_model *model = nnefc_model_new();
 *     struct nnefc_run *run = NULL;
 *
 *     if (nnefc_model_load(model, "examples/nnef/digits") == NNEFC_OK)
 *         run = nnefc_run_new_with(model, NULL);
 *     if (run && nnefc_run_read_input(run, 0, "3-3.png") == NNEFC_OK &&
 *         nnefc_run_step(run) == NNEFC_OK)
 *         printf("%g\n", nnefc_tensor_item(nnefc_run_output(run, 0), 3));
 *     nnefc_model_print_diagnostics(model, stderr, NNEFC_PRINT_FULL, false);
 *     nnefc_run_free(run);
 *     nnefc_model_free(model);
 *
 * A shape is listed in the order of NNEF: dimension 0 is the batch, 1 the channel, then the spatial
 * ones.  Items of tensors lie densely in row-major order: the last dimension runs fastest.
 *
 * Whatever goes wrong is explained by diagnostics that the model keeps; the status only says of
 * which kind the first fault was.  A model and what is made from it belong to one thread at a time,
 * but for runs, which may have one each (backend.h); different models are independent, and there is
 * no other state.
 *
 * Misuse never ends the process.  It is a handle or other pointer that is NULL, unless the function
 * says that NULL is allowed; an index that is none; a number that is none of its enumeration; a
 * number or size beyond its range; a call out of order.  It changes nothing, and gives NNEFC_USAGE,
 * with a diagnostic if there is a model to keep it.  Functions without a status give nothing: 0 (-1
 * for an index), false, NaN, NULL, an empty text or list, a type of unknown rank.  Those that take
 * a const handle fail in no other way.  Pointers are believed: handles are not freed yet, and there
 * are as many items as the client says.  A test calls every function so.
 *
 * The library never ends the process: it calls neither exit() nor setenv() nor setlocale(), handles
 * no signals, and writes to no stream that it was not given.  If there is not enough memory for a
 * tensor, that is an ordinary fault.  If memory for anything else runs out, the call gives
 * NNEFC_INTERNAL, NULL, -1 or an empty list, without a diagnostic, and so does every later call
 * with that model or a run of it: they can only be freed, and lists that were made and the
 * diagnostics so far be read.  No lock stays taken and no unfinished file is left, but what the
 * call had on the heap besides the model may be lost.  Other models are not concerned.
 *
 * Section numbers are those of NNEF 1.0.5.
 */
#ifndef NNEFC_NNEFC_H
#define NNEFC_NNEFC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NNEFC_VERSION_MAJOR 0
#define NNEFC_VERSION_MINOR 2
#define NNEFC_VERSION_PATCH 0

#if defined(__GNUC__)
#define NNEFC_API __attribute__((visibility("default")))
#else
#define NNEFC_API
#endif

/* "0.2.0", of the library that is linked. */
NNEFC_API const char *nnefc_version(void);

/* How the library was built, a line each: standards, compiler, threads. */
NNEFC_API const char *nnefc_build_facts(void);

/* The kinds of outcome; the program `nnefc` exits with these numbers. */
enum nnefc_status {
    NNEFC_OK = 0,
    NNEFC_INVALID = 1,     /* the text has errors, the model wants more than limits allow or what
                              is not its own, or computing it with this input fails */
    NNEFC_USAGE = 2,       /* wrong or missing arguments: names, inputs, shapes asked for */
    NNEFC_FILE = 3,        /* a file cannot be read or written, or holds other than it should */
    NNEFC_UNSUPPORTED = 4, /* valid, but this library, or this machine, cannot run it */
    NNEFC_DIFFERENT = 5,   /* what was compared differs; no diagnostic tells it */
    NNEFC_CANCELLED = 6,   /* by nnefc_model_cancel(); no diagnostic tells it */
    NNEFC_INTERNAL = 70,   /* memory ran out, or a mistake of the library was found */
};

/* --- lists ------------------------------------------------------------------------------- */

/*
 * A list: `count` pointers to records of one type, and NULL behind the last.
 *
 *     const struct nnefc_port_list *inputs = nnefc_model_inputs(model);
 *
 *     for (int i = 0; i < inputs->count; i++)
 *         puts(inputs->at[i]->name);
 *
 * Whatever can be listed is listed so.  It is a struct for each type, and not one opaque handle
 * with functions that count and index, because the compiler then checks the type of each record, a
 * debugger shows them, and a list in a record (the operands of an operation) is read like any
 * other.
 *
 * - A list is never NULL.  It is empty if there is nothing to list, or after a failure.
 * - It belongs to the handle that it was asked of, and nobody frees it.  It lives as long as the
 * handle, unless a function says otherwise, and so does all that its records point to.
 * - It never changes.  After loading or rewriting a function returns another list.
 * - Any number of threads may read it, and may ask for one at the same time.
 * - Records grow at their end only, and `at` holds pointers: an older client runs with a newer
 * library (docs/changes.md).  Clients do not make, copy or compare records by their size.
 */
#define NNEFC_LIST_OF(record)           \
    struct record##_list {              \
        int count;                      \
        const struct record *const *at; \
    }

/* --- structs that clients fill in --------------------------------------------------------- */

/*
 * A struct of settings begins with its size.  All other members may be 0, which asks for what is
 * usual.
 *
 *     const struct nnefc_onnx how = {.size = sizeof how, .opset = 13};
 *
 * Later versions add members at the end.  A client of an earlier one tells by the size that it does
 * not have them, and they are 0; a client of a later one must leave what this library does not know
 * at 0.  Any other size is NNEFC_USAGE.
 */

/* --- models ------------------------------------------------------------------------------ */

/* One network: options, then the document, then the graph made of it, and all diagnostics. */
struct nnefc_model;

NNEFC_API struct nnefc_model *nnefc_model_new(void);

/* Runs and results (compare.h) that were made from the model stay as they are, and the last of them
 * frees it.  NULL is allowed. */
NNEFC_API void nnefc_model_free(struct nnefc_model *model);

/* Options, before loading: NNEFC_USAGE, and no change, after it. */

enum nnefc_dialect {
    NNEFC_DIALECT_AUTO, /* by the ';' after the version number */
    NNEFC_DIALECT_1_0,
    NNEFC_DIALECT_PROVISIONAL,
};
NNEFC_API enum nnefc_status nnefc_model_set_dialect(struct nnefc_model *model,
                                                    enum nnefc_dialect dialect);

/* What is tolerated with a warning becomes an error. */
NNEFC_API enum nnefc_status nnefc_model_set_pedantic(struct nnefc_model *model, bool pedantic);

/* All warnings from now on become errors, except those that were set by their names. */
NNEFC_API enum nnefc_status nnefc_model_set_werror(struct nnefc_model *model, bool werror);

/* A kind of warning; the names and the codes keep their meaning for ever. */
struct nnefc_warning {
    const char *name; /* "mixed-logic" */
    const char *code; /* under which it is given: "N0100" */
    const char *title;
    bool on_by_default; /* the others are given when asked for, or to the pedantic */
};

NNEFC_LIST_OF(nnefc_warning); /* nnefc_catalogue_warnings() */

enum nnefc_warning_state {
    NNEFC_WARNING_OFF,
    NNEFC_WARNING_ON,
    NNEFC_WARNING_ERROR,    /* on, and an error */
    NNEFC_WARNING_NO_ERROR, /* no error, on or off as before */
};

/* The state from now on of warnings of this name, or of "all" that were not set by their names. */
NNEFC_API enum nnefc_status nnefc_model_set_warning(struct nnefc_model *model, const char *name,
                                                    enum nnefc_warning_state state);

/* Most errors that are recorded: 20 if it is not set, 0 for no limit, else 1 or more; the others
 * are counted. */
NNEFC_API enum nnefc_status nnefc_model_set_error_limit(struct nnefc_model *model, int limit);

/*
 * Whether regular files are mapped into memory, which is the default, or read into it.  Mapped
 * files must not become shorter while the model is there: where it looks at what is gone, the
 * system sends SIGBUS to the process (the program nnefc handles that by ending itself).  Files that
 * others may cut off, on shared folders for example, are better read.  That takes memory for whole
 * files, and the limit on memory holds for it.  Texts are read in any case.
 */
NNEFC_API enum nnefc_status nnefc_model_set_map_files(struct nnefc_model *model, bool map);

/* Which compound operations are not expanded by their bodies. */
enum nnefc_keep {
    NNEFC_KEEP_KERNELS, /* those with a kernel for the whole */
    NNEFC_KEEP_ONNX,    /* those that ONNX has, too: for nnefc_model_write_onnx() */
    NNEFC_KEEP_NONE,
    NNEFC_KEEP_ONNX_QDQ, /* as ONNX; those that quantize become its QuantizeLinear, DequantizeLinear
                          */
};
NNEFC_API enum nnefc_status nnefc_model_set_keep(struct nnefc_model *model, enum nnefc_keep keep);

/* A folder, or archive, with the data of variables, if not that of the model (NULL); may be set
 * until the data is read. */
NNEFC_API enum nnefc_status nnefc_model_set_data_folder(struct nnefc_model *model,
                                                        const char *folder);

/* The quantization file (section 5.3), instead of graph.quant beside the document; NULL: that, if
 * it is there.  It is checked in any case. */
NNEFC_API enum nnefc_status nnefc_model_set_quant_file(struct nnefc_model *model, const char *path);

/*
 * What becomes of the entries of the quantization file, which are but hints (section 7).  Weights
 * that are stored as integers have the numbers that it says in any case.  Of quantizations in steps
 * of one size, of 2 to 16 bits, of variables to 32, with zero among the steps, integers are
 * computed with and weights kept as they are stored; others are applied, with a warning.
 */
enum nnefc_quantization {
    NNEFC_QUANTIZATION_OFF,      /* nothing (if not set) */
    NNEFC_QUANTIZATION_APPLY,    /* tensors are quantized in real arithmetic */
    NNEFC_QUANTIZATION_INTEGERS, /* tensors are integers */
    NNEFC_QUANTIZATION_AUTO,     /* the same if both operands of some sum of products are integers
                                    then, or if all that is quantized are variables whose files in
                                    a folder hold integers; else nothing */
};
NNEFC_API enum nnefc_status nnefc_model_set_quantization(struct nnefc_model *model,
                                                         enum nnefc_quantization how);

/* NNEFC_QUANTIZATION_APPLY or NNEFC_QUANTIZATION_OFF */
NNEFC_API enum nnefc_status nnefc_model_set_quantize(struct nnefc_model *model, bool quantize);

/* Let a graph parameter have these extents, 0 or more, instead of those in the text (section 2.2),
 * which must be as many; NULL is allowed for none.  A name that turns out to be no parameter is a
 * fault of loading. */
NNEFC_API enum nnefc_status nnefc_model_set_shape(struct nnefc_model *model, const char *parameter,
                                                  int rank, const int64_t *extents);

/* ONNX, PNNX: what a symbolic extent such as "batch" is, 0 or more; ONNX: inputs whose items are
 * known, which are no parameters then; files as for nnefc_run_read_input().  Names are checked on
 * loading. */
struct nnefc_tensor;
NNEFC_API enum nnefc_status nnefc_model_set_extent(struct nnefc_model *model, const char *name,
                                                   int64_t extent);
NNEFC_API enum nnefc_status nnefc_model_bind(struct nnefc_model *model, const char *input,
                                             const struct nnefc_tensor *tensor);
NNEFC_API enum nnefc_status nnefc_model_bind_file(struct nnefc_model *model, const char *input,
                                                  const char *path);

/*
 * ONNX, PNNX: a file that the parameter is going to be read from.  Loading takes the extents that
 * neither the model nor the client says from its header.  Without a name (NULL) it is for the next
 * parameter that has no file, an archive of arrays for all of them.  `channels_last` is that of
 * struct nnefc_image.
 */
NNEFC_API enum nnefc_status nnefc_model_set_input_file(struct nnefc_model *model,
                                                       const char *parameter, const char *path,
                                                       bool channels_last);

/* ONNX, PNNX: go on where a shape or type that the file declares is not what is computed.  It is
 * the warning "declared" then, and else an error, but for shapes that N0194 calls harmless. */
NNEFC_API enum nnefc_status nnefc_model_set_trust_shapes(struct nnefc_model *model, bool trust);

enum nnefc_limit {
    NNEFC_LIMIT_NESTING,      /* depth of an expression; can be lowered only */
    NNEFC_LIMIT_EXPANSION,    /* fragments within fragments */
    NNEFC_LIMIT_NODES,        /* of the graph */
    NNEFC_LIMIT_ARRAY_LENGTH, /* of a compile-time array or string */
    NNEFC_LIMIT_WORK,         /* expressions evaluated at compile time */
    NNEFC_LIMIT_MEMORY,       /* bytes of all that is allocated for the model: texts, graph, data
                                 that is not used in mapped files, inputs and results of a run */
    NNEFC_LIMIT_VOLUME,       /* items of one tensor */
    NNEFC_LIMIT_GROWTH,       /* bytes by which graph and expansion outgrow the document */
    NNEFC_LIMIT_KERNEL_WORK,  /* items that windows of one operation read */
    NNEFC_LIMIT_TEXT,         /* bytes of a document or quantization file */
    NNEFC_LIMIT_MEMBERS,      /* of an archive */
    NNEFC_LIMIT_UNPACKED,     /* bytes of all members, beyond 16 times those of the archive */
    NNEFC_LIMIT_TOTAL_WORK,   /* items that all operations of a run read, in one step */
    NNEFC_LIMIT_TRIPS,        /* of a loop that is run, of an open model */
    NNEFC_LIMIT_PLANS,        /* graphs of an open model that are kept (open.h) */
    NNEFC_LIMIT_PLAN_MEMORY,  /* bytes of these; 0: a quarter of the memory */
};

/* What a model may cost at most; one that wants more is refused, not half loaded.  Memory is
 * three quarters of the machine's if it is not set; the others have fixed standard values. */
NNEFC_API enum nnefc_status nnefc_model_set_limit(struct nnefc_model *model, enum nnefc_limit limit,
                                                  int64_t value);

/* "nesting", "depth", "nodes", ...; NULL behind the last. */
NNEFC_API const char *nnefc_limit_name(enum nnefc_limit limit);

/* What holds now. */
NNEFC_API int64_t nnefc_model_limit(const struct nnefc_model *model, enum nnefc_limit limit);

/*
 * Read, check and lower a model: `path` is a folder with graph.nnef in it, or an archive of one
 * (tar, compressed or not, or zip), or an NNEF text, or "-" for standard input.  Data of variables
 * is read by nnefc_run_new() and not before.  A model is loaded once; NNEFC_USAGE for a second
 * time.
 */
NNEFC_API enum nnefc_status nnefc_model_load(struct nnefc_model *model, const char *path);

/* The same from memory; diagnostics call the text `name`, and `text` is copied.  Without a folder
 * for data the variables have none. */
NNEFC_API enum nnefc_status nnefc_model_load_text(struct nnefc_model *model, const char *name,
                                                  const char *text, size_t size);

enum nnefc_stage {
    NNEFC_STAGE_AST,     /* the document as it was written */
    NNEFC_STAGE_CHECKED, /* with defaults, types and names of arguments filled in */
    NNEFC_STAGE_GRAPH,   /* fragments expanded, every shape known */
};

/* What flows at that stage, as stable text; NULL if loading did not get there.  The caller frees
 * it with free(). */
NNEFC_API char *nnefc_model_dump(const struct nnefc_model *model, enum nnefc_stage stage);

/* --- diagnostics ------------------------------------------------------------------------- */

enum nnefc_severity { NNEFC_NOTE, NNEFC_WARNING, NNEFC_ERROR };

struct nnefc_diagnostic;
struct nnefc_fix;
NNEFC_LIST_OF(nnefc_diagnostic);
NNEFC_LIST_OF(nnefc_fix); /* texts.h */

struct nnefc_diagnostic {
    enum nnefc_severity severity;
    const char *code;    /* "N0090"; keeps its meaning for ever, see docs/diagnostics.md */
    const char *section; /* of the standard, "-" where the rule is ours */
    const char *file;    /* NULL if it is about no file */
    int line, column;    /* from 1, in bytes; 0 if it is about a file as a whole */
    int end_line,
        end_column;      /* of the byte behind it; the same as line and column: a place between */
    const char *warning; /* its name, also where it became an error; NULL: no warning by nature */
    const char *text;
    const char *help;                           /* what to do about it, or NULL */
    const struct nnefc_diagnostic_list *notes;  /* sentences of their own, which may have a place */
    const struct nnefc_diagnostic_list *labels; /* a few words each about a part of the text */
    const struct nnefc_fix_list *fixes;         /* made together or not at all */
};

/* Errors and warnings that are recorded so far, in the order they were found.  A list lives as long
 * as the model, or until diagnostics are cleared; one that is asked for later may have more. */
NNEFC_API const struct nnefc_diagnostic_list *
nnefc_model_diagnostics(const struct nnefc_model *model);

/* All errors so far; and those beyond the limit, which are counted but not recorded: with
 * NNEFC_MOST_HIDDEN of them the search ends. */
enum { NNEFC_MOST_HIDDEN = 1000 };
NNEFC_API int nnefc_model_error_count(const struct nnefc_model *model);
NNEFC_API int nnefc_model_hidden_count(const struct nnefc_model *model);

/* A line of a text that a diagnostic names, with neither end nor NUL; "" of *size 0: there is none.
 */
NNEFC_API const char *nnefc_model_line(const struct nnefc_model *model, const char *file, int line,
                                       size_t *size);

/* Forget all diagnostics: the status is NNEFC_OK again, and a client at the limit can go on. */
NNEFC_API void nnefc_model_clear_diagnostics(struct nnefc_model *model);

enum nnefc_print {
    NNEFC_PRINT_FULL,  /* with the lines it is about, labels, help, changes, rule and notes */
    NNEFC_PRINT_SHORT, /* file:line:column: error[N0000]: text */
};

/* Print what was not printed before. */
NNEFC_API void nnefc_model_print_diagnostics(struct nnefc_model *model, FILE *to,
                                             enum nnefc_print print, bool colour);

/* Kind of the first error so far; NNEFC_OK if there is none, NNEFC_INTERNAL if memory ran out. */
NNEFC_API enum nnefc_status nnefc_model_status(const struct nnefc_model *model);

/* Whether memory ran out within a call. */
NNEFC_API bool nnefc_model_out_of_memory(const struct nnefc_model *model);

/* What the examples of an explanation are. */
enum nnefc_example {
    NNEFC_EXAMPLE_NONE,     /* there are none: no small input causes the code */
    NNEFC_EXAMPLE_DOCUMENT, /* a document, or the part of one that matters */
    NNEFC_EXAMPLE_PEDANTIC, /* the same, checked pedantically */
    NNEFC_EXAMPLE_RUN,      /* the same, when it is run */
    NNEFC_EXAMPLE_QUANT,    /* a quantization file */
    NNEFC_EXAMPLE_COMMAND,  /* command lines; lines of "# " show what they print */
    NNEFC_EXAMPLE_WALL,     /* as NNEFC_EXAMPLE_DOCUMENT, checked with all warnings on */
    NNEFC_EXAMPLE_PNNX,     /* the text of a PNNX model */
    NNEFC_EXAMPLE_CLIENT,   /* C of a client of the library */
};

/* What a code means. Texts are static; those of several lines end each with '\n'. */
struct nnefc_explanation {
    const char *code;        /* "N0090" */
    const char *title;       /* "type mismatch" */
    const char *section;     /* of the standard, "-" where the rule is ours */
    const char *chapter;     /* "Types and operators" */
    const char *text;        /* the rule, its reason, what to do: in Markdown, a line a paragraph */
    enum nnefc_example kind; /* of the examples */
    const char *wrong,
        *right; /* one that has the fault, one that has not; NULL if there are none */
};
NNEFC_LIST_OF(nnefc_explanation); /* nnefc_catalogue_explanations() */

/* --- what a loaded model consists of ------------------------------------------------------ */

/* Section 3.3.1; in memory a scalar is a float, an integer an int64_t, a logical a byte 0 or 1. */
enum nnefc_dtype { NNEFC_DTYPE_UNKNOWN, NNEFC_SCALAR, NNEFC_INTEGER, NNEFC_LOGICAL };

enum { NNEFC_MAX_RANK = 8, NNEFC_UNKNOWN = -1 };

struct nnefc_type {
    enum nnefc_dtype dtype;
    int rank;                       /* NNEFC_UNKNOWN behind an operation that has no shape rule */
    int64_t extent[NNEFC_MAX_RANK]; /* NNEFC_UNKNOWN where the document leaves it open */
};

/* "scalar", "integer", "logical"; "?" of any other number. */
NNEFC_API const char *nnefc_dtype_name(enum nnefc_dtype dtype);

/* Until a model is loaded without errors it has no name (NULL) and the counts are 0.  Names and
 * labels live as long as the model. */
NNEFC_API const char *nnefc_model_name(const struct nnefc_model *model);

/* Parameters and results of the graph, in the order of its declaration (section 3.2.2). */
struct nnefc_port {
    const char *name;
    struct nnefc_type type;
    int id; /* of the value (inspect.h) */
};
NNEFC_LIST_OF(nnefc_port);
NNEFC_API const struct nnefc_port_list *nnefc_model_inputs(const struct nnefc_model *model);
NNEFC_API const struct nnefc_port_list *nnefc_model_outputs(const struct nnefc_model *model);

/* Variables (section 4.1.3), in the order of the text; several may share a label. */
struct nnefc_variable {
    const char *label;
    struct nnefc_type type;
    bool is_updated; /* by the graph, this one or another of the same label (section 4.8) */
};
NNEFC_LIST_OF(nnefc_variable);
NNEFC_API const struct nnefc_variable_list *nnefc_model_variables(const struct nnefc_model *model);

/* Index of the parameter or result of that name, or -1 with a diagnostic that suggests one.  An
 * input of a model of PNNX goes by the name of its operand, too. */
NNEFC_API int nnefc_model_find_input(struct nnefc_model *model, const char *name);
NNEFC_API int nnefc_model_find_output(struct nnefc_model *model, const char *name);

/*
 * Write a .dat file of random weights for each variable into the data folder, sub-folders
 * included: the same bytes for the same seed on every machine.  Unless `force`, nothing is written
 * if any of the files is there already.
 */
NNEFC_API enum nnefc_status nnefc_model_init_weights(struct nnefc_model *model, uint64_t seed,
                                                     bool force);

/*
 * Write the document, graph.quant if there is one, and the data of all variables into one archive:
 * tar if `path` ends in ".tar", else compressed by gzip; "-" is standard output.  The same model
 * makes the same bytes.  The file is complete or not touched at all.
 */
NNEFC_API enum nnefc_status nnefc_model_pack(struct nnefc_model *model, const char *path);

/*
 * Functions nnefc_model_write_*(), nnefc_run_write_*() and nnefc_model_pack() write all files of a
 * call or none.  They do not replace a file that the model was read from, unless this is set; at
 * any time.
 */
NNEFC_API enum nnefc_status nnefc_model_set_force(struct nnefc_model *model, bool force);

/*
 * Write a model of NNEF 1.0 or of ONNX as flat NNEF: every fragment of the document is expanded,
 * arguments that are defaults are left out, and identifiers and labels are kept.  Constants that
 * are infinite or no numbers, for which there are no literals, become variables, and a graph
 * without parameters is given one that nothing reads.  `path` is an archive if it ends in ".tgz",
 * ".tar.gz" or ".tar", a document with its data beside it if it ends in ".nnef", "-" for the
 * document alone on standard output, else a folder, which is made.  Data that are in that place
 * already stay there.  The same model makes the same bytes.  What the quantization file says stays
 * in a file graph.quant, unless nnefc_model_set_quantization() had it applied: then it is in the
 * document.  Tensors that any model has as integers between 'quantize' and 'dequantize' get entries
 * of that file, stored integers remain what they are, and the document is that of the scalars.
 */
NNEFC_API enum nnefc_status nnefc_model_write_nnef(struct nnefc_model *model, const char *path);

/* Variables that are updated (section 4.8) become inputs of an ONNX model and their new values
 * outputs LABEL_out; metadata nnef.state.LABEL = "input,output" says which belong together.  What
 * the inputs are fed at first: */
enum nnefc_onnx_state {
    NNEFC_ONNX_STATE_INPUTS,  /* is in a file PATH.state.npz, an array for each by its name */
    NNEFC_ONNX_STATE_DEFAULT, /* is in the model, for which they need not be fed */
};

/* An extent that a model leaves open: of that axis of a graph parameter, called `name`.  Axes of
 * one name have one extent.  The model is an NNEF text or a file of ONNX. */
struct nnefc_dynamic {
    const char *parameter;
    int axis;
    const char *name;
};

/* How layers of quantized tensors are written: as plain operators between DequantizeLinear and
 * QuantizeLinear, or where there is one as an operator on integers, such as QLinearConv, and
 * QLinearAdd of domain com.microsoft. */
enum nnefc_onnx_quantized { NNEFC_ONNX_QDQ, NNEFC_ONNX_QOPERATOR };

/* How a model is written in ONNX. */
struct nnefc_onnx {
    size_t size;        /* sizeof(struct nnefc_onnx) */
    int opset;          /* 13 to 28; 0: 17, or that of a model that keeps its operators */
    bool external_data; /* weights are in a file PATH.data; of more than 2 GiB they always are */
    enum nnefc_onnx_state state;
    const struct nnefc_dynamic *dynamic;
    int dynamic_count;
    bool functions; /* each fragment of the document becomes a function, called where it was invoked
                     */
    bool allow_custom; /* what ONNX lacks becomes a node of domain "nnef", version 1, with a
                          warning: the operation's name, operands in order, attributes by name */
    enum nnefc_onnx_quantized quantized;
    bool no_contrib; /* without operators of com.microsoft */
};

/*
 * Write a model that was loaded with NNEFC_KEEP_ONNX or NNEFC_KEEP_ONNX_QDQ, its weights included,
 * as an ONNX file ("-" is standard output, which has no place for a second file).  Inputs, outputs
 * and tensors keep their names, axes their order.  What ONNX cannot express is NNEFC_UNSUPPORTED
 * with a diagnostic for each operation.  All files are complete or none is touched; the same model
 * makes the same bytes.  `how` may be NULL.  Extents of a model of ONNX that stayed open
 * (nnefc_model_keep_open()) are open in the file, under their names.
 *
 * What the quantization file says becomes part of the model by nnefc_model_set_quantization(), else
 * metadata list it: nnef.quant.TENSOR.  With NNEFC_KEEP_ONNX_QDQ and NNEFC_QUANTIZATION_INTEGERS it
 * is QuantizeLinear and DequantizeLinear, from opset 21 on also of 16 bits, and what integers
 * cannot do is refused.
 */
NNEFC_API enum nnefc_status nnefc_model_write_onnx(struct nnefc_model *model, const char *path,
                                                   const struct nnefc_onnx *how);

/* --- tensors ----------------------------------------------------------------------------- */

/* Zeroed; rank and extents must be known.  NULL if there is not enough memory. */
NNEFC_API struct nnefc_tensor *nnefc_tensor_new(const struct nnefc_type *type);
NNEFC_API void nnefc_tensor_free(struct nnefc_tensor *tensor);

/* A .dat (section 5.2) or .npy file, by its content, or "file.npz:array".  NULL with a diagnostic
 * of the model. */
NNEFC_API struct nnefc_tensor *nnefc_tensor_read(struct nnefc_model *model, const char *path);

/* As .npy if `path` ends so, else as .dat, "-" to standard output.  The file is complete or not
 * touched at all. */
NNEFC_API enum nnefc_status nnefc_tensor_write(struct nnefc_model *model,
                                               const struct nnefc_tensor *tensor, const char *path);

NNEFC_API struct nnefc_type nnefc_tensor_type(const struct nnefc_tensor *tensor);
/* Have its integers no sign?  Each is held as the signed one of the same bits then: (uint64_t)item
 * is what it stands for.  So are results that ONNX declares as UINT64, and what is read from a file
 * with an integer above INT64_MAX. */
NNEFC_API bool nnefc_tensor_is_unsigned(const struct nnefc_tensor *tensor);

NNEFC_API int64_t nnefc_tensor_count(const struct nnefc_tensor *tensor);

/* Items as enum nnefc_dtype says; not NULL where there are none, unless there is no tensor.  Only a
 * tensor from nnefc_tensor_new() or nnefc_eval_result() may be written to. */
NNEFC_API void *nnefc_tensor_data(struct nnefc_tensor *tensor);
NNEFC_API const void *nnefc_tensor_items(const struct nnefc_tensor *tensor);

/* Any item as a double; true is 1. */
NNEFC_API double nnefc_tensor_item(const struct nnefc_tensor *tensor, int64_t index);

/* --- runs -------------------------------------------------------------------------------- */

/* The state of one execution.  Several runs of one model share its weights, and maybe a plan
 * (backend.h). */
struct nnefc_run;

/* By the reference, which is slow; nnefc_run_new_with(model, NULL) of backend.h is fast.  Reads the
 * data of variables if no earlier run did.  NULL if that fails or the graph cannot be run;
 * diagnostics name each reason. */
NNEFC_API struct nnefc_run *nnefc_run_new(struct nnefc_model *model);
NNEFC_API void nnefc_run_free(struct nnefc_run *run);

/*
 * 0 or less: one for each processor core that the process may use.  More than there are processors
 * count as so many.  The run starts the threads with its first step, and they end with it.  The
 * results are the same for any number.
 *
 * If the process forks while no other thread is within a call, the child may go on with its copy of
 * the run, which starts threads of its own, or free it.
 */
NNEFC_API void nnefc_run_set_threads(struct nnefc_run *run, int threads);

/*
 * Operations that draw random numbers, and have no seed of their own, draw those of this one, which
 * is 0 at first.  The same seed gives the same numbers on every machine, from the next step on;
 * each step has others.
 */
NNEFC_API void nnefc_run_set_seed(struct nnefc_run *run, uint64_t seed);

/* A note of whatever the run reports from here on, such as "in step 3 of 5"; NULL: none. */
NNEFC_API void nnefc_run_set_note(struct nnefc_run *run, const char *note);

/* Called after each operation: `done` of `total` are computed. */
typedef void (*nnefc_progress)(void *data, int done, int total);
NNEFC_API void nnefc_run_set_progress(struct nnefc_run *run, nnefc_progress progress, void *data);

/* How PNG images become scalars: (value / 255 - mean) / scale for each channel. */
struct nnefc_image {
    size_t size;                 /* sizeof(struct nnefc_image) */
    int mean_count, scale_count; /* 0: 0 and 1; 1: for all channels; else one for each */
    double mean[4], scale[4];
    bool channels_last; /* the parameter is [batch, height, width, channels] */
};
NNEFC_API enum nnefc_status nnefc_run_set_image(struct nnefc_run *run,
                                                const struct nnefc_image *image);

/*
 * Give a parameter its input, which stays until it is given another.  Type and shape must be the
 * parameter's.  Files may be .dat, .npy or .png, or "file.npz:array"; "-" is standard input.
 */
NNEFC_API enum nnefc_status nnefc_run_set_input(struct nnefc_run *run, int index,
                                                const struct nnefc_tensor *tensor);
NNEFC_API enum nnefc_status nnefc_run_read_input(struct nnefc_run *run, int index,
                                                 const char *path);

/* Give each parameter the array of its name in a file .npz, if there is one; at least one is. */
NNEFC_API enum nnefc_status nnefc_run_read_inputs(struct nnefc_run *run, const char *path);

/* Whether the file is an archive of arrays, by its first bytes; it is not if it cannot be read. */
NNEFC_API bool nnefc_is_npz(const char *path);

/* Scalars evenly from [-1, 1), integers and logicals 0 or 1; the same for the same seed. */
NNEFC_API enum nnefc_status nnefc_run_randomize_input(struct nnefc_run *run, int index,
                                                      uint64_t seed);
NNEFC_API bool nnefc_run_has_input(const struct nnefc_run *run, int index);

/* Keep a tensor of the graph body for nnefc_run_tensor(), by its identifier. */
NNEFC_API enum nnefc_status nnefc_run_keep(struct nnefc_run *run, const char *name);

/* Compute all results once: one cycle of section 2.1.3.  Updated variables (section 4.8) have
 * their new values in the next step. */
NNEFC_API enum nnefc_status nnefc_run_step(struct nnefc_run *run);

/* Results of the last step, valid until the next; NULL before the first. */
NNEFC_API const struct nnefc_tensor *nnefc_run_output(const struct nnefc_run *run, int index);

/* Write all of them into a file .npz, complete or not touched at all; "-" is standard output. */
NNEFC_API enum nnefc_status nnefc_run_write_outputs(const struct nnefc_run *run, const char *path);

/* A file of one result, as nnefc_tensor_write() writes it, or if `index` is -1 of all of them. */
struct nnefc_output_file {
    int index;
    const char *path;
};

/* Write all of these files or none, up to one whose path is NULL.  No two may be the same file. */
NNEFC_API enum nnefc_status nnefc_run_write_files(const struct nnefc_run *run,
                                                  const struct nnefc_output_file *files);

/* A kept tensor, likewise; NULL if none of that name is kept, or if no result depends on it. */
NNEFC_API const struct nnefc_tensor *nnefc_run_tensor(const struct nnefc_run *run,
                                                      const char *name);

/* --- standard operations ------------------------------------------------------------------ */

enum nnefc_op_kind {
    NNEFC_OP_PRIMITIVE, /* declared without a body */
    NNEFC_OP_KEPT,      /* compound, with a kernel for the whole */
    NNEFC_OP_EXPANDED,  /* compound, always expanded by its body */
};

struct nnefc_op {
    const char *name, *library; /* library: "nnef", or "nnefc" for what documents declare */
    const char *declaration;    /* "sqr(x: tensor<scalar>) -> (y: tensor<scalar>)" */
    enum nnefc_op_kind kind;
    bool executable;
    const char *shape;           /* of the results, in a few words */
    const char *borders;         /* that it takes, with spaces between; NULL if it has none */
    const char *since;           /* first text with that name: "provisional", "1.0", "1.0.2", ... */
    const char *section, *title; /* where the standard, or the provisional text, describes it */
};

NNEFC_LIST_OF(nnefc_op); /* nnefc_catalogue_ops() */

/* --- operators of ONNX --------------------------------------------------------------------- */

enum nnefc_onnx_how {
    NNEFC_ONNX_OPERATION, /* imported as an operation with the same operands */
    NNEFC_ONNX_FRAGMENT,  /* composed of operations */
    NNEFC_ONNX_FUNCTION,  /* translated by a function of the importer */
    NNEFC_ONNX_MISSING,   /* nothing computes it so far */
    NNEFC_ONNX_REFUSED,   /* it has no meaning in a graph of NNEF */
};

struct nnefc_onnx_operator {
    const char *type;   /* NULL: all of the domain */
    const char *domain; /* "ai.onnx", "com.microsoft", ... */
    enum nnefc_onnx_how how;
    const char *by; /* operation, fragment, function, or why it is refused; NULL if it is missing */
    const char *limit; /* what its uses have to be like, "k is known"; NULL if all are imported */
};

NNEFC_LIST_OF(nnefc_onnx_operator); /* nnefc_catalogue_onnx_operators() */

/* --- what the library knows ---------------------------------------------------------------- */

/* Lists that belong to no model: operations, passes, warnings, explanations.  A catalogue makes
 * each when it is asked for the first time; it may be used by any number of threads. */
struct nnefc_catalogue;

NNEFC_API struct nnefc_catalogue *nnefc_catalogue_new(void);
NNEFC_API void nnefc_catalogue_free(struct nnefc_catalogue *catalogue);

/* The operations of one dialect, of NNEF 1.0.5 for NNEFC_DIALECT_AUTO, in the order of its text. */
NNEFC_API const struct nnefc_op_list *nnefc_catalogue_ops(struct nnefc_catalogue *catalogue,
                                                          enum nnefc_dialect dialect);

/* The operators of ONNX and of domains beside it that we know of, by domain and type. */
NNEFC_API const struct nnefc_onnx_operator_list *
nnefc_catalogue_onnx_operators(struct nnefc_catalogue *catalogue);

/* All kinds of warnings, and the explanations of all codes in their order. */
NNEFC_API const struct nnefc_warning_list *
nnefc_catalogue_warnings(struct nnefc_catalogue *catalogue);
NNEFC_API const struct nnefc_explanation_list *
nnefc_catalogue_explanations(struct nnefc_catalogue *catalogue);

/* The explanation of a code: "N0090", "n0090" or "90".  NULL if there is none of that name. */
NNEFC_API const struct nnefc_explanation *nnefc_catalogue_explain(struct nnefc_catalogue *catalogue,
                                                                  const char *name);

/* --- for command lines ------------------------------------------------------------------- */

/* Which of the candidates, a list that ends with NULL, was meant by `name`; NULL if none is near.
 */
NNEFC_API const char *nnefc_nearest(const char *name, const char *const *candidates);

#ifdef __cplusplus
}
#endif

/* the rest of the interface */
#include "backend.h"
#include "compare.h"
#include "custom.h"
#include "diff.h"
#include "emit_c.h"
#include "extensions.h"

#include "graph_file.h"
#include "hooks.h"
#include "inspect.h"
#include "open.h"
#include "origin.h"
#include "passes.h"
#include "places.h"
#include "pnnx.h"
#include "quantize.h"
#include "shape.h"
#include "surgery.h"
#include "texts.h"

#endif
