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
 * A model keeps diagnostics that explain every fault; the status only has the kind of the first
 * fault.  A model, and everything that is made from it, belongs to one thread at a time.  Runs are
 * an exception: each may have a thread of its own (backend.h).  Different models are independent,
 * and there is no other state.
 *
 * Misuse never ends the process.  Misuse is a handle or other pointer that is NULL, unless the
 * function says that NULL is allowed; an invalid index; a number that is no value of its
 * enumeration; a number or size beyond its range; a call out of order.  It changes nothing, and
 * returns NNEFC_USAGE, with a diagnostic if there is a model to keep it.  Functions without a
 * status return nothing: 0 (-1 for an index), false, NaN, NULL, an empty text or list, a type of
 * unknown rank.  Functions that take a const handle fail in no other way.  The library trusts
 * pointers: handles must not be freed yet, and there must be as many items as the client says.  A
 * test misuses every function.
 *
 * The library never ends the process: it calls neither exit() nor setenv() nor setlocale(), handles
 * no signals, and writes to no stream that it was not given.  Too little memory for a tensor is an
 * ordinary fault.  If memory for anything else runs out, the call returns NNEFC_INTERNAL, NULL, -1
 * or an empty list, without a diagnostic, and so does every later call with that model or a run of
 * it.  Then the client can only read earlier lists and diagnostics, and free the model and its
 * runs.  No lock stays taken and no unfinished file is left, but other heap memory of the call may
 * be lost.  Other models are not affected.
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
    NNEFC_INVALID = 1,     /* the text has errors, the model exceeds a limit or refers to files
                              outside of it, or computing it with this input fails */
    NNEFC_USAGE = 2,       /* wrong or missing arguments, such as names, inputs or shapes */
    NNEFC_FILE = 3,        /* a file cannot be read or written, or has the wrong contents */
    NNEFC_UNSUPPORTED = 4, /* valid, but this library, or this machine, cannot run it */
    NNEFC_DIFFERENT = 5,   /* a comparison found a difference; there is no diagnostic */
    NNEFC_CANCELLED = 6,   /* by nnefc_model_cancel(); there is no diagnostic */
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
 * All lists of the interface have this form: a struct for each type, not one opaque handle with
 * functions that count and index.  So the compiler checks the type of each record, a debugger shows
 * the records, and a list in a record (the operands of an operation) is read like any other.
 *
 * - A list is never NULL.  It is empty if there is nothing to list, or after a failure.
 * - It belongs to the handle whose function returned it; the client does not free it.  It lives as
 * long as the handle, unless a function says otherwise, and so does all that its records point to.
 * - It never changes.  After loading or rewriting, a function returns another list.
 * - Any number of threads may read a list, and may call its function, at the same time.
 * - Records grow at their end only, and `at` holds pointers: an older client runs with a newer
 * library (docs/changes.md).  Clients must not make, copy or compare records by their size.
 */
#define NNEFC_LIST_OF(record)           \
    struct record##_list {              \
        int count;                      \
        const struct record *const *at; \
    }

/* --- structs that clients fill in --------------------------------------------------------- */

/*
 * A struct of settings begins with its size.  All other members may be 0, which means the default.
 *
 *     const struct nnefc_onnx how = {.size = sizeof how, .opset = 13};
 *
 * Later versions add members at the end.  If the client has an earlier version of the struct, its
 * size is smaller, and the missing members count as 0.  If the client has a later version, members
 * that this library does not know must be 0.  Otherwise NNEFC_USAGE.
 */

/* --- models ------------------------------------------------------------------------------ */

/* One network: options, then the document, then the graph made of it, and all diagnostics. */
struct nnefc_model;

NNEFC_API struct nnefc_model *nnefc_model_new(void);

/* Runs and results (compare.h) that were made from the model stay valid; the last of them that is
 * freed also frees the memory of the model.  NULL is allowed. */
NNEFC_API void nnefc_model_free(struct nnefc_model *model);

/* These functions set options before loading.  After loading they change nothing: NNEFC_USAGE. */

