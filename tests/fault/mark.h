/* SPDX-License-Identifier: MIT
 * How the preloaded library tells the tracer where main begins and ends. */
#ifndef FAULT_MARK_H
#define FAULT_MARK_H

#include <stdbool.h>

/* The signal's number in kill(0, FAULT_MARK, what, ...): none has it, so the call fails. */
enum { FAULT_MARK = 0x4d48 };

/* what; with FAULT_END come the numbers of allocations and of threads asked for. */
enum { FAULT_BEGIN = 1, FAULT_END = 2 };

#endif
