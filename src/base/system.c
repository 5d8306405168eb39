/* SPDX-License-Identifier: MIT */
#include "base/system.h"

#include <limits.h>
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

/* ---- memory that is free ---- */

/* Of a control group's folder; the kinds differ in names only. */
struct group_kind {
    const char *line;           /* of /proc/self/cgroup: what stands before the path */
    const char *all, *most[2], *taken;
    const char *files[2];       /* of memory.stat: what is kept of files that are on a disk, and
                                   may be given up */
};

static const struct group_kind group_kinds[] = {
    { "0::", "/sys/fs/cgroup", { "memory.max", "memory.high" }, "memory.current",
      { "active_file ", "inactive_file " } },
    { ":memory:", "/sys/fs/cgroup/memory", { "memory.limit_in_bytes" }, "memory.usage_in_bytes",
      { "total_active_file ", "total_inactive_file " } },
};

/* NULL: there is none. */
static FILE *open_under(const char *root, const char *folder, const char *file)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s%s%s", root, folder, file);

    return n < (int)sizeof path ? fopen(path, "r") : NULL;
}

/* The number after `name` in the first line that has it, NAN: there is none, or a word. */
static double number_in(FILE *file, const char *name)
{
    char line[256];
    double number = NAN;

    while (file != NULL && isnan(number) && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, strlen(name)) == 0) {
            const char *at = line + strlen(name);

            at += strspn(at, " ");
            number = *at >= '0' && *at <= '9' ? (double)strtoull(at, NULL, 10) : NAN;
        }
    if (file != NULL)
        fclose(file);
    return number;
}

/* What a folder's limits leave; INFINITY: it has none. */
static double left_of_folder(const struct group_kind *kind, const char *folder)
{
    double most = NAN, left;

    for (int i = 0; i < 2 && kind->most[i] != NULL; i++)
        most = fmin(most, number_in(open_under(folder, "/", kind->most[i]), ""));
    left = most - number_in(open_under(folder, "/", kind->taken), "");
    if (isnan(left))
        return INFINITY;
    for (int i = 0; i < 2; i++) {
        double kept = number_in(open_under(folder, "/", "memory.stat"), kind->files[i]);

        left += isnan(kept) ? 0 : kept;
    }
    return fmax(left, 0);
}

/* Of a group and of those that it is in. */
static double left_of_group(const struct group_kind *kind, const char *root, const char *group)
{
    char folder[PATH_MAX];
    size_t all = strlen(root) + strlen(kind->all);
    double left = INFINITY;

    if (snprintf(folder, sizeof folder, "%s%s%s", root, kind->all, group) >= (int)sizeof folder)
        return left;
    for (;;) {
        char *last = strrchr(folder + all, '/');

        left = fmin(left, left_of_folder(kind, folder));
        if (last == NULL)
            return left;
        *last = '\0';
    }
}

static double left_of_groups(const char *root)
{
    FILE *f = open_under(root, "/proc/self/cgroup", "");
    char line[PATH_MAX];
    double left = INFINITY;

    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        for (size_t i = 0; i < sizeof group_kinds / sizeof *group_kinds; i++) {
            char *at = strstr(line, group_kinds[i].line);

            if (at != NULL)
                left = fmin(left, left_of_group(&group_kinds[i], root,
                                                at + strlen(group_kinds[i].line)));
        }
    }
    if (f != NULL)
        fclose(f);
    return left;
}

double system_free_memory(const char *root)
{
    double kib = number_in(open_under(root, "/proc/meminfo", ""), "MemAvailable:"), limits;

    if (isnan(kib))
        return 0;
    limits = fmin(system_free_addresses(), system_free_data());
    return fmin(fmin(1024 * kib, limits), left_of_groups(root));
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

/* Of whole pages that lie in it. */
static void advise(void *data, size_t size_bytes, int advice)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)data;
    uintptr_t first = (from + page - 1) / page * page, end = (from + size_bytes) / page * page;

    if (end > first)
        madvise((void *)first, end - first, advice);
}

#ifndef MADV_HUGEPAGE           /* another system */
#define MADV_HUGEPAGE MADV_NORMAL
#endif

void system_huge_pages(void *data, size_t size_bytes)
{
    advise(data, size_bytes, MADV_HUGEPAGE);
}

void system_give_back(void *data, size_t size_bytes)
{
    advise(data, size_bytes, MADV_DONTNEED);
}
