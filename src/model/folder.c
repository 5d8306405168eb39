/* SPDX-License-Identifier: MIT
 * A model's path -> claims of its files, by their usual names. */
#include "model/folder.h"

#include <stdbool.h>
#include <string.h>

#include "base/claims.h"
#include "base/file.h"
#include "base/str.h"

/* Of its config, its tokeniser and what else says how texts, pictures and sound are read. */
static const char *const settings[] = {
    "config.json", "generation_config.json", "adapter_config.json", "preprocessor_config.json",
    "processor_config.json", "tokenizer.json", "tokenizer_config.json",
    "special_tokens_map.json", "added_tokens.json", "vocab.json", "target_vocab.json",
    "vocab.txt", "merges.txt", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model",
    "spm.model", "source.spm", "target.spm", NULL
};

static bool has_setting(const char *name)
{
    int i = 0;

    while (settings[i] != NULL && strcmp(settings[i], name) != 0)
        i++;
    return settings[i] != NULL;
}

/* Also those of formats that are not read. */
static bool has_weights(const char *name)
{
    static const char *const begins[] = { "model", "pytorch_model", "adapter_model" };
    static const char *const ends[] = { ".safetensors", ".bin", ".index.json" };

    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (str_starts_with(name, begins[i]) && str_ends_with(name, ends[k]))
                return true;
    return str_ends_with(name, ".gguf");
}

void folder_claim(struct arena *a, const char *path)
{
    const char *dir = file_folder(a, path), **name;
    size_t n;

    claims_read(a, path, path);
    if (str_ends_with(path, ".gguf") || str_ends_with(path, ".npz"))
        return;                 /* all is in it */
    name = file_list(a, dir, &n);
    for (size_t i = 0; i < n; i++) {
        const char *file = file_join(a, dir, name[i]);

        if (has_setting(name[i]) || has_weights(name[i]))
            claims_read(a, file, file);
    }
}