enum nnefc_dialect {
    NNEFC_DIALECT_AUTO, /* by the ';' after the version number */
    NNEFC_DIALECT_1_0,
    NNEFC_DIALECT_PROVISIONAL,
};
NNEFC_API enum nnefc_status nnefc_model_set_dialect(struct nnefc_model *model,
                                                    enum nnefc_dialect dialect);

/* Report faults as errors that are otherwise tolerated with a warning. */
NNEFC_API enum nnefc_status nnefc_model_set_pedantic(struct nnefc_model *model, bool pedantic);

/* All warnings from now on become errors, except those that were set by their names. */
NNEFC_API enum nnefc_status nnefc_model_set_werror(struct nnefc_model *model, bool werror);

/* A kind of warning; the names and the codes keep their meaning for ever. */
struct nnefc_warning {
    const char *name; /* "mixed-logic" */
    const char *code; /* of its diagnostics: "N0100" */
    const char *title;
    bool on_by_default; /* other warnings are on if they are set so, or with pedantic */
};

NNEFC_LIST_OF(nnefc_warning); /* nnefc_catalogue_warnings() */

enum nnefc_warning_state {
    NNEFC_WARNING_OFF,
    NNEFC_WARNING_ON,
    NNEFC_WARNING_ERROR,    /* on, and an error */
    NNEFC_WARNING_NO_ERROR, /* no error, on or off as before */
};

/* Set the state of the warning of this name; "all" is every warning that was not set by its name.
 */
NNEFC_API enum nnefc_status nnefc_model_set_warning(struct nnefc_model *model, const char *name,
                                                    enum nnefc_warning_state state);

/* The largest number of errors that are recorded: 20 by default; 0: no limit.  Further errors are
 * only counted. */
NNEFC_API enum nnefc_status nnefc_model_set_error_limit(struct nnefc_model *model, int limit);

/*
 * Whether regular files are mapped into memory, which is the default, or read into it.  Mapped
 * files must not become shorter while the model exists: if the library reads a part that is gone,
 * the system sends SIGBUS to the process (the program nnefc then ends itself).  If other processes
 * may shorten files, for example on shared folders, reading is safer.  It takes memory for whole
 * files, which counts for the limit on memory.  Texts are always read.
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

/* A folder, or archive, with the data of variables; NULL: that of the model.  It may be set until
 * the data is read. */
NNEFC_API enum nnefc_status nnefc_model_set_data_folder(struct nnefc_model *model,
                                                        const char *folder);

/* The quantization file (section 5.3); NULL: graph.quant beside the document, if it exists.  The
 * file is always checked. */
NNEFC_API enum nnefc_status nnefc_model_set_quant_file(struct nnefc_model *model, const char *path);

/*
 * How the entries of the quantization file are used; they are only hints (section 7).  In any case
 * they say what numbers the integers of stored weights stand for.
 *
 * An entry can give integers if its steps have one size, zero is one of them, and it has 2 to 16
 * bits, or up to 32 for a variable.  Stored weights then stay the integers that they are.  Other
 * entries are applied instead, with a warning.
 */
enum nnefc_quantization {
    NNEFC_QUANTIZATION_OFF,      /* not at all (the default) */
    NNEFC_QUANTIZATION_APPLY,    /* tensors are quantized in real arithmetic */
    NNEFC_QUANTIZATION_INTEGERS, /* tensors are integers, and operations compute with them */
    NNEFC_QUANTIZATION_AUTO,     /* as INTEGERS if then both operands of some sum of products are
                                    integers, or if only variables are quantized and their files in
                                    a folder hold integers; else as OFF */
};
NNEFC_API enum nnefc_status nnefc_model_set_quantization(struct nnefc_model *model,
                                                         enum nnefc_quantization how);

/* NNEFC_QUANTIZATION_APPLY or NNEFC_QUANTIZATION_OFF */
NNEFC_API enum nnefc_status nnefc_model_set_quantize(struct nnefc_model *model, bool quantize);

/* Give a graph parameter these extents, 0 or more, instead of those in the text (section 2.2),
 * which must be as many.  With rank 0, NULL is allowed.  Loading reports a name that is no
 * parameter. */
