/*
 * stamp.h - the end of a file of weights, by which a model knows its own without reading the rest
 *
 * A model names the SHA-1 digest of the whole file (key `checksum` of external data), for which all
 * of the file would have to be read.  The last block of the file therefore holds the state of
 * SHA-1 before that block; from there on the digest takes one step.
 */
#ifndef NNEFC_CONVERT_ONNX_STAMP_H
#define NNEFC_CONVERT_ONNX_STAMP_H

#include "base/sha1.h"

#include <stdbool.h>

enum { STAMP_SIZE = SHA1_BLOCK };

/* The stamp behind what was added to `sha1`, which are whole blocks; no NUL behind it. */
void stamp_make(const struct sha1 *sha1, char stamp[STAMP_SIZE]);

/*
 * The digest of a file of `size` bytes if its stamp is true of it, which is not examined; false if
 * it ends without a stamp.
 */
bool stamp_digest(const void *data, size_t size, char digits[SHA1_DIGITS + 1]);

#endif
