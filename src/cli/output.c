/* SPDX-License-Identifier: MIT
 * Where results go. */
#include "cli/output.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"

bool output_is_dir(const char *path)
{
    size_t n = strlen(path);

    return (n > 0 && path[n - 1] == '/') || file_is_dir(path);
}

char *output_name(struct arena *a, const char *dir, int index, const char *ending)
{
    char name[32];

    snprintf(name, sizeof name, "%06d.%s", index + 1, ending);
    return file_join(a, dir, name);
}

int output_format(const char *path, int asked, const char *const *names,
                  int *format, struct err *e)
{
    const char *slash, *dot;

    *format = asked >= 0 ? asked : 0;
    if (asked >= 0 || path == NULL || strcmp(path, "-") == 0 || output_is_dir(path))
        return 0;
    slash = strrchr(path, '/');
    dot = strrchr(slash != NULL ? slash : path, '.');
    for (int i = 0; dot != NULL && names[i] != NULL; i++)
        if (strcasecmp(dot + 1, names[i]) == 0) {
            *format = i;
            return 0;
        }
    return err_set(e, ERR_USAGE, "-o %s: the ending says none of the formats; "
                   "give --format", path);
}
