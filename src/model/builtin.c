/* SPDX-License-Identifier: MIT
 * A name -> the files of that model. */
#include "model/builtin.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

static const char prefix[] = "builtin:";

/* ---- names ---- */

const char *const builtin_names[] = {
#define BUILTIN(name, folder) "builtin:" #name,
#include "model/builtins.def"
#undef BUILTIN
    NULL
};

enum { N_BUILTIN = sizeof builtin_names / sizeof *builtin_names - 1 };

/* ---- finding ---- */

bool builtin_is(const char *path)
{
    return path == NULL || strncmp(path, prefix, sizeof prefix - 1) == 0;
}

/* The nearest name, without what all begin with. */
static const char *meant(const char *path)
{
    const char *bare[N_BUILTIN + 1] = { NULL };

    for (int i = 0; i < N_BUILTIN; i++)
        bare[i] = builtin_names[i] + sizeof prefix - 1;
    return nearest_name(path + sizeof prefix - 1, bare);
}

static int builtin_unknown(const char *path, struct err *e)
{
    const char *near = meant(path);
    char all[160] = "";

    for (int i = 0; i < N_BUILTIN; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i > 0 ? ", " : "",
                 builtin_names[i]);
    if (near == NULL)
        return err_set(e, ERR_INPUT, "%s: no such built-in model: expected one of %s", path,
                       all);
    return err_set(e, ERR_INPUT, "%s: no such built-in model: expected one of %s; did you mean "
                   "'%s%s'?", path, all, prefix, near);
}

int builtin_find(struct builtin *out, const char *path, struct err *e)
{
    int i = 0;

    if (path != NULL)
        while (i < N_BUILTIN && strcmp(path, builtin_names[i]) != 0)
            i++;
    if (i == N_BUILTIN)
        return builtin_unknown(path, e);
    return builtin_inside(out, i, e);
}
