/* lower_priv.h - shared by the files of lower/ */
#ifndef NNEFC_LOWER_LOWER_PRIV_H
#define NNEFC_LOWER_LOWER_PRIV_H

#include "base/map.h"
#include "base/stack.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "lower/lower.h"

struct arena;

/* The state of one lowering. */
struct lowering {
    struct context *context;
    const struct checked *checked;
    const struct lower_options *options;
    struct graph *graph;
    struct arena *scratch; /* data of the statement of the graph body at hand */
    struct map customs;    /* descriptors of custom operations, by signature */
    struct map labels;     /* first variable of each label */
    struct map shared;     /* labels of several variables, once the graph is complete */
    struct map updated;    /* node that updates the variables of a label */
    struct map entries;    /* of the quantization file, by identifier */
    struct map noted;      /* of tensors with entries: what entries say of them */
    struct noted *noted_first, *noted_last;
    struct graph *aside; /* where entries are tried out */
    int64_t work;        /* steps so far; limits.work is the most */
    int errors;          /* reported before lowering began */
    int depth;           /* of evaluation */
    uintptr_t floor;     /* of the stack; 0 until evaluation is that deep that it matters */
};

/* Nodes are added to `graph`.  Bounds how far the arena of the context may grow from here on.
 * lowering_end() frees what this takes. */
struct lowering lowering_begin(const struct checked *checked, const struct lower_options *options,
                               struct graph *graph);
void lowering_end(struct lowering *l);

/* Erases the nodes from `last` back to that of id `first_id` whose results nothing reads and that
 * no identifier of the graph body names. */
void lower_erase_dead(struct graph *graph, struct node *last, uint32_t first_id);

/* Was anything reported, now or before?  Then it was reported, too, why something is missing. */
static inline bool has_faults(const struct lowering *lowering)
{
    return !lowering->checked->sound ||
           diag_error_count(lowering->context->diag) > lowering->errors;
}

/* One body being evaluated: the graph's, or that of a fragment on one invocation. */
struct call_frame {
    struct lowering *lowering;
    struct datum *env;                   /* by slot; DATUM_NONE: not assigned, or reported */
    enum dtype generic;                  /* what '?' stands for */
    const struct expr *target;           /* left side of the statement at hand */
    struct call_frame *caller;           /* NULL in the graph body */
    const struct invocation *invocation; /* of the fragment; NULL in the graph body */
    const struct call_site *site;        /* made when frame_site() is first asked for it */
    int depth;                           /* fragments around it */
};

/* The fragments that led here, for nodes and reports; NULL in the graph body. */
const struct call_site *frame_site(struct call_frame *frame);

/*
 * The value of `expr`, in the scratch arena.  False if a fault was reported, here or where a name
 * in it should have got its value.
 */
bool evaluate(struct call_frame *frame, const struct expr *expr, struct datum *out);

/* Run the statements of a fragment's body; false at the first that fails. */
bool run_body(struct call_frame *frame, const struct stmt_list *body);

/* An argument of an invocation, evaluated and cast to the type of its parameter. */
struct bound {
    struct datum value;
    struct span span; /* nowhere for a default */
    int tensors;      /* in it, items of items included; counted for nodes */
};

/* An operation or fragment with all its arguments. */
struct invocation {
    const struct signature *signature;
    struct bound *args; /* one per parameter */
    enum dtype generic; /* what '?' stands for; UNKNOWN: the check left it open, or there is none */
    struct span span;
};

/* Make the node, expand the fragment, or introduce the value that was invoked. */
bool invoke(struct call_frame *frame, const struct invocation *invocation, struct datum *out);

/* Report a label that is no name of a file, or that of a variable of another shape or type. */
bool check_label(struct call_frame *frame, const struct invocation *call, struct value *variable);

/* Report an update of what is no variable, or a second one of the same data. */
bool check_update(struct call_frame *frame, const struct invocation *call, struct node *update);

/* One kind of expression each, for evaluate(). */
bool evaluate_call(struct call_frame *frame, const struct expr *expr, struct datum *out);
bool evaluate_builtin(struct call_frame *frame, const struct expr *expr, struct datum *out);
bool evaluate_unary(struct call_frame *frame, const struct expr *expr, struct datum *out);
bool evaluate_binary(struct call_frame *frame, const struct expr *expr, struct datum *out);

/* quant.c: check what the quantization file says of a tensor of the graph body, which has its name,
 * and keep it in mind. */
void note_entry(struct lowering *l, struct value *value);

/* Do that to all tensors of the complete graph, as the options say.  Results take over the names.
 * False after a report. */
bool quantize_tensors(struct lowering *l);

/* lower.c: the value, or a copy if it has an identifier or is a literal, which has no place in the
 * text.  NULL after a report. */
struct value *value_of_its_own(struct lowering *l, struct value *value, struct span span);

/* Checks an entry against the tensor, also if quantization is not applied; *node as in
 * lower_quant().  False after a report. */
bool quant_try(struct lowering *l, const struct quant_entry *entry, const struct value *tensor,
               const struct node **node);

/* Note that something is decided by these operands, so that other numbers might decide otherwise,
 * if the options ask for a trace. */
void trace_choice(struct call_frame *frame, struct span span, const struct datum *operand,
                  int count);

/* Report at `span`, with the fragments it was reached through.  Returns false. */
bool fault(struct call_frame *frame, struct span span, enum diag_code code, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* Count steps of the expansion; false, reported, beyond the limit. */
enum { CHARACTERS_A_STEP = 16 };
bool take_steps(struct call_frame *frame, struct span span, int64_t count);

/* The same for reading all of a string; for other data no step is counted. */
bool read_string(struct call_frame *frame, struct span span, const struct datum *datum);

/* May the expansion take that many bytes more?  False, reported, if not. */
bool may_take(struct call_frame *frame, struct span span, int64_t bytes);

/* Zeroed room for `count` items in the scratch arena, which counts as steps; NULL, reported, beyond
 * the limits. */
struct datum *new_items(struct call_frame *frame, struct span span, int64_t count);

/* The same for a string of that length; its final NUL is there. */
char *new_characters(struct call_frame *frame, struct span span, int64_t count);

/* The implicit cast of section 3.3.1: literals become tensors of rank 0 where one is expected. */
bool cast_datum(struct call_frame *frame, const struct type *type, struct span span,
                struct datum *datum);

#endif
