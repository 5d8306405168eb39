/* SPDX-License-Identifier: MIT
 *
 * Weights that are pickles or HDF5 -> a refusal with the command that converts
 * them.  A pickle is a program; the command reads it without running it, and
 * keeps every tensor under its name. */
#include <ctype.h>

#include "weights/weights_priv.h"

enum kind { KIND_TORCH, KIND_KERAS };

static const struct {
    const char *ending;
    enum kind kind;
} row[] = {
    { ".bin", KIND_TORCH }, { ".pt", KIND_TORCH }, { ".pth", KIND_TORCH },
    { ".ckpt", KIND_TORCH }, { ".h5", KIND_KERAS },
};
enum { N_ROW = sizeof row / sizeof *row };

static const char *const kind_name[] = {
    [KIND_TORCH] = "PyTorch weights", [KIND_KERAS] = "Keras weights",
};

static bool kind_by_name(const char *name, enum kind *kind)
{
    for (int i = 0; i < N_ROW; i++)
        if (str_ends_with(name, row[i].ending)) {
            *kind = row[i].kind;
            return true;
        }
    return false;
}

/* PyTorch's zip has its pickle first; older files are a bare pickle. */
static bool kind_by_content(struct span b, enum kind *kind)
{
    *kind = b.size >= 4 && memcmp(b.data, "\x89HDF", 4) == 0 ? KIND_KERAS : KIND_TORCH;
    return *kind == KIND_KERAS ||
           (b.size >= 2 && memcmp(b.data, "\x80\x02", 2) == 0) ||
           (b.size >= 4 && memcmp(b.data, "PK\x03\x04", 4) == 0 &&
            memmem(b.data, b.size < 256 ? b.size : 256, "/data.pkl", 9) != NULL);
}

/* As a shell takes it for one word. */
static const char *quoted(struct arena *a, const char *s)
{
    size_t count = 0;
    char *out, *cursor;

    for (const char *c = s; *c != '\0'; c++)
        count += !(isalnum((unsigned char)*c) || strchr("/._+=:,@%-", *c) != NULL);
    if (count == 0)
        return s;
    cursor = out = arena_alloc(a, 4 * strlen(s) + 3, 1);
    *cursor++ = '\'';
    for (; *s != '\0'; s++) {
        if (*s == '\'') {
            memcpy(cursor, "'\\'", 3);
            cursor += 3;
        }
        *cursor++ = *s;
    }
    *cursor = '\'';
    return out;
}

/* What the library calls the weights of a model; another file keeps its name. */
static const char *converted(struct arena *a, const char *name)
{
    const char *dot = strrchr(name, '.');
    int size = (int)(dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name));

    if (strncmp(name, "pytorch_model", strlen("pytorch_model")) == 0)
        return "model.safetensors";
    if (str_ends_with(name, ".safetensors"))
        return "converted.safetensors";
    return arena_printf(a, "%.*s.safetensors", size, name);
}

/* name of dir, "" is the root; pattern: the name may hold a '*' for the shell. */
static void foreign_refuse(struct arena *a, const char *dir, const char *name, bool pattern,
                           enum kind kind, struct err *e)
{
    /* Overwrites nothing; takes what is a tensor, also under the keys of checkpoints. */
    static const char torch[] =
        "python3 -c \"import os,sys,torch,safetensors.torch as s;o,*i=sys.argv[1:];"
        "os.path.exists(o)and sys.exit(o+' exists');"
        "s.save_file({k:v.clone().contiguous()for f in i for k,v in(lambda x:next((x[n]"
        "for n in('state_dict','model_state_dict','model')if n in x),x))"
        "(torch.load(f,'cpu',weights_only=True)).items()if hasattr(v,'clone')},o,"
        "{'format':'pt'})\"";
    static const char keras[] =
        "python3 -c \"import sys;from transformers import AutoModel as M;"
        "M.from_pretrained(sys.argv[1],from_tf=True).save_pretrained(sys.argv[1],"
        "safe_serialization=True)\"";
    bool is_long = strlen(dir) > 48;
    const char *in = is_long ? " in that folder" : "", *word, *at;
    const char *folder = dir[0] != '\0' ? str_shown(a, dir) : "/";

    at = is_long || strcmp(dir, ".") == 0 ? "" : arena_printf(a, "%s/", quoted(a, dir));
    word = pattern ? name : quoted(a, name);
    if (kind == KIND_TORCH)
        err_set(e, ERR_INPUT, "%s: only %s (%s), expected model.safetensors; convert "
                "them%s with: %s %s%s %s%s", folder, kind_name[kind],
                str_shown(a, name), in, torch, at, quoted(a, converted(a, name)), at, word);
    else
        err_set(e, ERR_INPUT, "%s: only %s (%s), expected model.safetensors; convert "
                "them%s with transformers 4 and TensorFlow: %s %s", folder,
                kind_name[kind], str_shown(a, name), in, keras,
                *at != '\0' ? at : ".");
}

bool foreign_file(struct arena *a, const char *path, struct span bytes, struct err *e)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    enum kind kind;

    if (!kind_by_content(bytes, &kind) && !kind_by_name(name, &kind))
        return false;
    foreign_refuse(a, slash == NULL ? "." : slash == path ? "" :
                   arena_strndup(a, path, (size_t)(slash - path)), name, false, kind, e);
    return true;
}

/* The smaller the likelier to be the model; what is not weights comes last. */
static int rank_of(const char *name, enum kind kind)
{
    if (kind == KIND_KERAS)
        return 3;
    if (strcmp(name, "pytorch_model.bin") == 0)
        return 0;
    return strncmp(name, "pytorch_model-", 14) == 0 ? 1 : 2;
}

bool foreign_dir(struct arena *a, const char *dir, struct err *e)
{
    const char *best = NULL;
    enum kind best_kind = KIND_TORCH, kind;
    int best_rank = 0;
    size_t n = strlen(dir), n_names;
    const char **name = file_list(a, dir, &n_names);

    for (size_t i = 0; i < n_names; i++) {
        int rank;

        if (!kind_by_name(name[i], &kind))
            continue;
        rank = rank_of(name[i], kind);
        if (best != NULL && rank >= best_rank)
            continue;
        best = name[i];
        best_rank = rank;
        best_kind = kind;
    }
    if (best == NULL)
        return false;
    while (n > 0 && dir[n - 1] == '/')
        n--;
    foreign_refuse(a, arena_strndup(a, dir, n), best_rank == 1 ? "pytorch_model-*.bin" : best,
                   best_rank == 1, best_kind, e);
    return true;
}
