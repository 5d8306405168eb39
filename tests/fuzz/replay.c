/* SPDX-License-Identifier: MIT
 * Feeds the files of a corpus, and each of them cut short, to a fuzz target: what
 * libFuzzer's own main would do with them, for compilers that lack it. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of its own size, so that a sanitiser sees a read behind the end. */
static void feed(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);

    for (size_t i = 0; i < size; i++)
        copy[i] = data[i];
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static int replay(const char *path)
{
    static uint8_t data[1 << 20];
    FILE *f = fopen(path, "rb");
    size_t n;

    if (f == NULL)
        return 0;
    n = fread(data, 1, sizeof data, f);
    fclose(f);
    feed(data, n);
    for (size_t cut = 1; cut < 32 && cut < n; cut++)
        feed(data, n * cut / 32);
    return 1;
}

int main(int argc, char **argv)
{
    int n = 0;

    for (int i = 1; i < argc; i++) {
        DIR *dir = opendir(argv[i]);
        struct dirent *d;

        while (dir != NULL && (d = readdir(dir)) != NULL) {
            char path[4096];

            snprintf(path, sizeof path, "%s/%s", argv[i], d->d_name);
            if (d->d_name[0] != '.')
                n += replay(path);
        }
        if (dir != NULL)
            closedir(dir);
    }
    printf("%d inputs\n", n);
    return n > 0 ? 0 : 1;       /* an empty corpus proves nothing */
}
