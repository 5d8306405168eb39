/* SPDX-License-Identifier: MIT
 * Information of Linux on the machine and on this process; unknown on other systems. */
#ifndef BASE_SYSTEM_H
#define BASE_SYSTEM_H

#include <stddef.h>

/* Bytes of the process that are not mapped files; 0 if unknown. */
double system_own_bytes(void);

/*
 * Bytes that the process may still use: of addresses (RLIMIT_AS), and of writable data
 * (RLIMIT_DATA); at least 0; INFINITY if there is no limit, or the present use is unknown.
 */
double system_free_addresses(void);
double system_free_data(void);

/*
 * Bytes available in the system, to this process and others: free memory and caches of files,
 * within the limits of its control group (1 or 2) and the two above; 0 if unknown.  root: prefix of
 * /proc and /sys, "" except in tests.
 */
double system_free_memory(const char *root);

/* Writes "AMD EPYC 9B14" into name, of size bytes; "" if unknown. */
void system_processor(char *name, size_t size);

/* Requests huge pages for memory that will all be written: pages of 4 KiB are mapped slowly. */
void system_huge_pages(void *data, size_t size_bytes);

/* Returns the whole pages of unused memory to the system; they stay mapped. */
void system_give_back(void *data, size_t size_bytes);

#endif
