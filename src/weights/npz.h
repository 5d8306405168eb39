/* SPDX-License-Identifier: MIT
 *
 * NumPy's formats.  npy 1.0: "\x93NUMPY" 1 0, u16 header length, a Python
 * dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } padded
 * with spaces so that the data begins at a multiple of 64.  npz: a zip of
 * NAME.npy members, stored; zip64 records where a size or offset reaches 4 GiB;
 * the fixed date 1980-01-01, so the same arrays give the same bytes. */
#ifndef WEIGHTS_NPZ_H
#define WEIGHTS_NPZ_H

#include <stdio.h>

#include "base/out.h"
#include "weights/weights.h"

/* ---- writing ---- */

struct npz;

/*
 * Writes to file, which must be a file that can be sought, at offset 0 (see
 * out_open).  Members may be filled in any order by several threads: npz_put is
 * safe to call from them for ranges that do not overlap.  Ends with npz_finish
 * or npz_abort.
 */
struct npz *npz_new(struct arena *a, FILE *file);

/*
 * Adds the array NAME.npy and reserves its space; returns its index.  Only one
 * thread may add.  dtype must have an npy name.
 */
int npz_add(struct npz *npz, const char *name, enum dtype dtype, int n_dims,
            const int64_t *shape);

/*
 * Adds the array NAME.npy of n strings, NumPy's type <U.  A string is cut after
 * NPZ_STRING_MAX code points; bytes that are not UTF-8 become U+FFFD.
 */
enum { NPZ_STRING_MAX = 256 };
void npz_add_strings(struct npz *npz, const char *name, const char *const *strings, int n);

/* The same for one string, which is not cut. */
void npz_add_text(struct npz *npz, const char *name, const char *text);

/*
 * Writes n elements at element offset first of array i.  Every element of every
 * array must have been written exactly once before npz_finish; what was left
 * out reads as zero (the file is sparse there, the checksum right).
 */
void npz_put(struct npz *npz, int i, int64_t first, const void *elements, int64_t n);

/* Checksums, central directory.  Errors: a failed write or seek. */
int npz_finish(struct npz *npz, struct err *e);

/* In place of npz_finish, if the file is abandoned: frees memory. */
void npz_abort(struct npz *npz);

/* One array as .npy, to any stream. */
int npy_write(FILE *file, enum dtype dtype, int n_dims, const int64_t *shape,
              const void *elements, struct err *e);

/* ---- reading ---- */

/*
 * The arrays of an .npz (stored members; deflated ones are inflated into a, up
 * to 4 GiB in all) or of one .npy (then named ""), as tensors sorted by name.
 * Pickles, Fortran order, big-endian data, headers that claim more than the
 * file holds, names with ".." and encrypted members are refused by name.
 * Members that are not .npy are left out of the tensors; npz_bytes finds them.  So are
 * arrays of strings (<U) in one dimension; npz_strings finds those.
 * Checksums of stored members, which are mapped and not read, are not verified.
 */
struct weights *npz_open(struct arena *a, const char *path, struct err *e);

/* The same for a file with a single array, *only: usually a .npy. */
struct weights *npz_open_one(struct arena *a, const char *path,
                             const struct tensor **only, struct err *e);

/*
 * Name, type and shape of that single array, data NULL: of a deflated one only the header is
 * unpacked, so that a wrong shape costs nothing.  Checksums are not verified.
 */
int npz_shape(struct arena *a, const char *path, struct tensor *out, struct err *e);

/* npz_open from bytes in memory that outlive it; name is for messages. */
struct weights *npz_open_memory(struct arena *a, struct span bytes, const char *name,
                                struct err *e);

/* The bytes of a member that is not .npy ("tokens.json"); data NULL if there is none. */
struct span npz_bytes(const struct weights *weights, const char *name);

/*
 * The array NAME.npy of strings: I32 [n, width] of code points; NULL if there is none.  And string
 * i of it, as UTF-8 with a NUL after its *size bytes; zeros at its end are padding.
 *
 * Errors (ERR_INPUT): not a code point of Unicode; NULL is returned.
 */
const struct tensor *npz_strings(const struct weights *weights, const char *name);
char *npz_string(const struct tensor *strings, int64_t i, struct arena *a, size_t *size,
                 struct err *e);

#endif
