/* activation.h - parameters of activations (section 4.4) */
#ifndef NNEFC_OP_ACTIVATION_H
#define NNEFC_OP_ACTIVATION_H

struct activation_attrs {
    double alpha, lambda;
};

#endif
