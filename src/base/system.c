/* SPDX-License-Identifier: MIT */
#include "base/system.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* /proc/self/statm: pages of each kind. */
enum statm { STATM_SIZE, STATM_RESIDENT, STATM_SHARED, STATM_TEXT, STATM_LIB, STATM_DATA, N_STATM };

/* All 0 where the system does not say. */
static void read_statm(double bytes[N_STATM])
{
    FILE *f = fopen("/proc/self/statm", "r");
    char line[128] = "", *at = line;

    if (f != NULL && fgets(line, sizeof line, f) == NULL)
        line[0] = '\0';
    if (f != NULL)
        fclose(f);
    for (int i = 0; i < N_STATM; i++)
        bytes[i] = (double)strtoul(at, &at, 10) * (double)sysconf(_SC_PAGESIZE);
}

double system_own_bytes(void)
{
    double bytes[N_STATM];

    read_statm(bytes);
    return fmax(bytes[STATM_RESIDENT] - bytes[STATM_SHARED], 0);
}

/* What the limit leaves of what is taken. */
static double left_of(const struct rlimit *limit, enum statm taken)
{
    double bytes[N_STATM];

    if (limit->rlim_cur == RLIM_INFINITY)
        return INFINITY;
    read_statm(bytes);
    return bytes[taken] > 0 ? fmax((double)limit->rlim_cur - bytes[taken], 0) : INFINITY;
}

double system_free_addresses(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_AS, &limit) == 0 ? left_of(&limit, STATM_SIZE) : INFINITY;
}

double system_free_data(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_DATA, &limit) == 0 ? left_of(&limit, STATM_DATA) : INFINITY;
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
