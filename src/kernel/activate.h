/* activate.h - activations of results that are in memory */
#ifndef NNEFC_KERNEL_ACTIVATE_H
#define NNEFC_KERNEL_ACTIVATE_H

#include "kernel/epilogue.h"
#include "kernel/vector.h"

activate_items KERNEL(activate);

#endif
