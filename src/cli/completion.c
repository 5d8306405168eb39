/* SPDX-License-Identifier: MIT
 * The tables of options -> completions for three shells. */
#include "cli/completion.h"

#include <string.h>

#include "cli/rules.h"

/* ---- what is offered for a value ---- */

/* NULL: any text. */
static const char *const *completion_words_of(const struct opt *opt)
{
    return opt->type == OPT_CHOICE ? opt->choices : opt->values != NULL ? opt->values->words : NULL;
}

static bool takes_files(const struct opt *opt)
{
    return opt->values != NULL && opt->values->files;
}

static bool completion_is_found(const struct opt *opt)
{
    return opt->values != NULL && opt->values->find != NULL;
}

static char completion_between(const struct opt *opt)
{
    return opt->values != NULL ? opt->values->between : '\0';
}

static void print_words(FILE *file, const char *separator, const char *const *words)
{
    for (int i = 0; words != NULL && words[i] != NULL; i++)
        fprintf(file, "%s%s", i > 0 ? separator : "", words[i]);
}

static void print_commands(FILE *file, const struct cmd *const *table)
{
    for (int i = 0; table[i] != NULL; i++)
        fprintf(file, "%s%s", i > 0 ? " " : "", table[i]->name);
}

/* Within single quotes; each of special gets a backslash. */
static void print_quoted(FILE *file, const char *s, const char *special)
{
    for (; *s != '\0'; s++) {
        if (strchr(special, *s) != NULL)
            putc('\\', file);
        if (*s == '\'')
            fputs("'\\''", file);
        else
            putc(*s, file);
    }
}

/* One walk over the options of a command. */
struct walk {
    FILE *f;
    const struct cmd *cmd;
};

/* "-m --model" after before: opt by both of its names. */
static void print_names(FILE *file, const char *before, const struct opt *opt)
{
    fputs(before, file);
    if (opt->short_name != 0)
        fprintf(file, "-%c ", opt->short_name);
    fprintf(file, "--%s", opt->name);
}

/* ---- bash ---- */

static void bash_name(void *self, const struct opt_group *group, const struct opt *opt)
{
    const struct walk *walk = self;

    (void)group;
    print_names(walk->f, " ", opt);
}

/* A line of the case over COMMAND:OPTION, for an option that excludes others. */
static void bash_excluded(void *self, const struct opt_group *group, const struct opt *opt)
{
    const struct walk *walk = self;
    const struct opt *excluded[OPTS_MOST];
    int n = rules_excluded(walk->cmd, opt, excluded);

    (void)group;
    if (n == 0)
        return;
    fprintf(walk->f, "        %s:--%s", walk->cmd->name, opt->name);
    if (opt->short_name != 0)
        fprintf(walk->f, " | %s:-%c*", walk->cmd->name, opt->short_name);
    fprintf(walk->f, ") gone+='");
    for (int i = 0; i < n; i++)
        print_names(walk->f, " ", excluded[i]);
    fprintf(walk->f, "' ;;\n");
}

/* "words='a b' separator=, files=1": what a line of the case over options sets. */
static void bash_settings(const struct walk *walk, const struct opt *opt)
{
    if (completion_is_found(opt))
        fprintf(walk->f, " words=$(\"${COMP_WORDS[0]}\" completion --values %s %s 2>/dev/null)",
                walk->cmd->name, opt->name);
    else if (completion_words_of(opt) != NULL) {
        fprintf(walk->f, " words='");
        print_words(walk->f, " ", completion_words_of(opt));
        fprintf(walk->f, "'");
    }
    if (completion_between(opt) != '\0')
        fprintf(walk->f, " separator=%c", completion_between(opt));
    if (takes_files(opt))
        fprintf(walk->f, " files=1");
}

/* A line of the case over COMMAND:OPTION, for an option whose value may be the next word. */
static void bash_value(void *self, const struct opt_group *group, const struct opt *opt)
{
    const struct walk *walk = self;

    (void)group;
    if (!opt_takes_next(opt))
        return;
    fprintf(walk->f, "    %s:--%s", walk->cmd->name, opt->name);
    if (opt->short_name != 0)
        fprintf(walk->f, " | %s:-%c", walk->cmd->name, opt->short_name);
    fprintf(walk->f, ")");
    if (completion_words_of(opt) != NULL || completion_is_found(opt) || takes_files(opt))
        bash_settings(walk, opt);
    else
        fprintf(walk->f, " compopt +o default 2>/dev/null; return");
    fprintf(walk->f, " ;;\n");
}

static const char bash_leave[] =
    "# bash completion for mha-viz: mha-viz completion bash\n"
    "# Takes from words what an option of the line excludes.\n"
    "_mha_viz_leave()\n{\n"
    "    local i word gone=''\n"
    "    for ((i = 2; i < ${#COMP_WORDS[@]}; i++)); do\n"
    "        ((i != COMP_CWORD)) || continue\n"
    "        word=${COMP_WORDS[i]}\n"
    "        case ${COMP_WORDS[1]}:${word%%=*} in\n";

