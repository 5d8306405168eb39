/* SPDX-License-Identifier: MIT
 * A name on the Hugging Face hub -> the folder in the local cache. */
#include "model/hub.h"

#include <ctype.h>
#include <jansson.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

enum { COMMIT = 40, SHORT = 7, NAME_LIMIT = 96 };

/* ---- the cache's folder ---- */

static const char *set_or_null(const char *name)
{
    const char *v = getenv(name);

    return v != NULL && v[0] != '\0' ? v : NULL;
}

static const char *home(void)
{
    const char *dir = set_or_null("HOME");
    const struct passwd *user = dir == NULL ? getpwuid(getuid()) : NULL;

    return dir != NULL ? dir : user != NULL ? user->pw_dir : "~";
}

/* A $NAME or ${NAME} at s: its length, or 0; *value: what it stands for. */
static size_t variable(struct arena *a, const char *s, const char **value)
{
    size_t open = s[0] == '$' ? (s[1] == '{' ? 2 : 1) : 0, count;

    if (open == 0)
        return 0;
    for (count = open; isalnum((unsigned char)s[count]) || s[count] == '_'; count++)
        continue;
    if (count == open || (open == 2 && s[count] != '}'))
        return 0;
    *value = getenv(arena_strndup(a, s + open, count - open));
    return *value == NULL ? 0 : count + (open == 2);
}

static const char *expand(struct arena *a, const char *s)
{
    const char *out = "", *value;

    if (s[0] == '~' && (s[1] == '/' || s[1] == '\0')) {
        out = home();
        s++;
    }
    while (*s != '\0') {
        size_t plain = strcspn(s + 1, "$") + 1, count = variable(a, s, &value);

        out = count > 0 ? arena_printf(a, "%s%s", out, value)
                    : arena_printf(a, "%s%.*s", out, (int)plain, s);
        s += count > 0 ? count : plain;
    }
    return out;
}

/* The cache's folder. */
static const char *cache_root(struct arena *a)
{
    static const struct { const char *variable, *under; } row[] = {
        { "HF_HUB_CACHE", NULL }, { "HUGGINGFACE_HUB_CACHE", NULL },
        { "HF_HOME", "hub" }, { "XDG_CACHE_HOME", "huggingface/hub" },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const char *dir = set_or_null(row[i].variable);

        if (dir == NULL)
            continue;
        dir = expand(a, dir);
        return row[i].under != NULL ? file_join(a, dir, row[i].under) : dir;
    }
    return file_join(a, home(), ".cache/huggingface/hub");
}

/* ---- names ---- */

struct name {
    const char *id;             /* ORG/NAME or NAME */
    const char *revision;       /* NULL: not given */
    const char *dir;            /* its folder in the cache */
};

static bool hub_is_plain(const char *s, size_t n, const char *also)
{
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)s[i]) && strchr(also, s[i]) == NULL)
            return false;
    return n > 0;
}

/* As the hub's own rule: no "..", no "--" (it parts ORG from NAME), no dot in front. */
static bool is_id(const char *s)
{
    const char *slash = strchr(s, '/');
    size_t count = strlen(s), org = slash != NULL ? (size_t)(slash - s) : 0;
    const char *rest = slash != NULL ? slash + 1 : s;

    return count <= NAME_LIMIT && (slash == NULL || hub_is_plain(s, org, "._-")) &&
           hub_is_plain(rest, strlen(rest), "._-") && strstr(s, "..") == NULL &&
           strstr(s, "--") == NULL && s[0] != '.' && s[0] != '-' && rest[0] != '.' &&
           rest[0] != '-' && s[count - 1] != '.' && s[count - 1] != '-';
}

/* A branch may hold slashes: pr/1. */
static bool is_revision(const char *s)
{
    size_t count = strlen(s);

    return hub_is_plain(s, count, "._-/") && strstr(s, "..") == NULL &&
           strstr(s, "//") == NULL && s[0] != '/' && s[0] != '.' && s[count - 1] != '/' &&
           strstr(s, "/.") == NULL;
}

