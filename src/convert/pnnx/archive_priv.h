/* archive_priv.h - the numbers of a ZIP archive, as reading and writing have them */
#ifndef NNEFC_CONVERT_PNNX_ARCHIVE_PRIV_H
#define NNEFC_CONVERT_PNNX_ARCHIVE_PRIV_H

#include <stdint.h>

/* Bytes without names and extra fields. */
enum { END_SIZE = 22, LOCATOR_SIZE = 20, END64_SIZE = 56, ENTRY_SIZE = 46, LOCAL_SIZE = 30 };

enum {
    LOCAL_SIGNATURE = 0x04034B50,
    ENTRY_SIGNATURE = 0x02014B50,
    END64_SIGNATURE = 0x06064B50,
    LOCATOR_SIGNATURE = 0x07064B50,
    END_SIGNATURE = 0x06054B50,
    ZIP64_EXTRA = 1
};

/* CRC-32 of the data of a member. */
uint32_t archive_checksum(const unsigned char *data, uint64_t size);

#endif
