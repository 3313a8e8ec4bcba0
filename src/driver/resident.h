/* resident.h - how much memory this process has had */
#ifndef NNEFC_DRIVER_RESIDENT_H
#define NNEFC_DRIVER_RESIDENT_H

#include <stdint.h>

/* The most that was resident at once since the program was started, or NNEFC_UNKNOWN. */
int64_t peak_resident_bytes(void);

#endif