static bool hub_parse(struct arena *a, const char *asked, struct name *out)
{
    const char *at = strchr(asked, '@'), *slash;

    out->revision = at != NULL ? at + 1 : NULL;
    out->id = at != NULL ? arena_strndup(a, asked, (size_t)(at - asked)) : asked;
    if (!is_id(out->id) || (at != NULL && !is_revision(out->revision)))
        return false;
    slash = strchr(out->id, '/');
    out->dir = file_join(a, cache_root(a), slash == NULL ?
        arena_printf(a, "models--%s", out->id) :
        arena_printf(a, "models--%.*s--%s", (int)(slash - out->id), out->id, slash + 1));
    return true;
}

static const char *fetch(struct arena *a, const struct name *name)
{
    return name->revision == NULL ? arena_printf(a, "hf download %s", name->id)
        : arena_printf(a, "hf download %s --revision %s", name->id, name->revision);
}

/* ---- snapshots ---- */

static bool is_commit(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)s[i]) && (s[i] < 'a' || s[i] > 'f'))
            return false;
    return n == COMMIT;
}

/* The commit that refs/NAME holds, blanks around it left out; NULL: none. */
static const char *read_ref(struct arena *a, const char *dir, const char *name)
{
    const char *path = file_join(a, file_join(a, dir, "refs"), name), *commit = NULL;
    struct err none = { ERR_NONE, "" };
    const struct span *span = file_hold(a, path, &none);
    size_t count;

    arena_pass_over(a, &none);
    if (span == NULL)
        return NULL;
    for (count = span->size; count > 0 && isspace(span->data[count - 1]); count--)
        continue;
    if (is_commit((const char *)span->data, count))
        commit = arena_strndup(a, (const char *)span->data, count);
    file_drop(a, span);
    return commit;
}

/* Snapshots whose commit begins so: how many, the last of them, all their names. */
static int snapshots(struct arena *a, const char *dir, const char *begin,
                     const char **one, const char **all)
{
    size_t n_names;
    const char **name = file_list(a, file_join(a, dir, "snapshots"), &n_names);
    int count = 0;

    *all = "";
    for (size_t i = 0; i < n_names; i++) {
        if (!is_commit(name[i], strlen(name[i])) ||
            strncmp(name[i], begin, strlen(begin)) != 0)
            continue;
        *one = name[i];
        *all = count < 4 ? arena_printf(a, "%s%s%s", *all, count > 0 ? ", " : "", *one) :
               count == 4 ? arena_printf(a, "%s, \xe2\x80\xa6", *all) : *all;
        count++;
    }
    return count;
}

/* The commit that the name means, by refs, then by the snapshots that are there. */
static const char *commit_of(struct arena *a, const struct name *name, const char **note,
                             struct err *e)
{
    const char *wanted = name->revision != NULL ? name->revision : "main";
    const char *commit = read_ref(a, name->dir, wanted), *all;
    bool by_digits = name->revision != NULL && strlen(wanted) >= SHORT &&
                     strspn(wanted, "0123456789abcdef") == strlen(wanted);
    int count;

    if (commit != NULL)
        return commit;
    count = name->revision == NULL || by_digits ?
            snapshots(a, name->dir, by_digits ? wanted : "", &commit, &all) : 0;
    if (count == 1 && !by_digits)
        *note = arena_printf(a, "%s: the cache has no refs/main; using its only snapshot, "
                             "%s", name->id, commit);
    if (count == 1)
        return commit;
    if (count > 1)
        err_set(e, ERR_INPUT, "%s: %s has no refs/%s and %d snapshots; expected "
                "%s@REVISION of %s", name->id, name->dir, wanted, count, name->id, all);
    else
        err_set(e, ERR_INPUT, "%s: %s has no revision %s; to download it: %s", name->id,
                name->dir, wanted, fetch(a, name));
    return NULL;
}

