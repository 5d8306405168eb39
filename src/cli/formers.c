/* SPDX-License-Identifier: MIT
 * An argv with former names of options -> one with the present names. */
#include "cli/formers.h"

#include <string.h>

static const struct former formers[] = {
#define FORMER(was, now) { was, now },
#include "cli/formers.def"
#undef FORMER
};

struct search {
    const char *name;           /* [n] */
    size_t n;
    char letter;                /* 0: by name */
    const struct opt *found;
};

static void formers_look(void *self, const struct opt_group *group, const struct opt *opt)
{
    struct search *s = self;

    (void)group;
    if (s->letter != 0 ? opt->short_name == s->letter :
        strlen(opt->name) == s->n && strncmp(opt->name, s->name, s->n) == 0)
        s->found = opt;
}

static const struct opt *formers_find(const struct cmd *cmd, struct search s)
{
    opts_each(cmd, formers_look, &s);
    return s.found;
}

static const struct opt *formers_by_name(const struct cmd *cmd, const char *name, size_t n)
{
    return formers_find(cmd, (struct search){ .name = name, .n = n });
}

const char *former_now(const struct cmd *cmd, const char *name, size_t n)
{
    if (formers_by_name(cmd, name, n) != NULL)
        return NULL;
    for (size_t i = 0; i < sizeof formers / sizeof *formers; i++)
        if (strlen(formers[i].name) == n && strncmp(formers[i].name, name, n) == 0 &&
            formers_by_name(cmd, formers[i].now, strlen(formers[i].now)) != NULL)
            return formers[i].now;
    return NULL;
}

const char *former_name(const char *name)
{
    for (size_t i = 0; i < sizeof formers / sizeof *formers; i++)
        if (strcmp(formers[i].name, name) == 0)
            return formers[i].now;
    return NULL;
}

/* Whether the last of short options in one argument, "-qt", takes the next one. */
static bool shorts_take_next(const struct cmd *cmd, const char *text)
{
    for (; *text != '\0'; text++) {
        const struct opt *o = formers_find(cmd, (struct search){ .letter = *text });

        if (o != NULL && o->arg != NULL)
            return opt_takes_next(o) && text[1] == '\0';
    }
    return false;
}

/* Before anything is looked up: whether an argument may be a former name. */
static bool any_former(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        for (size_t k = 0; k < sizeof formers / sizeof *formers; k++) {
            size_t n = strlen(formers[k].name);

            if (strncmp(argv[i], "--", 2) == 0 && strncmp(argv[i] + 2, formers[k].name, n) == 0 &&
                (argv[i][2 + n] == '\0' || argv[i][2 + n] == '='))
                return true;
        }
    return false;
}

char **formers_replace(struct arena *a, const struct cmd *cmd, int argc, char **argv,
                       void (*told)(void *self, const char *was, const char *now), void *self)
{
    char **out;

    if (!any_former(argc, argv))
        return argv;
    out = arena_alloc(a, (uint64_t)argc + 1, sizeof *out);
    memcpy(out, argv, (size_t)argc * sizeof *out);
    for (int i = 1, used; i < argc && strcmp(argv[i], "--") != 0; i += used) {
        const char *name = argv[i] + 2, *now;
        const struct opt *o;
        size_t n;

        used = 1;
        if (argv[i][0] == '-' && argv[i][1] != '-')
            used += shorts_take_next(cmd, argv[i] + 1);
        if (argv[i][0] != '-' || argv[i][1] != '-')
            continue;
        n = strcspn(name, "=");
        now = former_now(cmd, name, n);
        o = now != NULL ? formers_by_name(cmd, now, strlen(now)) : formers_by_name(cmd, name, n);
        used += o != NULL && opt_takes_next(o) && name[n] == '\0';
        if (now == NULL)
            continue;
        out[i] = arena_printf(a, "--%s%s", now, name + n);
        if (told != NULL)
            told(self, arena_strndup(a, name, n), now);
    }
    return out;
}