NNEFC_API enum nnefc_status nnefc_model_set_shape(struct nnefc_model *model, const char *parameter,
                                                  int rank, const int64_t *extents);

/* ONNX, PNNX: the value of a symbolic extent such as "batch", 0 or more.  ONNX: the items of an
 * input, which then is a constant and no parameter; files as for nnefc_run_read_input().  Loading
 * checks the names. */
struct nnefc_tensor;
NNEFC_API enum nnefc_status nnefc_model_set_extent(struct nnefc_model *model, const char *name,
                                                   int64_t extent);
NNEFC_API enum nnefc_status nnefc_model_bind(struct nnefc_model *model, const char *input,
                                             const struct nnefc_tensor *tensor);
NNEFC_API enum nnefc_status nnefc_model_bind_file(struct nnefc_model *model, const char *input,
                                                  const char *path);

/*
 * ONNX, PNNX: the file that the parameter will be read from.  If neither the model nor the client
 * gives an extent, loading takes it from the header of the file.  Without a name (NULL) the file is
 * for the next parameter that has none, or, if it is an archive of arrays, for all parameters.
 * `channels_last` is that of struct nnefc_image.
 */
NNEFC_API enum nnefc_status nnefc_model_set_input_file(struct nnefc_model *model,
                                                       const char *parameter, const char *path,
                                                       bool channels_last);

/* ONNX, PNNX: if the file declares another shape or type than the computed one, give the warning
 * "declared" and go on.  Without it that is an error, except for shapes that N0194 calls harmless.
 */
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

/* Set a limit.  A model that exceeds it is refused, not half loaded.  The default for memory is
 * three quarters of the machine's memory; the other limits have fixed defaults. */
NNEFC_API enum nnefc_status nnefc_model_set_limit(struct nnefc_model *model, enum nnefc_limit limit,
                                                  int64_t value);

/* "nesting", "depth", "nodes", ...; NULL behind the last. */
NNEFC_API const char *nnefc_limit_name(enum nnefc_limit limit);

/* The current value of a limit. */
NNEFC_API int64_t nnefc_model_limit(const struct nnefc_model *model, enum nnefc_limit limit);

/*
 * Read, check and lower a model: `path` is a folder with graph.nnef in it, or an archive of one
 * (tar, compressed or not, or zip), or an NNEF text, or a file of another format (origin.h), or "-"
 * for standard input.  nnefc_run_new() reads the data of variables, not this function.  A model can
 * be loaded only once; NNEFC_USAGE for a second time.
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

/* The model at that stage, as stable text; NULL if loading did not reach the stage.  The caller
 * frees the text with free(). */
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
        end_column;      /* of the byte behind it; the same as line and column: between two bytes */
    const char *warning; /* the name of the warning, even if it became an error; NULL: it is none */
    const char *text;
    const char *help;                           /* what to do about it, or NULL */
    const struct nnefc_diagnostic_list *notes;  /* sentences of their own, which may have a place */
    const struct nnefc_diagnostic_list *labels; /* a few words each about a part of the text */
    const struct nnefc_fix_list *fixes;         /* made together or not at all */
};

/* The errors and warnings that were recorded so far, in the order they were found.  A list lives as
 * long as the model, or until diagnostics are cleared; a later list may have more. */
NNEFC_API const struct nnefc_diagnostic_list *
nnefc_model_diagnostics(const struct nnefc_model *model);

/* The number of all errors so far, and of hidden ones: those beyond the limit, which are counted
 * but not recorded.  The search for errors ends with NNEFC_MOST_HIDDEN of them. */
enum { NNEFC_MOST_HIDDEN = 1000 };
NNEFC_API int nnefc_model_error_count(const struct nnefc_model *model);
NNEFC_API int nnefc_model_hidden_count(const struct nnefc_model *model);

/* A line of a text that a diagnostic names, without line end and NUL; "" with *size 0: there is no
 * such line. */
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

/* The kind of the examples of an explanation. */
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

/* The meaning of a code.  Texts are static.  In texts of several lines, each line ends with '\n'.
 */
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
    int rank;                       /* NNEFC_UNKNOWN behind an operation without a shape rule */
    int64_t extent[NNEFC_MAX_RANK]; /* NNEFC_UNKNOWN if the document leaves it open */
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

