/* library_verify.h - do the fragments of the library and the descriptors of operators agree? */
#ifndef NNEFC_TESTS_SUPPORT_LIBRARY_VERIFY_H
#define NNEFC_TESTS_SUPPORT_LIBRARY_VERIFY_H

#include "sema/sema.h"

/*
 * Reports every primitive without descriptor, every attribute that stands on one side only or is of
 * another kind, every result of another type; false if there was any.
 */
bool library_verify(struct context *context, const struct library *library);

#endif