const char *hub_cached(struct arena *a, const char *asked, const char **note, struct err *e)
{
    struct name name;
    const char *commit, *dir;

    *note = NULL;
    if (!hub_parse(a, asked, &name)) {
        err_set(e, ERR_INPUT, "%s: no such model: expected a Hugging Face folder "
                "(config.json, model.safetensors), a .safetensors file, a .gguf file, or "
                "the name of a model in the cache", asked);
        return NULL;
    }
    if (!file_is_dir(name.dir)) {
        err_set(e, ERR_INPUT, "%s: no such model: no such file or folder, and the cache "
                "has no %s; to download it: %s", asked, name.dir, fetch(a, &name));
        return NULL;
    }
    commit = commit_of(a, &name, note, e);
    if (commit == NULL)
        return NULL;
    dir = file_join(a, file_join(a, name.dir, "snapshots"), commit);
    if (file_is_dir(dir))
        return dir;
    err_set(e, ERR_INPUT, "%s: the cache has no %s; to download it: %s", asked, dir,
            fetch(a, &name));
    return NULL;
}

const char *hub_find(struct arena *a, const char *asked, const char **note, struct err *e)
{
    *note = NULL;
    if (asked[0] == '\0') {
        err_set(e, ERR_INPUT, "the model has an empty name, expected that of a file, a folder "
                "or a model in the cache");
        return NULL;
    }
    return file_exists(asked) ? asked : hub_cached(a, asked, note, e);
}

/* ---- snapshots that are not complete ---- */

/* A part that the index names and the folder lacks; NULL: none. */
static const char *missing_part(struct arena *a, const char *dir)
{
    const char *index = file_join(a, dir, "model.safetensors.index.json");
    const char *missing = NULL, *key;
    struct err none = { ERR_NONE, "" };
    const struct span *span = file_hold(a, index, &none);
    json_t *root, *part;

    arena_pass_over(a, &none);
    if (span == NULL)
        return NULL;
    root = json_read(a, *span, 0, &none);
    file_drop(a, span);
    json_object_foreach(json_object_get(root, "weight_map"), key, part) {
        const char *name = json_string_value(part);

        if (name != NULL && hub_is_plain(name, strlen(name), "._-") &&
            !file_exists(file_join(a, dir, name)) &&
            (missing == NULL || strcmp(name, missing) < 0))
            missing = arena_strdup(a, name);
    }
    json_drop(a, root);
    return missing;
}

/* What the folder lacks, first of all what a link promises; NULL: nothing. */
static const char *missing_file(struct arena *a, const char *dir, bool links_only)
{
    static const char *const endings[] = {
        ".safetensors", ".gguf", ".bin", ".pt", ".pth", ".ckpt", ".h5"
    };
    const char *dangling = NULL;
    bool weights = false, gguf = false;
    size_t count;
    const char **name = file_list(a, dir, &count);

    for (size_t k = 0; k < count; k++) {
        if (!file_exists(file_join(a, dir, name[k])))
            dangling = name[k];
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
            weights |= str_ends_with(name[k], endings[i]);
        gguf |= str_ends_with(name[k], ".gguf");
    }
    if (dangling != NULL || links_only)
        return dangling;
    if (!gguf && !file_exists(file_join(a, dir, "config.json")))
        return "config.json";
    return weights ? missing_part(a, dir) : "model.safetensors";
}

void hub_explain(struct arena *a, const char *asked, const char *dir, bool links_only,
                 struct err *e)
{
    const char *missing = missing_file(a, dir, links_only);
    struct name name;

    if (missing == NULL || !hub_parse(a, asked, &name))
        return;
    err_set(e, ERR_INPUT, "%s: the cache lacks %s in %s; to download it: %s", asked,
            missing, dir, fetch(a, &name));
}

/* ---- what to call a model ---- */