static const char bash_left[] =
    "        esac\n    done\n"
    "    words=\" $words \"\n"
    "    for word in $gone; do\n"
    "        words=${words// $word / }\n"
    "    done\n"
    "}\n";

static const char bash_top[] =
    "# An empty answer means file names (complete -o default).\n"
    "_mha_viz()\n{\n"
    "    local at=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} prev stem=''\n"
    "    local words='' separator='' files='' before='' IFS=$' \\t\\n'\n"
    "    COMPREPLY=()\n"
    "    # builtin:name comes as three words; what stands before the name stays\n"
    "    if ((at > 3)) && [[ ${COMP_WORDS[at-1]} == ':' ]]; then\n"
    "        stem=${COMP_WORDS[at-2]}: cur=$stem$cur at=$((at - 2))\n"
    "    elif ((at > 2)) && [[ $cur == ':' ]]; then\n"
    "        stem=${COMP_WORDS[at-1]}: cur=$stem at=$((at - 1))\n"
    "    fi\n"
    "    prev=${COMP_WORDS[at-1]}\n"
    "    # so does --name=value, or as one where = does not part words\n"
    "    if [[ $cur == '=' ]]; then\n"
    "        cur=''\n"
    "    elif [[ $prev == '=' ]]; then\n"
    "        prev=${COMP_WORDS[at-2]}\n"
    "    elif [[ $cur == --*=* ]]; then\n"
    "        prev=${cur%%=*} before=${cur%%=*}= cur=${cur#*=}\n"
    "    fi\n"
    "    if ((COMP_CWORD == 1)) || [[ ${COMP_WORDS[1]} == help ]]; then\n"
    "        words='";

static const char bash_end[] =
    "        *) compopt +o default 2>/dev/null ;;\n        esac ;;\n    esac\n"
    "    # what an option of the line excludes is not offered\n"
    "    [[ $cur != -* || -n $before ]] || _mha_viz_leave\n"
    "    # of a list, the part after the last separator\n"
    "    if [[ -n $separator && $cur == *\"$separator\"* ]]; then\n"
    "        before+=${cur%\"$separator\"*}$separator cur=${cur##*\"$separator\"}\n"
    "    fi\n"
    "    [[ -z $words ]] || COMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"$cur\"))\n"
    "    if [[ -n $files && -n ${COMPREPLY[*]}$before ]]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        IFS=$'\\n'\n"
    "        COMPREPLY+=($(compgen -P \"$before\" -f -- \"$cur\"))\n"
    "    fi\n"
    "    COMPREPLY=(\"${COMPREPLY[@]#\"$stem\"}\")\n"
    "    # more goes after a word of a list, and after one that ends with a colon\n"
    "    if [[ -n $separator || ${COMPREPLY[*]} == *: ]]; then\n"
    "        compopt -o nospace 2>/dev/null\n"
    "    fi\n"
    "}\n"
    "complete -o default -F _mha_viz mha-viz\n";

static void print_bash(FILE *file, const struct cmd *const *table)
{
    fputs(bash_leave, file);
    for (int i = 0; table[i] != NULL; i++)
        opts_each(table[i], bash_excluded, &(struct walk){ file, table[i] });
    fputs(bash_left, file);
    fputs(bash_top, file);
    print_commands(file, table);
    fputs(" help --help --version'\n"
          "        ((COMP_CWORD == 1)) || words+=' metrics topic'\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "        return\n    fi\n"
          "    case ${COMP_WORDS[1]}:$prev in\n", file);
    for (int i = 0; table[i] != NULL; i++)
        opts_each(table[i], bash_value, &(struct walk){ file, table[i] });
    fputs("    *) case ${COMP_WORDS[1]}:$cur in\n", file);
    for (int i = 0; table[i] != NULL; i++) {
        fprintf(file, "        %s:-*) words='", table[i]->name);
        opts_each(table[i], bash_name, &(struct walk){ file, table[i] });
        fprintf(file, "' ;;\n");
        if (table[i]->words == NULL)
            continue;
        fprintf(file, "        %s:*) words='", table[i]->name);
        print_words(file, " ", table[i]->words);
        fprintf(file, "' ;;\n");
    }
    fputs(bash_end, file);
}

/* ---- zsh ---- */

