/* SPDX-License-Identifier: MIT
 *
 * The zip format as far as npz needs it; all numbers little-endian.
 *
 *     local header     sig 4, version 2, flags 2, method 2, time 2, date 2, crc 4,
 *                      packed 4, size 4, name length 2, extra length 2, name, extra
 *     central entry    sig 4, made by 2, version 2, flags 2, method 2, time 2,
 *                      date 2, crc 4, packed 4, size 4, name length 2, extra length
 *                      2, comment length 2, disk 2, internal 2, external 4, offset 4,
 *                      name, extra, comment
 *     zip64 end        sig 4, length 8, made by 2, version 2, disk 4, disk 4,
 *                      entries here 8, entries 8, directory size 8, its offset 8
 *     zip64 locator    sig 4, disk 4, offset of the zip64 end 8, disks 4
 *     end              sig 4, disk 2, disk 2, entries here 2, entries 2, directory
 *                      size 4, its offset 4, comment length 2, comment
 *
 * A field of 4 bytes that is all ones is in the extra record 0x0001 with 8 bytes: size,
 * packed, offset, in this order, only those concerned. */
#ifndef WEIGHTS_ZIP_H
#define WEIGHTS_ZIP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

enum {
    ZIP_LOCAL = 0x04034b50, ZIP_CENTRAL = 0x02014b50, ZIP_END = 0x06054b50,
    ZIP64_END = 0x06064b50, ZIP64_LOCATOR = 0x07064b50,

    N_LOCAL = 30, N_CENTRAL = 46, N_END = 22, N_END64 = 56, N_LOCATOR64 = 20,

    ZIP64_EXTRA = 1,
    FLAG_ENCRYPTED = 1, FLAG_DESCRIPTOR = 8, FLAG_UTF8 = 0x800,
    METHOD_STORED = 0, METHOD_DEFLATED = 8,
    ZIP_16 = 0xffff
};

#define ZIP_32 UINT64_C(0xffffffff)

struct zip_entry {                  /* of the central directory */
    const char *name;
    size_t n_name;
    unsigned flags, method;
    uint32_t crc;
    uint64_t packed, size, offset;
    uint64_t end;               /* end of its packed data */
    struct span bytes;          /* unpacked data: all, or only the header */
};

struct zip {
    struct arena *a;
    struct span file;
    bool shapes_only;           /* of deflated members unpack only the headers of .npy */
    uint64_t n, directory, directory_size;
    struct zip_entry *entry;        /* [n] */
};

/*
 * Fills entry, sorted by offset; a and file are set.
 *
 * Errors (ERR_INPUT): the directory and the members disagree, overlap or leave gaps; names
 * that could leave a folder; encrypted or damaged members; over 4 GiB deflated.
 */
int zip_read(struct zip *zip, struct err *e);

#endif
