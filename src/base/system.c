/* SPDX-License-Identifier: MIT */
#include "base/system.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

double system_own_bytes(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    char line[128] = "", *at = line;
    unsigned long resident, shared;

    if (f == NULL)
        return 0;
    if (fgets(line, sizeof line, f) == NULL)
        line[0] = '\0';
    fclose(f);
    strtoul(at, &at, 10);
    resident = strtoul(at, &at, 10);
    shared = strtoul(at, &at, 10);
    return resident > shared ? (double)(resident - shared) * (double)sysconf(_SC_PAGESIZE) : 0;
}

void system_processor(char *name, size_t size)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];

    name[0] = '\0';
    while (f != NULL && name[0] == '\0' && fgets(line, sizeof line, f) != NULL) {
        char *colon = strchr(line, ':');

        if (strncmp(line, "model name", strlen("model name")) != 0 || colon == NULL)
            continue;
        colon += 1 + strspn(colon + 1, " ");
        colon[strcspn(colon, "\n")] = '\0';
        snprintf(name, size, "%s", colon);
    }
    if (f != NULL)
        fclose(f);
}

void system_huge_pages(void *data, size_t size_bytes)
{
#ifdef MADV_HUGEPAGE
    enum { PAGE = 1 << 12 };
    uintptr_t from = (uintptr_t)data, first = (from + PAGE - 1) & ~(uintptr_t)(PAGE - 1);

    if (from + size_bytes > first)
        madvise((void *)first, from + size_bytes - first, MADV_HUGEPAGE);
#else
    (void)data;
    (void)size_bytes;
#endif
}