/* The action of a specification: " _mha-viz_words , - exact local". */
static void zsh_value(const struct walk *walk, const struct opt *opt)
{
    const char *const *words = completion_words_of(opt);
    char separator = completion_between(opt);

    if (words == NULL && !completion_is_found(opt)) {
        fputs(takes_files(opt) ? "_files" : "", walk->f);
        return;
    }
    fprintf(walk->f, " _mha-viz_words \"%.1s\" %s", &separator, takes_files(opt) ? "files" : "-");
    for (int i = 0; words != NULL && words[i] != NULL; i++) {
        putc(' ', walk->f);
        print_quoted(walk->f, words[i], ":\\");
    }
    if (completion_is_found(opt))
        fprintf(walk->f, " ${(f)\"$(mha-viz completion --values %s %s 2>/dev/null)\"}",
                walk->cmd->name, opt->name);
}

/* '(-c --columns --x)'{-c+,--columns=}'[help]:N:ACTION', where --x is excluded. */
static void zsh_option(void *self, const struct opt_group *group, const struct opt *opt)
{
    const char *value = opt->arg == NULL ? "" : opt->alone != NULL ? "=-" : "=";
    const struct walk *walk = self;
    const struct opt *excluded[OPTS_MOST];
    int n = rules_excluded(walk->cmd, opt, excluded);

    (void)group;
    fprintf(walk->f, " \\\n            '");
    if (opt->short_name != 0)
        print_names(walk->f, "(", opt);
    for (int i = 0; i < n; i++)
        print_names(walk->f, i == 0 && opt->short_name == 0 ? "(" : " ", excluded[i]);
    if (opt->short_name != 0)
        fprintf(walk->f, ")'{-%c%s,--%s%s}'[", opt->short_name, opt->arg != NULL ? "+" : "",
                opt->name, value);
    else
        fprintf(walk->f, "%s--%s%s[", n > 0 ? ")" : "", opt->name, value);
    print_quoted(walk->f, opt->help, "[]:\\");
    putc(']', walk->f);
    if (opt->arg != NULL) {
        fputs(opt->alone != NULL ? "::" : ":", walk->f);
        print_quoted(walk->f, opt->arg, "[]:\\");
        putc(':', walk->f);
        zsh_value(walk, opt);
    }
    putc('\'', walk->f);
}

static const char zsh_top[] =
    "#compdef mha-viz\n"
    "# zsh completion: mha-viz completion zsh\n"
    "# _mha-viz_words SEPARATOR files|- WORD...: several words with the separator between\n"
    "# them, or one word where it is empty; more goes after a word that ends with a colon\n"
    "_mha-viz_words() {\n"
    "    local separator=$1 files=$2\n"
    "    shift 2\n"
    "    local -a open whole\n"
    "    open=(${(M)@:#*:}) whole=(${@:#*:})\n"
    "    if [[ -n $separator ]]; then\n"
    "        compset -P \"*$separator\"\n"
    "        compadd -q -S \"$separator\" -a whole\n"
    "    else\n"
    "        compadd -a whole\n"
    "    fi\n"
    "    compadd -S '' -a open\n"
    "    [[ $files != files ]] || _files\n"
    "}\n"
    "_mha-viz() {\n"
    "    local -a commands\n"
    "    commands=(\n";

static const char zsh_end[] =
    "    esac\n}\n"
    "if [[ $funcstack[1] == _mha-viz ]]; then\n"
    "    _mha-viz \"$@\"\n"
    "else\n"
    "    compdef _mha-viz mha-viz\n"
    "fi\n";

static void print_zsh(FILE *file, const struct cmd *const *table)
{
    fputs(zsh_top, file);
    for (int i = 0; table[i] != NULL; i++) {
        fprintf(file, "        '%s:", table[i]->name);
        print_quoted(file, table[i]->summary, ":\\");
        fprintf(file, "'\n");
    }
    fputs("        'help:show help'\n    )\n"
          "    if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then\n"
          "        _describe -t commands command commands\n"
          "        if (( CURRENT == 2 )); then\n"
          "            compadd -- --help --version\n"
          "        else\n"
          "            compadd -- metrics topic\n"
          "        fi\n"
          "        return\n    fi\n"
          "    local command=$words[2]\n"
          "    shift words\n"
          "    (( CURRENT-- ))\n"
          "    case $command in\n", file);
    for (int i = 0; table[i] != NULL; i++) {
        fprintf(file, "    %s)\n        _arguments -s -S", table[i]->name);
        opts_each(table[i], zsh_option, &(struct walk){ file, table[i] });
        fprintf(file, " \\\n            ");
        if (table[i]->words != NULL) {
            fprintf(file, "'1:name:(");
            print_words(file, " ", table[i]->words);
            fprintf(file, ")' ;;\n");
        } else {
            fprintf(file, "'*:text:' ;;\n");
        }
    }
    fputs(zsh_end, file);
}

/* ---- fish ---- */