/* "ORG--NAME" -> "ORG/NAME", "NAME" -> "NAME". */
static const char *id_of(struct arena *a, const char *folder)
{
    const char *gap = strstr(folder, "--");

    return gap == NULL ? folder :
           arena_printf(a, "%.*s/%s", (int)(gap - folder), folder, gap + 2);
}

/* ORG/NAME where path lies in a cache's snapshot; NULL elsewhere. */
static const char *name_in_cache(struct arena *a, const char *path)
{
    static const char models[] = "/models--", middle[] = "/snapshots/";
    const char *at = strstr(path, middle), *begin, *slash, *id, *main;
    size_t count = at != NULL ? strcspn(at + sizeof middle - 1, "/") : 0;
    char *dir;

    if (count == 0)
        return NULL;
    dir = arena_strndup(a, path, (size_t)(at - path));
    slash = strrchr(dir, '/');
    begin = slash != NULL ? slash : dir;
    if (strncmp(begin, models + (slash == NULL), sizeof models - 1 - (slash == NULL)) != 0)
        return NULL;
    id = begin + sizeof models - 1 - (slash == NULL);
    id = id_of(a, id);
    at += sizeof middle - 1;
    main = read_ref(a, dir, "main");
    if (main == NULL || strncmp(main, at, COMMIT) == 0)
        return id;
    return arena_printf(a, "%s@%.*s", id, is_commit(at, count) ? SHORT : (int)count, at);
}

/* Parts of a path that name no model: "model", "model.gguf", "model-00001-of-…, a commit */
static bool says_nothing(const char *s, size_t n)
{
    return n == 0 || (n == 1 && s[0] == '.') || is_commit(s, n) ||
           (n == 9 && strncmp(s, "snapshots", 9) == 0) ||
           (n >= 5 && strncasecmp(s, "model", 5) == 0 &&
            (n == 5 || s[5] == '.' || strncmp(s + 5, "-0", 2) == 0));
}

/* The last part that says something, *n bytes of it; NULL: none does. */
static const char *last_part(const char *path, size_t *n)
{
    size_t end = strlen(path), begin;

    for (; end > 0; end = begin > 0 ? begin - 1 : 0) {
        for (begin = end; begin > 0 && path[begin - 1] != '/'; begin--)
            continue;
        *n = end - begin;
        if (*n == 2 && path[begin] == '.' && path[begin + 1] == '.')
            return NULL;        /* the part before it is not where it leads */
        if (!says_nothing(path + begin, *n))
            return path + begin;
    }
    return NULL;
}

/* "models--ORG--NAME" -> "ORG/NAME"; NULL: the folder is not a model's. */
static const char *name_of_folder(struct arena *a, const char *folder)
{
    static const char before[] = "models--";
    const char *id;

    if (strncmp(folder, before, sizeof before - 1) != 0)
        return NULL;
    id = id_of(a, arena_strdup(a, folder + sizeof before - 1));
    return is_id(id) ? id : NULL;
}

const char *hub_name(struct arena *a, const char *path)
{
    const char *real = file_real(a, file_folder(a, path));
    const char *name = name_in_cache(a, path), *part;
    size_t count;

    if (name == NULL && real != NULL)
        name = name_in_cache(a, real);
    if (name == NULL) {
        part = last_part(path, &count);
        if (part == NULL && real != NULL)
            part = last_part(real, &count);
        name = part != NULL ? arena_strndup(a, part, count) : arena_strdup(a, path);
        if (name_of_folder(a, name) != NULL)
            name = name_of_folder(a, name);
    }
    return name;
}

/* ---- all names ---- */

static int by_bytes(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

const char *const *hub_names(struct arena *a)
{
    size_t n_folders, count = 0;
    const char **folder = file_list(a, cache_root(a), &n_folders);
    const char **names = arena_alloc(a, n_folders + 1, sizeof *names);

    for (size_t i = 0; i < n_folders; i++) {
        const char *name = name_of_folder(a, folder[i]);

        if (name != NULL)
            names[count++] = name;
    }
    qsort(names, count, sizeof *names, by_bytes);
    return names;
}
