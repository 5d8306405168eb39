/* SPDX-License-Identifier: MIT
 * The table of the files in builtin_files.S. */
#include "model/builtin.h"

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

static struct span span_of(struct place p)
{
    return (struct span){ p.begin, (size_t)(p.end - p.begin) };
}

int builtin_inside(struct builtin *out, int i, struct err *e)
{
    (void)e;
    *out = (struct builtin){ span_of(table[i].config), span_of(table[i].tokenizer),
                             span_of(table[i].weights), span_of(table[i].types) };
    return 0;
}
