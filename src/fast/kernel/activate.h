/* activate.h - activations of results that are in memory */
#ifndef NNEFC_FAST_KERNEL_ACTIVATE_H
#define NNEFC_FAST_KERNEL_ACTIVATE_H

#include "fast/kernel/epilogue.h"
#include "fast/kernel/vector.h"

activate_items KERNEL(activate);

#endif
