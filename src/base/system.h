/* SPDX-License-Identifier: MIT
 * What Linux says of the machine and of this process; other systems say nothing. */
#ifndef BASE_SYSTEM_H
#define BASE_SYSTEM_H

#include <stddef.h>

/* Bytes of the process that no file is behind; 0 where the system does not say. */
double system_own_bytes(void);

/*
 * Bytes that the process may still take: of addresses (RLIMIT_AS), and of data that it may write
 * (RLIMIT_DATA); at least 0; INFINITY: there is no limit, or the system does not say what is taken.
 */
double system_free_addresses(void);
double system_free_data(void);

/*
 * Bytes that the system has to give, to this process and to others: free memory and what files
 * keep of it, within the limits of its control group (1 or 2) and of the two above; 0 where the
 * system does not say.  root: what stands before /proc and /sys, "" but in tests.
 */
double system_free_memory(const char *root);

/* "AMD EPYC 9B14", into name of size bytes; empty where the system does not say. */
void system_processor(char *name, size_t size);

/* All of the memory will be written; pages of 4 KiB would be mapped one by one, slowly. */
void system_huge_pages(void *data, size_t size_bytes);

/* The memory is not used any more: its whole pages go back to the system, and stay mapped. */
void system_give_back(void *data, size_t size_bytes);

#endif
