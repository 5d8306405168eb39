/* SPDX-License-Identifier: MIT
 * UNROLL before a loop of the vector kernels. */
#ifndef NN_UNROLL_H
#define NN_UNROLL_H

/* The whole of a loop over a constant, so that sums are registers; clang reads
   GCC's pragma only where the number divides. */
#if !defined(__clang__)
#define UNROLL _Pragma("GCC unroll 16")
#elif __has_feature(address_sanitizer) || __has_feature(undefined_behavior_sanitizer) || \
      __has_feature(thread_sanitizer)
#define UNROLL                  /* with a check in each copy, clang takes 17 GB */
#else
#define UNROLL _Pragma("clang loop unroll(full)")
#endif

#endif
