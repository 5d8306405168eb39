/* SPDX-License-Identifier: MIT
 * Structures of the caller, perhaps of another version of mhaviz.h -> those of this version. */
#include <string.h>

#include "lib/lib.h"

#define SIZED(name) \
    const struct sized sized_##name = { #name, (const size_t[]){ sizeof(struct mhaviz_##name) }, 1 }

SIZED(array);
SIZED(arrays);
SIZED(description);
SIZED(files);
SIZED(input);
SIZED(look);
SIZED(metric_info);
SIZED(option_info);
SIZED(selection);
SIZED(task);

size_t sized_size(const struct sized *type, const void *given, struct err *e)
{
    size_t size, newest = type->size[type->n - 1];

    memcpy(&size, given, sizeof size);
    for (int i = 0; i < type->n; i++)
        if (size == type->size[i])
            return size;
    if (size > newest)
        err_set(e, ERR_USAGE, "%s->struct_size: is %zu, expected at most %zu: the caller's "
                "mhaviz.h is newer than this library, or it was not set", type->name, size, newest);
    else
        err_set(e, ERR_USAGE, "%s->struct_size: is %zu, expected %zu, sizeof(struct mhaviz_%s)",
                type->name, size, newest, type->name);
    return 0;
}

int sized_take(const struct sized *type, void *out, const void *given, struct err *e)
{
    size_t size = sized_size(type, given, e);

    if (size == 0)
        return -1;
    memset(out, 0, type->size[type->n - 1]);
    memcpy(out, given, size);
    return 0;
}

int sized_take_selection(struct mhaviz_selection *out, const struct mhaviz_selection *given,
                         struct err *e)
{
    *out = (struct mhaviz_selection){ .struct_size = sizeof *out };
    return given == NULL ? 0 : sized_take(&sized_selection, out, given, e);
}
