/* SPDX-License-Identifier: MIT
 *
 * What options of a command say of one another: the columns needs and excludes of their rows.
 * Both are a list of rules with "; " between them, a rule is names with "|" between them, and
 * perhaps ": " and why, which the message ends with:
 *
 *     .needs = "summary|shard; jsonl"         one of --summary and --shard, and --jsonl
 *     .needs = "with=mean"                    --with, and that value
 *     .excludes = "patch|together; shard: each head is chosen by all texts"
 *
 * An exclusion is written in one of its two rows, and holds for both.  Names of options that a
 * command has not count for nothing there, so a row may be shared; a need of them alone is none.
 *
 * An option is given where it has a value; a choice, where it is not its default; a number, where
 * the user gave it.
 * What depends on the model or the texts is not said here, but where it is known. */
#ifndef CLI_RULES_H
#define CLI_RULES_H

#include "cli/opt.h"

struct rule_term {
    const struct opt *opt;      /* whose name it has */
    const struct opt *of;       /* the same, or the choice that an alias stands for */
    int value;                  /* of that choice; -1: any that is given */
};

enum { RULE_TERMS_MOST = 32 };

struct rule {
    struct rule_term self;      /* whose row it is in */
    bool needs;                 /* one of the terms; else: none may be given with it */
    struct rule_term term[RULE_TERMS_MOST];     /* [n] that the command has, at least 1 */
    int n;
    const char *why;            /* n_why bytes; NULL: it does not say */
    int n_why;
};

/* Calls fn for each rule of a command, in the order of its options: exclusions, then needs. */
void rules_each(const struct cmd *cmd, void (*fn)(void *self, const struct rule *r), void *self);

/* ERR_USAGE: what is given in args breaks a rule (with both names). */
int rules_check(const struct cmd *cmd, const void *args, struct err *e);

/* The options of cmd that opt excludes, by either row, in the order of the options: n of out. */
int rules_excluded(const struct cmd *cmd, const struct opt *opt, const struct opt *out[OPTS_MOST]);

/* "--patch, --patch-ids or --with mean": what o needs in c, with ", and " between rules; empty:
 * nothing. */
enum { RULES_NEEDED_SIZE = 400 };
void rules_needed(char dst[RULES_NEEDED_SIZE], const struct cmd *cmd, const struct opt *opt);

#endif
