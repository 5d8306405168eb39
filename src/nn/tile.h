/* SPDX-License-Identifier: MIT
 *
 * The inner loop of a product: tiles of rows and columns whose sums stay in registers.  They
 * implement `rows` of struct kernels; each processor's tile has a file of its own. */
#ifndef NN_TILE_H
#define NN_TILE_H

struct product;                 /* kernels.h */

void tile_avx2_rows(const struct product *product);
void tile_avx512_rows(const struct product *product);
void tile_neon_rows(const struct product *product);

#endif
