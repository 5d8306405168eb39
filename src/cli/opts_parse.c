/* SPDX-License-Identifier: MIT
 *
 * argv -> a command's args struct, along its tables of options.  getopt_long finds
 * the options and their values; what a value may be is checked in opts.c. */
#include <getopt.h>
#include <string.h>

#include "cli/hints.h"

enum { LONG = 256 };            /* LONG + i: what getopt returns for opt i */

struct parse {
    const struct cmd *cmd;
    struct opts opts;
    int n;                              /* of longs */
    struct option longs[OPTS_MOST + 1]; /* the same, for getopt_long */
    char shorts[2 * OPTS_MOST + 2];
};

/* ---- getopt ---- */

static void opts_parse_add(void *self, const struct opt_group *group, const struct opt *opt)
{
    struct parse *parse = self;
    bool takes_value = opt->arg != NULL;
    int has = !takes_value ? no_argument : opt->alone != NULL ? optional_argument :
              required_argument;
    size_t at = strlen(parse->shorts);

    (void)group;
    parse->longs[parse->n] = (struct option){
        opt->name, has, NULL, LONG + parse->n
    };
    parse->n++;
    if (opt->short_name != 0) {
        parse->shorts[at++] = opt->short_name;
        if (takes_value)
            parse->shorts[at] = ':';
    }
}

/* The option for what getopt returned or left in optopt; NULL: none. */
static const struct opt *option_of(const struct parse *parse, int got)
{
    if (got >= LONG && got < LONG + parse->n)
        return parse->opts.opt[got - LONG];
    for (int i = 0; i < parse->n; i++)
        if (got != 0 && parse->opts.opt[i]->short_name == got)
            return parse->opts.opt[i];
    return NULL;
}

/* Whether what was typed after -- is the option's name, and not its beginning. */
static bool opts_parse_is_whole(const struct opt *opt, const char *typed)
{
    size_t count = strlen(opt->name);

    return strncmp(typed, opt->name, count) == 0 && (typed[count] == '\0' || typed[count] == '=');
}

/* getopt met something that it does not know ('?') or that lacks a value (':'). */
static int misuse(struct parse *parse, int got, char *const *argv)
{
    const char *element = argv[optind - 1];
    const struct opt *option = option_of(parse, optopt);
    char hint[HINTS_SIZE];

    if (optopt >= LONG && !opts_parse_is_whole(option, element + 2))
        return opts_unknown(&parse->opts, element + 2);
    if (got == ':' && option != NULL)
        return err_set(parse->opts.e, ERR_USAGE, "--%s requires a value: %s", option->name,
                       option->arg);
    if (option != NULL)
        return err_set(parse->opts.e, ERR_USAGE, "--%s takes no value", option->name);
    if (optopt == 0)
        return opts_unknown(&parse->opts, element + 2);
    /* Of letters together, argv stays where they are. */
    hints_letter(hint, &parse->opts, element[0] == '-' ? element : argv[optind], optopt);
    if (hint[0] != '\0')
        return err_set(parse->opts.e, ERR_USAGE, "-%c: unknown option%s", optopt, hint);
    return err_set(parse->opts.e, ERR_USAGE, "-%c: unknown option%s", optopt,
                   parse->cmd->max_operands > 0 ?
                   "; -- goes before a text that begins with -" : "");
}

/*
 * getopt_long takes "--col" for "--columns", and a script that says so would break
 * with the next option that begins so: only whole names count here.
 */
static int check_whole(struct parse *parse, const struct opt *opt, char *const *argv)
{
    bool apart = opt->arg != NULL && optarg == argv[optind - 1];
    const char *typed = argv[optind - (apart ? 2 : 1)] + 2;

    return opts_parse_is_whole(opt, typed) ? 0 : opts_unknown(&parse->opts, typed);
}

/* "--bootstrap 100": the value of an option that may stand alone is after '='. */
static int check_alone(struct parse *parse, const struct opt *opt, const char *next)
{
    bool fits = false;

    if (opt->alone == NULL || optarg != NULL || next == NULL)
        return 0;
    for (int i = 0; opt->type == OPT_CHOICE && opt->choices[i] != NULL; i++)
        fits = fits || strcmp(opt->choices[i], next) == 0;
    if (opt->type == OPT_INT)
        fits = next[0] != '\0' && next[strspn(next, "0123456789")] == '\0';
    return fits ? err_set(parse->opts.e, ERR_USAGE,
                          "--%s %s: its value stands after '=': expected "
                          "--%s=%s, or the operand '%s' before it",
                          opt->name, next, opt->name, next, next) :
                  0;
}

static int parse_options(struct parse *parse, int argc, char **argv)
{
    int got;

    optind = 0;         /* glibc: start anew */
    opterr = 0;
    while ((got = getopt_long(argc, argv, parse->shorts, parse->longs, NULL)) != -1) {
        const struct opt *option = option_of(parse, got);

        if (got == '?' || got == ':')
            return misuse(parse, got, argv);
        if (got >= LONG && check_whole(parse, option, argv) != 0)
            return -1;
        if (option->type == OPT_HELP)
            return got >= LONG ? OPTS_HELP : OPTS_SHORT_HELP;
        if (check_alone(parse, option, argv[optind]) != 0)
            return -1;
        if (opts_give(&parse->opts, option, optarg != NULL ? optarg : option->alone) != 0)
            return -1;
    }
    return 0;
}

static int too_many(const struct cmd *cmd, const char *operand, struct err *e)
{
    bool texts = strstr(cmd->operands, "TEXT") != NULL;

    if (cmd->max_operands == 0)
        return err_set(e, ERR_USAGE, "%s: unexpected operand '%s', expected none", cmd->name,
                       operand);
    return err_set(e, ERR_USAGE, "%s: unexpected operand '%s', expected at most %d%s", cmd->name,
                   operand, cmd->max_operands,
                   texts ? "; a text with spaces goes in quotes" : "");
}

int opts_parse(const struct cmd *cmd, const struct cmd *const *siblings, int argc, char **argv,
               void *args, int *n_operands, char ***operands, struct err *e)
{
    struct parse parse = { .cmd = cmd, .shorts = ":" };
    int status = opts_begin(&parse.opts, cmd, args, e);

    parse.opts.siblings = siblings;
    opts_each(cmd, opts_parse_add, &parse);
    if (status == 0)
        status = parse_options(&parse, argc, argv);
    if (status < 0)
        return err_under(e, "%s", cmd->name);
    *n_operands = argc - optind;
    *operands = argv + optind;
    if (status == 0 && *n_operands > cmd->max_operands)
        return too_many(cmd, (*operands)[cmd->max_operands], e);
    return status;
}
