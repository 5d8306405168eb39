/* SPDX-License-Identifier: MIT
 * Tests that write files: each in a folder of its own, removed after it. */
#ifndef TEST_FOLDER_H
#define TEST_FOLDER_H

#include "check.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[64];

static const char *at(const char *name)
{
    static char path[4][400];
    static int i;

    i = (i + 1) % 4;
    snprintf(path[i], sizeof path[i], "%s/%s", dir, name);
    return path[i];
}

static inline void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* The whole file as a string, which must fit. */
static inline void read_file(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "rb");
    size_t n;

    assert_non_null(f);
    n = fread(text, 1, size - 1, f);
    text[n] = '\0';
    fclose(f);
}

/* How many the folder has. */
static inline int entries(void)
{
    DIR *d = opendir(dir);
    int n = -2;                 /* "." and ".." */

    while (readdir(d) != NULL)
        n++;
    closedir(d);
    return n;
}

static int setup(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/mha-viz-test-XXXXXX");
    return mkdtemp(dir) != NULL ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at_depth)
{
    (void)info;
    (void)kind;
    (void)at_depth;
    return remove(path);
}

static int teardown(void **state)
{
    (void)state;
    return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
