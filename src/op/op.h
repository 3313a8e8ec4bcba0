/*
 * op.h - everything the compiler knows about one operator
 *
 * An operator is one fragment in stdlib/stdlib.nnef (its signature) plus one `struct op_desc` in
 * this folder (its behaviour), op_NAME.  src/gen/opgen.c makes ids, structs, tables and accessors
 * of attributes from the signatures; the linker misses a descriptor that is not there.  A fragment
 * with a body needs a descriptor only if it is marked as kept.  What NNEF lacks has its fragment in
 * stdlib/nnefc-ext.nnef, and is there for documents that declare it.
 */
#ifndef NNEFC_OP_OP_H
#define NNEFC_OP_OP_H

#include "diag/diag.h"
#include "ir/datum.h"
#include "ir/graph.h"
#include "op/attr.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum op_trait {
    OP_ELEMENTWISE = 1 << 0, /* result item i depends on operand items i only */
    OP_COMMUTATIVE = 1 << 1,
    OP_VARIADIC = 1 << 2,  /* its operands form one array */
    OP_EFFECT = 1 << 3,    /* live even if no result is used; operand 0 is a variable */
    OP_PARTIAL = 1 << 4,   /* infer copes with operands of unknown extents */
    OP_EXTENSION = 1 << 5, /* none of NNEF's own */
    OP_CUSTOM = 1 << 6, /* a client's: asked for shapes once, its fragment says types of results */
    OP_PRODUCTS = 1 << 7,     /* its work (see struct node) is products that are summed up */
    OP_KEEPS_ORDER = 1 << 8,  /* the result has the items of operand 0, in the same order */
    OP_ANY_LAYOUT = 1 << 9,   /* the same with the dimensions of all operands and results in another
                                order, if 'axes', 'axis', 'padding' and 'repeats' follow it */
    OP_WHOLE = 1 << 10,       /* items of results are whole numbers, infinite, or NaN */
    OP_ZEROS_ALIKE = 1 << 11, /* results do not tell whether a zero in an operand is negative */
    OP_RANDOM = 1 << 12,  /* without operands, of other items in each run: passes leave it alone */
    OP_DECODES = 1 << 13, /* a constant takes more memory once it is computed: it stays until a
                             graph is planned */
    OP_MOVES = 1 << 14, /* each item of a result is one of an operand: attributes alone say which */
};

/* What the items of a value can be. */
struct range {
    double low, high;
    bool nan;           /* may be no number, too */
    bool negative_zero; /* a zero may have a sign */
};
#define OP_RANGE(...)     \
    &(const struct range) \
    {                     \
        __VA_ARGS__       \
    }

enum { OP_OPERANDS = 10, OP_RESULTS = 3 }; /* most that a descriptor declares */
enum op_result { OP_RESULT_SCALAR, OP_RESULT_INTEGER, OP_RESULT_LOGICAL, OP_RESULT_GENERIC };

struct items;
struct op_call;
struct team;

/* What a shape rule sees and fills in. */
struct infer {
    struct graph *graph;
    const struct op_call *call;
    const void *attrs; /* decoded */
    int nin;
    int nout;          /* results: as declared, unless infer_results() says otherwise */
    struct shape *out; /* zeroed; for the rule to fill in */
    int64_t *work;     /* 0 unless the rule calls infer_work() or infer_reads() */
};

/* What a kernel sees. */
struct eval {
    const struct node *node;
    const void *attrs;
    const struct tensor *const *in;
    struct tensor *const *out; /* allocated and zeroed; shapes as inferred */
    struct diag *diag;
    struct team *team; /* threads for eval_share(); NULL: the caller alone */
    uint64_t seed;     /* of the run, for random numbers; and which of its steps this is, from 0 */
    uint32_t cycle;
};

struct op_desc {
    unsigned id;                 /* enum op_id; OP_COUNT if a client's */
    const char *name;            /* fragment in stdlib/stdlib.nnef */
    const char *provisional;     /* fragment in stdlib/provisional.nnef, if named otherwise */
    const char *alias;           /* also its name in provisional quantization files, if any */
    const char *kind;            /* the sort of work it is, in profiles; NULL: "items" if it is
                                    OP_ELEMENTWISE, else its name */
    const struct op_attr *attrs; /* ends with {0}; NULL if there are none */
    size_t attrs_size;
    const unsigned char *row_of; /* by enum attr_id: index into `attrs` + 1, 0: no such attribute */
    int noperand;                /* parameters that are tensors or arrays of them */
    int generic_operand;         /* the first of type '?'; that many if there is none */
    enum op_result operand[OP_OPERANDS]; /* their data types; of tensor<>: GENERIC */
    unsigned traits;
    const struct range *range;         /* of results, whatever the operands are; NULL: any number */
    enum op_result result[OP_RESULTS]; /* data types; the first also for all items of an array
                                          result */
    int nresult;                       /* results; 0 stands for 1 */
    enum value_kind introduces;        /* external, constant, variable: makes a value, not a node */

    /* Check operands and attributes, set the shape of every result; infer_error() reports.  All
     * operands have a known rank, and known extents unless OP_PARTIAL. */
    bool (*infer)(struct infer *infer);

