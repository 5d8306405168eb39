/* SPDX-License-Identifier: MIT
 * Nothing is left by a jump: where memory runs out, the page starts the module anew. */
#ifndef POSIX_SETJMP_H
#define POSIX_SETJMP_H

typedef int jmp_buf[1];
#define setjmp(border) ((void)(border), 0)
#define longjmp(border, value) ((void)(border), __builtin_trap())

#endif
