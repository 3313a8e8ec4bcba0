/* identity_priv.h - what is known while identities are looked for */
#ifndef NNEFC_PASS_IDENTITY_PRIV_H
#define NNEFC_PASS_IDENTITY_PRIV_H

#include "pass/identity.h"

struct identities {
    bool *told; /* by value id: a result depends on whether a zero there is negative */
    const struct value *refused; /* what cannot stand for a result just because of that */
};

/* identity_zero.c */
void zeros_begin(struct pass *pass, struct identities *identities);

#endif
