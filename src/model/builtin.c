/* SPDX-License-Identifier: MIT
 * A name -> the files in builtin_files.S. */
#include "model/builtin.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

static const char prefix[] = "builtin:";

/* ---- the table ---- */

#define FILE_OF(symbol) extern const unsigned char symbol[], symbol##_end[]
#define BUILTIN(name, folder) \
    FILE_OF(builtin_##name##_config); \
    FILE_OF(builtin_##name##_tokenizer); \
    FILE_OF(builtin_##name##_weights); \
    FILE_OF(builtin_##name##_types);
#include "model/builtins.def"
#undef BUILTIN
#undef FILE_OF

struct place {
    const unsigned char *begin, *end;
};

static const struct {
    struct place config, tokenizer, weights, types;
} table[] = {
#define PLACE(symbol) { symbol, symbol##_end }
#define BUILTIN(name, folder) \
    { PLACE(builtin_##name##_config), PLACE(builtin_##name##_tokenizer), \
      PLACE(builtin_##name##_weights), PLACE(builtin_##name##_types) },
#include "model/builtins.def"
#undef BUILTIN
#undef PLACE
};

const char *const builtin_names[] = {
#define BUILTIN(name, folder) "builtin:" #name,
#include "model/builtins.def"
#undef BUILTIN
    NULL
};

enum { N_BUILTIN = sizeof table / sizeof *table };

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

static int unknown(const char *path, struct err *e)
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

static struct span span_of(struct place p)
{
    return (struct span){ p.begin, (size_t)(p.end - p.begin) };
}

int builtin_find(struct builtin *out, const char *path, struct err *e)
{
    int i = 0;

    if (path != NULL)
        while (i < N_BUILTIN && strcmp(path, builtin_names[i]) != 0)
            i++;
    if (i == N_BUILTIN)
        return unknown(path, e);
    *out = (struct builtin){ span_of(table[i].config), span_of(table[i].tokenizer),
                             span_of(table[i].weights), span_of(table[i].types) };
    return 0;
}
