/* SPDX-License-Identifier: MIT
 * How much memory is free, from files as the system writes them. */
#include "folder.h"

#include <limits.h>
#include <sys/stat.h>

#include "base/system.h"

static const double MIB = 1 << 20;

static void make_folders(const char *path)
{
    char part[PATH_MAX];

    for (size_t i = strlen(dir) + 1; path[i] != '\0'; i++)
        if (path[i] == '/') {
            snprintf(part, sizeof part, "%.*s", (int)i, path);
            mkdir(part, 0700);
        }
}

static void put(const char *name, const char *text)
{
    make_folders(at(name));
    write_file(at(name), text, strlen(text));
}

/* Of 1,000 MiB that the machine has, and no limits. */
static void put_machine(const char *groups)
{
    put("proc/meminfo", "MemTotal:        2048000 kB\nMemFree:            4 kB\n"
        "MemAvailable:    1024000 kB\n");
    put("proc/self/cgroup", groups);
}

static double free_mib(void)
{
    return system_free_memory(dir) / MIB;
}

static void nothing_known_is_none(void **state)
{
    (void)state;
    assert_true(free_mib() == 0);
    put("proc/meminfo", "MemTotal:        2048000 kB\n");
    assert_true(free_mib() == 0);
    put("proc/meminfo", "MemAvailable: much\n");
    assert_true(free_mib() == 0);
}

static void no_limit_leaves_what_the_machine_has(void **state)
{
    (void)state;
    put_machine("");
    assert_true(free_mib() == 1000);
    put_machine("0::/a/b\n");
    assert_true(free_mib() == 1000);
    put("sys/fs/cgroup/a/b/memory.max", "max\n");
    put("sys/fs/cgroup/a/b/memory.current", "1048576\n");
    assert_true(free_mib() == 1000);
}

/* Version 2: the least of a group and of those above it, with what is kept of files. */
static void limits_of_groups_count(void **state)
{
    (void)state;
    put_machine("0::/up/own\n");
    put("sys/fs/cgroup/up/own/memory.max", "104857600\n");
    put("sys/fs/cgroup/up/own/memory.current", "73400320\n");
    assert_true(free_mib() == 30);
    put("sys/fs/cgroup/up/own/memory.stat", "anon 1\nfile 20971520\nactive_file 2097152\n"
        "inactive_file 1048576\nshmem 9\n");
    assert_true(free_mib() == 33);
    put("sys/fs/cgroup/up/own/memory.high", "94371840\n");
    assert_true(free_mib() == 23);
    put("sys/fs/cgroup/up/memory.max", "83886080\n");
    put("sys/fs/cgroup/up/memory.current", "81788928\n");
    assert_true(free_mib() == 2);
    put("sys/fs/cgroup/up/memory.current", "99999999\n");
    assert_true(free_mib() == 0);
}

/* Version 1 has other names; a group that only the host sees is looked for at the root. */
static void limits_of_version_1(void **state)
{
    (void)state;
    put_machine("12:cpu,cpuacct:/x\n5:memory:/host/id\n0::/\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "52428800\n");
    put("sys/fs/cgroup/memory/memory.usage_in_bytes", "10485760\n");
    put("sys/fs/cgroup/memory/memory.stat", "active_file 99\ntotal_active_file 3145728\n"
        "total_inactive_file 4194304\n");
    assert_true(free_mib() == 47);
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    assert_true(free_mib() == 1000);
}

/* A path that is too long for the system is no group: it is not cut to that of another. */
static void names_without_end(void **state)
{
    static char groups[3 * PATH_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof groups - 1; i++)
        groups[i] = i % 2 == 0 ? 'a' : '/';
    memcpy(groups, "0::/", 4);
    put_machine(groups);
    put("sys/fs/cgroup/a/memory.max", "52428800\n");
    put("sys/fs/cgroup/a/memory.current", "0\n");
    assert_true(free_mib() == 1000);
    groups[6] = '\0';
    put_machine(groups);
    assert_true(free_mib() == 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(nothing_known_is_none), IN_FOLDER(no_limit_leaves_what_the_machine_has),
        IN_FOLDER(limits_of_groups_count), IN_FOLDER(limits_of_version_1),
        IN_FOLDER(names_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
