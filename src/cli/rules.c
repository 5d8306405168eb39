/* SPDX-License-Identifier: MIT
 * The columns needs and excludes of a command's rows -> rules; what is given -> whether it keeps
 * them. */
#include "cli/rules.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- options ---- */

struct options {
    const struct opt *opt[OPTS_MOST];   /* [n] */
    int n;
};

static void add_option(void *self, const struct opt_group *group, const struct opt *opt)
{
    struct options *all = self;

    (void)group;
    assert(all->n < OPTS_MOST);
    all->opt[all->n++] = opt;
}

static const struct opt *find(const struct options *all, const char *name, size_t n)
{
    for (int i = 0; i < all->n; i++)
        if (strlen(all->opt[i]->name) == n && strncmp(all->opt[i]->name, name, n) == 0)
            return all->opt[i];
    return NULL;
}

/* -1: it is not one of the choices. */
static int choice_of(const struct opt *opt, const char *name, size_t n)
{
    for (int i = 0; opt->choices[i] != NULL; i++)
        if (strlen(opt->choices[i]) == n && strncmp(opt->choices[i], name, n) == 0)
            return i;
    return -1;
}

/* ---- rules ---- */

/* "with=mean"; false: the command has no such option, or the option no such value. */
static bool read_term(const struct options *all, const char *text, size_t n,
                      struct rule_term *out)
{
    const char *equals = memchr(text, '=', n);
    const struct opt *o = find(all, text, equals != NULL ? (size_t)(equals - text) : n);

    if (o == NULL)
        return false;
    *out = (struct rule_term){ o, o, -1 };
    if (o->type == OPT_ALIAS) {
        text = o->def;
        n = strlen(text);
        equals = strchr(text, '=');
        out->of = find(all, text, (size_t)(equals - text));
    }
    if (equals == NULL)
        return true;
    equals++;
    out->value = choice_of(out->of, equals, n - (size_t)(equals - text));
    return out->value >= 0;
}

/* Of one column of opt. */
static void each_of(const struct options *all, const struct opt *opt, bool needs,
                    void (*fn)(void *self, const struct rule *r), void *self)
{
    const char *s = needs ? opt->needs : opt->excludes;

    while (s != NULL && *s != '\0') {
        const char *end = s + strcspn(s, ";"), *terms = s + strcspn(s, ":;");
        struct rule rule = { .needs = needs };

        read_term(all, opt->name, strlen(opt->name), &rule.self);
        if (terms < end) {
            rule.why = terms + 2;
            rule.n_why = (int)(end - rule.why);
        }
        while (s < terms) {
            size_t n = strcspn(s, "|:;");

            assert(rule.n < RULE_TERMS_MOST);
            rule.n += read_term(all, s, n, &rule.term[rule.n]);
            s += n + (s[n] == '|');
        }
        if (rule.n > 0)
            fn(self, &rule);
        s = end + strspn(end, "; ");
    }
}

void rules_each(const struct cmd *cmd, void (*fn)(void *self, const struct rule *r), void *self)
{
    struct options all = { .n = 0 };

    opts_each(cmd, add_option, &all);
    for (int needs = 0; needs < 2; needs++)
        for (int i = 0; i < all.n; i++)
            each_of(&all, all.opt[i], needs > 0, fn, self);
}

/* ---- what is given ---- */

static int preset_of(const struct opt *opt)
{
    return opt->def != NULL ? choice_of(opt, opt->def, strlen(opt->def)) : 0;
}

static bool is_given(const struct rule_term *term, const void *args)
{
    const struct opt *o = term->of;
    const void *at = (const char *)args + o->field;

    switch (o->type) {
    case OPT_FLAG:
        return *(const bool *)at;
    case OPT_STRING:
        return *(const char *const *)at != NULL &&
               (!o->none || strcmp(*(const char *const *)at, "none") != 0);
    case OPT_LIST:
        return ((const struct opt_list *)at)->n > 0;
    case OPT_CHOICE:
        return term->value >= 0 ? *(const int *)at == term->value :
               *(const int *)at != preset_of(o);
    default:
        return opts_is_given(args, o->field);
    }
}