/* Do two labels name the same data?  Upper and lower case are equal, and so are '\' and '/'; one
 * of these at the beginning is ignored (section 4.1.3).  False if a label is NULL. */
NNEFC_API bool nnefc_label_equal(const char *a, const char *b);

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
 * call or none.  They do not replace a file that the model was read from, unless `force` is set.
 * With `force`, a folder also loses the graph.quant of another model, if this one has none.  It may
 * be set at any time.
 */
NNEFC_API enum nnefc_status nnefc_model_set_force(struct nnefc_model *model, bool force);

/*
 * Is this, or what a link of this name leads to, a file that the model was read from, or one with
 * data of it, whether these have been read or not?  Clients that write files of their own ask that
 * first.  Another thread may not use the model meanwhile.
 */
NNEFC_API bool nnefc_model_reads(struct nnefc_model *model, const char *path);

/*
 * Write a model of NNEF 1.0 or of ONNX as flat NNEF: every fragment of the document is expanded,
 * arguments that are defaults are left out, and identifiers and labels are kept.  NNEF has no
 * literals for infinity and NaN, so constants with such items become variables.  A graph without
 * parameters gets one that nothing reads.  `path` is an archive if it ends in ".tgz", ".tar.gz" or
 * ".tar", a document with its data beside it if it ends in ".nnef", "-" for the document alone on
 * standard output, else a folder, which is made.  Data that is already in that place stays there.
 * The same model makes the same bytes.
 *
 * The entries of the quantization file go to a file graph.quant.  If nnefc_model_set_quantization()
 * had them applied, they become operations of the document instead.  If a model has integers
 * between 'quantize' and 'dequantize', these tensors get entries in graph.quant, stored integers
 * stay as they are, and the document has the operations on scalars.
 */
NNEFC_API enum nnefc_status nnefc_model_write_nnef(struct nnefc_model *model, const char *path);

/* A variable that is updated (section 4.8) becomes an input of an ONNX model, and its new value an
 * output LABEL_out.  Metadata nnef.state.LABEL = "input,output" names both.  The first value of the
 * input is: */
enum nnefc_onnx_state {
    NNEFC_ONNX_STATE_INPUTS,  /* in a file PATH.state.npz, as an array with the name of the input */
    NNEFC_ONNX_STATE_DEFAULT, /* in the model, so that the input is optional */
};

/* An extent to leave open: that of an axis of a graph parameter, under a name.  Axes with the same
 * name have the same extent.  The model is an NNEF text or an ONNX file. */
struct nnefc_dynamic {
    const char *parameter;
    int axis;
    const char *name;
};

/* How layers of quantized tensors are written: as plain operators between DequantizeLinear and
 * QuantizeLinear, or, if there is one, as an operator on integers, such as QLinearConv, or
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
 * and tensors keep their names, axes their order.  If ONNX cannot express an operation, the status
 * is NNEFC_UNSUPPORTED, with a diagnostic for each such operation.  All files are complete or none
 * is touched; the same model makes the same bytes.  `how` may be NULL.  Extents of an ONNX model
 * that stayed open (nnefc_model_keep_open()) are open in the file, under their names.
 *
 * If nnefc_model_set_quantization() had the entries of the quantization file applied, they are part
 * of the model; otherwise they become metadata nnef.quant.TENSOR.  With NNEFC_KEEP_ONNX_QDQ and
 * NNEFC_QUANTIZATION_INTEGERS they become QuantizeLinear and DequantizeLinear, from opset 21 on
 * also with 16 bits; entries that integers cannot express are refused.
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

/* Write a .npy file if `path` ends so, else a .dat file; "-" is standard output.  The file is
 * complete or not touched at all. */
NNEFC_API enum nnefc_status nnefc_tensor_write(struct nnefc_model *model,
                                               const struct nnefc_tensor *tensor, const char *path);

NNEFC_API struct nnefc_type nnefc_tensor_type(const struct nnefc_tensor *tensor);

