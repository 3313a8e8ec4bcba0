/* declared.h - what a foreign file declares of its tensors, compared with what is computed */
#ifndef NNEFC_CONVERT_ONNX_DECLARED_H
#define NNEFC_CONVERT_ONNX_DECLARED_H

#include "convert/onnx/import_node.h"

struct declaration {
    const char *name;
    const char *what;                       /* such as "initializer"; NULL: what the node makes */
    int32_t type;                           /* enum onnx_data_type; UNDEFINED: not declared */
    int rank;                               /* -1: not declared; may be above MAX_RANK */
    int64_t extent[MAX_RANK];               /* EXTENT_UNKNOWN: open */
    bool binding;                           /* a shape that does not hold is an error */
    const char *(*type_name)(int32_t type); /* as files of that format have it */
};

/*
 * Is the tensor what the file declares, as far as it does?  If not, that is an error, or with
 * builder->trust_shapes a warning; false after an error.  Shapes are only warned of, too, if they
 * are not binding, or if writers use them for what they do not know: no extents at all, [1] for a
 * scalar, 0 for other extents.  Extents are not compared once the caller has given an input extents
 * that the file does not have (builder->reshaped).
 */
bool declaration_holds(struct translation *t, const struct declaration *declared,
                       const struct imported *computed);

#endif