    /* Reference kernel: plain loops over row-major items, sums in double.  NULL: cannot run. */
    bool (*eval)(const struct eval *eval);
    /* What operand 0 stands for, if it holds the integers of a file, signed or not. */
    bool (*dequantize)(const struct eval *eval, bool is_signed);
    /* For eval_items(): what an elementwise operator makes of an item. */
    double (*unary)(double x), (*binary)(double x, double y);
    /* The same as an expression of C, for items x, y and z of the operands and attributes `alpha`
     * and `lambda`; its functions are those of math.h, and num_lesser() and the like.  Of
     * operations on integers: of 64 bits, before they are wrapped. */
    const char *expression;
    /* For eval_items(): fills items->out from items->in, for some items of the result. */
    void (*apply)(struct items *items);
    /* The same of operations on integers; `huge`: they have 64 bits and no sign (integer.c). */
    int64_t (*integer)(int64_t x, int64_t y, bool huge);

    /* The same by nodes of other operators, made where new ones stand: a value for each result.
     * For those whose fragment has no body.  False after a report. */
    bool (*unroll)(struct graph *graph, struct node *node, struct value **results);
};

/* The row of an attribute (enum attr_id) in the table of an operator; NULL: it has no such one. */
static inline const struct op_attr *op_attr_row(const struct op_desc *op, unsigned attr)
{
    unsigned row = op->row_of ? op->row_of[attr] : 0;

    return row > 0 ? &op->attrs[row - 1] : NULL;
}

static inline bool node_has_attr(const struct node *node, unsigned attr)
{
    return op_attr_row(node->op, attr);
}

/* Has the only result items of the only operand, whatever they are? */
static inline bool node_moves_one(const struct node *node)
{
    return node->op->traits & OP_MOVES && !(node->op->traits & OP_VARIADIC) && node->nout == 1;
}

/* Has the result the items of all operands, one after the other? */
static inline bool node_joins(const struct node *node)
{
    return node->op->traits & OP_MOVES && node->op->traits & OP_VARIADIC;
}

/* Where a node has its attribute, which it must have.  Use the typed attr_axes() and so on. */
static inline const void *node_attr_field(const struct node *node, unsigned attr)
{
    const struct op_attr *row = op_attr_row(node->op, attr);

    assert(row && node->attrs);
    return (const unsigned char *)node->attrs + row->offset;
}

/*
 * Generated from the signatures: enum op_id (OP_conv), enum attr_id (ATTR_stride), enums of words
 * (enum border), structs of attributes (struct window_attrs), and for each attribute an accessor,
 * which holds for every operator that has it: const struct integers *attr_stride(node).
 */
#include "ops.h"

/* Defines the descriptor of an operator: what its signature says, traits, and further fields. */
#define DESCRIPTOR(name, traits, ...) \
    const struct op_desc op_##name = {OP_SIGNATURE_##name(traits), __VA_ARGS__}

/*
 * An operator and its attributes, for op_append():
 *
 *     OP_SPEC(slice, .axes = {1, &axis}, .begin = {1, &begin}, .end = {1, &end}, ...)
 *     op_plain(OP_relu)
 *
 * Fields that are not named are zero: no items, the first of the words.  What the fields point to
 * need live only until the node is made.  OP_SPEC() itself lives as long as the block it stands in,
 * and the branch of an `if` is a block: build the node there, too.
 */
struct op_spec {
    enum op_id op;
    const void *attrs; /* NULL: all zero */
};
#define OP_SPEC(name, ...) ((struct op_spec){OP_##name, &(const OP_ATTRS_##name){__VA_ARGS__}})

static inline struct op_spec op_plain(enum op_id op)
{
    return (struct op_spec){op, NULL};
}

extern const struct op_desc *const op_table[OP_COUNT];

/* The descriptor of a fragment, NULL if there is none. */
const struct op_desc *op_find(const char *name);

const struct shape *infer_in(const struct infer *infer, int index);

/* There are `count` results; resizes infer->out.  False beyond the limits. */
bool infer_results(struct infer *infer, int64_t count);

/*
 * The kernel reads `each` items for each one of `out`, whose unknown extents count as 1, and they
 * need not exist: windows may be of any size.  False, reported, beyond the limit.
 */
bool infer_work(const struct infer *infer, const struct shape *out, int64_t each);

/* The same without a limit, for items that do exist: a run counts them. */
void infer_reads(const struct infer *infer, const struct shape *out, int64_t each);

/*
 * Report a fault of the invocation, underlined where parameter `param` has its argument; NULL: the
 * whole of it.  Adds operands and the fragments it was reached through.  Returns false.
 */
bool infer_error(const struct infer *infer, const char *param, enum diag_code code, const char *fmt,
                 ...) PRINTF_LIKE(4, 5);
void infer_warning(const struct infer *infer, const char *param, enum diag_warning warning,
                   const char *fmt, ...) PRINTF_LIKE(4, 5);

/* Add a few words behind the carets of the last report, which was about `param`.  Returns false. */
bool infer_label(const struct infer *infer, const char *param, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* Report a fault of a kernel's node, or that memory for its work is missing.  Return false. */
bool eval_error(const struct eval *eval, enum diag_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
bool eval_no_memory(const struct eval *eval);

#endif