/* Whether its integers are unsigned.  Each is then stored as the signed integer with the same bits;
 * its value is (uint64_t)item.  This holds for results that ONNX declares as UINT64, and for
 * tensors read from a file with an integer above INT64_MAX. */
NNEFC_API bool nnefc_tensor_is_unsigned(const struct nnefc_tensor *tensor);

NNEFC_API int64_t nnefc_tensor_count(const struct nnefc_tensor *tensor);

/* The items, stored as enum nnefc_dtype says.  NULL only if `tensor` is NULL, even if there are no
 * items.  Only a tensor from nnefc_tensor_new() or nnefc_eval_result() may be written to. */
NNEFC_API void *nnefc_tensor_data(struct nnefc_tensor *tensor);
NNEFC_API const void *nnefc_tensor_items(const struct nnefc_tensor *tensor);

/* Any item as a double; true is 1. */
NNEFC_API double nnefc_tensor_item(const struct nnefc_tensor *tensor, int64_t index);

/* --- runs -------------------------------------------------------------------------------- */

/* The state of one execution.  Several runs of one model share its weights, and maybe a plan
 * (backend.h). */
struct nnefc_run;

/* A run by the reference, which is slow; nnefc_run_new_with(model, NULL) of backend.h is fast.  It
 * reads the data of variables if no earlier run did.  NULL if that fails or the graph cannot be
 * run; diagnostics have each reason. */
NNEFC_API struct nnefc_run *nnefc_run_new(struct nnefc_model *model);
NNEFC_API void nnefc_run_free(struct nnefc_run *run);

/*
 * Set the number of threads; 0 or less: one for each processor core that the process may use.  More
 * threads than processors are not started.  The run starts its threads in its first step and ends
 * them when it is freed.  The results are the same for any number.
 *
 * If the process forks while no other thread is within a call, the child may go on with its copy of
 * the run, which starts threads of its own, or free it.
 */
NNEFC_API void nnefc_run_set_threads(struct nnefc_run *run, int threads);

/*
 * Set the seed of operations that draw random numbers and have no seed of their own; at first it is
 * 0.  It takes effect with the next step.  The same seed gives the same numbers on every machine;
 * each step draws different ones.
 */
NNEFC_API void nnefc_run_set_seed(struct nnefc_run *run, uint64_t seed);

/* Add a note to every diagnostic of the run from now on, such as "in step 3 of 5"; NULL: none. */
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

/* Give each parameter the array of its name in a file .npz, if there is one.  There must be at
 * least one such array. */
NNEFC_API enum nnefc_status nnefc_run_read_inputs(struct nnefc_run *run, const char *path);

/* Whether the file is an archive of arrays, by its first bytes; false if it cannot be read. */
NNEFC_API bool nnefc_is_npz(const char *path);

/* Give a parameter random items: scalars evenly from [-1, 1), integers and logicals 0 or 1.  The
 * same seed gives the same items. */
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

/* Write all results into a file .npz, complete or not touched at all; "-" is standard output. */
NNEFC_API enum nnefc_status nnefc_run_write_outputs(const struct nnefc_run *run, const char *path);

/* A file for one result, as nnefc_tensor_write() writes it, or for all results if `index` is -1. */
struct nnefc_output_file {
    int index;
    const char *path;
};

/* Write all of these files or none, up to one whose path is NULL.  No two may be the same file. */
NNEFC_API enum nnefc_status nnefc_run_write_files(const struct nnefc_run *run,
                                                  const struct nnefc_output_file *files);

/* A kept tensor, valid until the next step; NULL if none of that name is kept, or if no result
 * depends on it. */
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
    const char *limit; /* the condition for importing it, "k is known"; NULL if there is none */
};

NNEFC_LIST_OF(nnefc_onnx_operator); /* nnefc_catalogue_onnx_operators() */

/* --- what the library knows ---------------------------------------------------------------- */

/* Lists that belong to no model: operations, passes, warnings, explanations.  A catalogue makes
 * each list at the first call for it.  Any number of threads may use a catalogue. */
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

/* The candidate that `name` probably means; `candidates` ends with NULL.  NULL if none is near. */
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