/* "--with mean, --patch or --at" */
static void name_terms(char *dst, size_t size, const struct rule *rule)
{
    size_t n = strlen(dst);

    for (int i = 0; i < rule->n && n < size; i++) {
        const struct rule_term *t = &rule->term[i];
        bool valued = t->value >= 0 && t->of == t->opt;

        n += (size_t)snprintf(dst + n, size - n, "%s--%s%s%s",
                              i == 0 ? "" : i < rule->n - 1 ? ", " : " or ", t->opt->name,
                              valued ? " " : "", valued ? t->opt->choices[t->value] : "");
    }
}

struct check {
    const void *args;
    struct err *e;
    int status;
};

static int refuse_pair(const struct rule *rule, const struct opt *other, struct err *e)
{
    return err_set(e, ERR_USAGE, "--%s, --%s: only one of them can be given%s%.*s",
                   rule->self.opt->name, other->name, rule->why != NULL ? ": " : "", rule->n_why,
                   rule->why != NULL ? rule->why : "");
}

static int refuse_alone(const struct rule *rule, struct err *e)
{
    char names[RULES_NEEDED_SIZE] = "";

    name_terms(names, sizeof names, rule);
    return err_set(e, ERR_USAGE, "--%s requires %s%s%.*s", rule->self.opt->name, names,
                   rule->why != NULL ? ": " : "", rule->n_why, rule->why != NULL ? rule->why : "");
}

static void check_rule(void *self, const struct rule *rule)
{
    struct check *check = self;
    int given = 0;

    if (check->status != 0 || !is_given(&rule->self, check->args))
        return;
    while (given < rule->n && !is_given(&rule->term[given], check->args))
        given++;
    if (rule->needs && given == rule->n)
        check->status = refuse_alone(rule, check->e);
    if (!rule->needs && given < rule->n)
        check->status = refuse_pair(rule, rule->term[given].opt, check->e);
}

/* Rules bind only what is given: most rows need not be read. */
int rules_check(const struct cmd *cmd, const void *args, struct err *e)
{
    struct options all = { .n = 0 };
    struct check check = { args, e, 0 };

    opts_each(cmd, add_option, &all);
    for (int needs = 0; needs < 2; needs++)
        for (int i = 0; i < all.n && check.status == 0; i++) {
            const struct opt *opt = all.opt[i];
            struct rule_term self;

            if ((needs > 0 ? opt->needs : opt->excludes) != NULL &&
                read_term(&all, opt->name, strlen(opt->name), &self) && is_given(&self, args))
                each_of(&all, opt, needs > 0, check_rule, &check);
        }
    return check.status;
}

/* ---- what is shown ---- */

struct search {
    const struct opt *o;
    bool excluded[OPTS_MOST];   /* by place in all */
    struct options all;
    char *needed;
};

static void exclude(struct search *search, const struct opt *opt)
{
    for (int i = 0; i < search->all.n; i++)
        search->excluded[i] |= search->all.opt[i] == opt;
}

static void look_excluded(void *self, const struct rule *rule)
{
    struct search *s = self;

    for (int i = 0; !rule->needs && i < rule->n; i++) {
        if (rule->self.opt == s->o)
            exclude(s, rule->term[i].opt);
        if (rule->term[i].opt == s->o)
            exclude(s, rule->self.opt);
    }
}

int rules_excluded(const struct cmd *cmd, const struct opt *opt, const struct opt *out[OPTS_MOST])
{
    struct search search = { .o = opt };
    int n = 0;

    opts_each(cmd, add_option, &search.all);
    rules_each(cmd, look_excluded, &search);
    for (int i = 0; i < search.all.n; i++)
        if (search.excluded[i])
            out[n++] = search.all.opt[i];
    return n;
}

static void look_needed(void *self, const struct rule *rule)
{
    const struct search *s = self;
    size_t n = strlen(s->needed);

    if (!rule->needs || rule->self.opt != s->o)
        return;
    if (n > 0)
        snprintf(s->needed + n, RULES_NEEDED_SIZE - n, ", and ");
    name_terms(s->needed, RULES_NEEDED_SIZE, rule);
}

void rules_needed(char dst[RULES_NEEDED_SIZE], const struct cmd *cmd, const struct opt *opt)
{
    struct search search = { .o = opt, .needed = dst };

    dst[0] = '\0';
    rules_each(cmd, look_needed, &search);
}
