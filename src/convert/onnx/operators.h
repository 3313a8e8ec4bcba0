/* operators.h - the operators of ONNX, with what is imported and what is not */
#ifndef NNEFC_CONVERT_ONNX_OPERATORS_H
#define NNEFC_CONVERT_ONNX_OPERATORS_H

struct context;

/* Domains of operators. */
#define NAME_ONNX      "ai.onnx"
#define NAME_MICROSOFT "com.microsoft"

enum onnx_operator_how {
    ONNX_AS_OPERATION, /* of NNEF, with the same operands */
    ONNX_AS_FRAGMENT,  /* that is composed of operations */
    ONNX_BY_FUNCTION,
    ONNX_MISSING, /* nothing computes it so far */
    ONNX_REFUSED  /* it has no meaning here */
};

struct onnx_operator {
    const char *domain;
    const char *type; /* NULL: all of the domain */
    enum onnx_operator_how how;
    const char *by; /* operation, fragment, function, or why it is refused; NULL: it is missing */
    const char *limit; /* what it has to be like, "k is known"; NULL: nothing but what ONNX says */
};

/* By domain, then by type; of the arena of the context. */
const struct onnx_operator *onnx_operators(struct context *context, int *count);

/* Why an operator of that domain is refused; NULL: there is no reason, or it is imported. */
const char *onnx_refusal(const char *domain, const char *type);

#endif