/* The argument of -a: words, a list of words, or the program's answer. */
static void fish_words(const struct walk *walk, const struct opt *opt)
{
    const char *const *words = completion_words_of(opt);
    char separator = completion_between(opt);

    if (words == NULL && !completion_is_found(opt))
        return;
    fprintf(walk->f, " -a \"");
    if (separator != '\0')
        fprintf(walk->f, "(__fish_complete_list %c 'string split \\\" \\\" \\\"", separator);
    print_words(walk->f, " ", words);
    if (separator != '\0')
        fprintf(walk->f, "\\\"')");
    if (completion_is_found(opt))
        fprintf(walk->f, " (mha-viz completion --values %s %s 2>/dev/null)", walk->cmd->name,
                opt->name);
    fprintf(walk->f, "\"");
}

static void fish_option(void *self, const struct opt_group *group, const struct opt *opt)
{
    const struct walk *walk = self;
    const struct opt *excluded[OPTS_MOST];
    int n = rules_excluded(walk->cmd, opt, excluded);

    (void)group;
    fprintf(walk->f, "complete -c mha-viz -n '__fish_seen_subcommand_from %s", walk->cmd->name);
    for (int i = 0; i < n; i++) {
        fputs(i == 0 ? "; and not __fish_contains_opt" : "", walk->f);
        if (excluded[i]->short_name != 0)
            fprintf(walk->f, " -s %c", excluded[i]->short_name);
        fprintf(walk->f, " %s", excluded[i]->name);
    }
    putc('\'', walk->f);
    if (opt->short_name != 0)
        fprintf(walk->f, " -s %c", opt->short_name);
    fprintf(walk->f, " -l %s", opt->name);
    if (opt_takes_next(opt))
        fputs(takes_files(opt) ? " -r -F" : " -x", walk->f);
    fish_words(walk, opt);
    fprintf(walk->f, " -d '");
    print_quoted(walk->f, opt->help, "\\");
    fprintf(walk->f, "'\n");
}

static void fish_command(FILE *file, const char *top, const struct cmd *cmd)
{
    fprintf(file, "%s -a %s -d '", top, cmd->name);
    print_quoted(file, cmd->summary, "\\");
    fprintf(file, "'\n");
    if (cmd->words != NULL) {
        fprintf(file, "complete -c mha-viz -n '__fish_seen_subcommand_from %s' -a '", cmd->name);
        print_words(file, " ", cmd->words);
        fprintf(file, "'\n");
    }
    opts_each(cmd, fish_option, &(struct walk){ file, cmd });
}

static void print_fish(FILE *file, const struct cmd *const *table)
{
    static const char top[] = "complete -c mha-viz -n __fish_use_subcommand";

    fprintf(file, "# fish completion: mha-viz completion fish\n"
            "complete -c mha-viz -f\n"
            "%s -l help -d 'show this help'\n"
            "%s -l version -d 'show versions'\n"
            "%s -a help -d 'show help'\n", top, top, top);
    fprintf(file, "complete -c mha-viz -n '__fish_seen_subcommand_from help' -a '");
    print_commands(file, table);
    fprintf(file, " metrics topic'\n");
    for (int i = 0; table[i] != NULL; i++)
        fish_command(file, top, table[i]);
}

/* ---- all shells ---- */

const char *const completion_shells[] = { "bash", "zsh", "fish", NULL };

bool completion_print(FILE *file, const char *shell, const struct cmd *const *table)
{
    static void (*const print[])(FILE *, const struct cmd *const *) = {
        print_bash, print_zsh, print_fish
    };

    for (int i = 0; completion_shells[i] != NULL; i++)
        if (strcmp(shell, completion_shells[i]) == 0) {
            print[i](file, table);
            return true;
        }
    return false;
}

/* ---- the values of one option ---- */

struct search {
    const char *name;           /* "model" or "m" */
    const struct opt *found;
};

static void search(void *self, const struct opt_group *group, const struct opt *opt)
{
    struct search *s = self;
    bool letter = opt->short_name != 0 && s->name[0] == opt->short_name && s->name[1] == '\0';

    (void)group;
    if (letter || strcmp(opt->name, s->name) == 0)
        s->found = opt;
}

int completion_values(FILE *file, const struct cmd *const *table, const char *command,
                      const char *option, struct arena *a, struct err *e)
{
    struct search s = { .name = option };
    int i = 0;

    while (table[i] != NULL && strcmp(table[i]->name, command) != 0)
        i++;
    if (table[i] == NULL)
        return err_set(e, ERR_USAGE, "'%s' is not a command", command);
    opts_each(table[i], search, &s);
    if (s.found == NULL)
        return err_set(e, ERR_USAGE, "%s has no option '%s'", command, option);
    print_words(file, "\n", completion_words_of(s.found));
    fputs(completion_words_of(s.found) != NULL ? "\n" : "", file);
    if (completion_is_found(s.found)) {
        const char *const *words = s.found->values->find(a);

        print_words(file, "\n", words);
        fputs(words[0] != NULL ? "\n" : "", file);
    }
    return 0;
}
