/* SPDX-License-Identifier: MIT
 * The tables of options -> completions for three shells. */
#include "cli/opt.h"

#include <string.h>

/* What stands for an option's value: names to choose from, a file, or neither. */
static bool takes_file(const struct opt *o)
{
    return o->type == OPT_STRING && o->arg != NULL &&
           (strstr(o->arg, "FILE") != NULL || strstr(o->arg, "DIR") != NULL ||
            strstr(o->arg, "PATH") != NULL);
}

/* "bash|zsh|fish": operands that are names, not texts. */
static bool has_words(const struct cmd *c)
{
    return strchr(c->operands, '|') != NULL && c->operands[0] != '[';
}

static void print_words(const char *between, const char *const *words)
{
    for (int i = 0; words[i] != NULL; i++)
        printf("%s%s", i > 0 ? between : "", words[i]);
}

static void print_operands(const struct cmd *c)
{
    for (const char *s = c->operands; *s != '\0'; s++)
        putchar(*s == '|' ? ' ' : *s);
}

static void print_commands(const struct cmd *const *table)
{
    for (int i = 0; table[i] != NULL; i++)
        printf("%s%s", i > 0 ? " " : "", table[i]->name);
}

/* Within single quotes; each of special gets a backslash. */
static void print_quoted(const char *s, const char *special)
{
    for (; *s != '\0'; s++) {
        if (strchr(special, *s) != NULL)
            putchar('\\');
        if (*s == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*s);
    }
}

/* ---- bash ---- */

static void bash_name(void *self, const struct opt *o)
{
    (void)self;
    if (o->short_name != 0)
        printf(" -%c", o->short_name);
    printf(" --%s", o->name);
}

/* A line of the case over COMMAND:OPTION, for an option with a value. */
static void bash_value(void *self, const struct opt *o)
{
    const struct cmd *c = *(const struct cmd *const *)self;

    if (o->arg == NULL)
        return;
    printf("    %s:--%s", c->name, o->name);
    if (o->short_name != 0)
        printf(" | %s:-%c", c->name, o->short_name);
    printf(") ");
    if (o->type == OPT_CHOICE) {
        printf("words='");
        print_words(" ", o->choices);
        printf("' ;;\n");
    } else if (takes_file(o)) {
        printf("return ;;\n");
    } else {
        printf("compopt +o default 2>/dev/null; return ;;\n");
    }
}

static void print_bash(const struct cmd *const *table)
{
    fputs("# bash completion for mha-viz: mha-viz completion bash\n"
          "# An empty answer means file names (complete -o default).\n"
          "_mha_viz()\n{\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local words='' IFS=$' \\t\\n'\n"
          "    COMPREPLY=()\n"
          "    # --name=value comes as three words\n"
          "    if [[ $cur == '=' ]]; then\n"
          "        cur=''\n"
          "    elif [[ $prev == '=' ]]; then\n"
          "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    fi\n"
          "    if ((COMP_CWORD == 1)) || [[ ${COMP_WORDS[1]} == help ]]; then\n"
          "        words='", stdout);
    print_commands(table);
    fputs(" help --help --version'\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "        return\n    fi\n"
          "    case ${COMP_WORDS[1]}:$prev in\n", stdout);
    for (int i = 0; table[i] != NULL; i++) {
        const struct cmd *c = table[i];

        opts_each(c, bash_value, &c);
    }
    fputs("    *) case ${COMP_WORDS[1]}:$cur in\n", stdout);
    for (int i = 0; table[i] != NULL; i++) {
        printf("        %s:-*) words='", table[i]->name);
        opts_each(table[i], bash_name, NULL);
        printf("' ;;\n");
        if (has_words(table[i])) {
            printf("        %s:*) words='", table[i]->name);
            print_operands(table[i]);
            printf("' ;;\n");
        }
    }
    fputs("        *) compopt +o default 2>/dev/null ;;\n        esac ;;\n    esac\n"
          "    [[ -z $words ]] || COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "}\n"
          "complete -o default -F _mha_viz mha-viz\n", stdout);
}

/* ---- zsh ---- */

/* '(-c --columns)'{-c+,--columns=}'[help]:N:(a b c)' */
static void zsh_option(void *self, const struct opt *o)
{
    const char *value = o->arg != NULL ? "=" : "";

    (void)self;
    if (o->short_name != 0)
        printf(" \\\n            '(-%c --%s)'{-%c%s,--%s%s}'[", o->short_name,
               o->name, o->short_name, o->arg != NULL ? "+" : "", o->name, value);
    else
        printf(" \\\n            '--%s%s[", o->name, value);
    print_quoted(o->help, "[]:\\");
    putchar(']');
    if (o->arg != NULL) {
        putchar(':');
        print_quoted(o->arg, "[]:\\");
        putchar(':');
    }
    if (o->type == OPT_CHOICE) {
        putchar('(');
        print_words(" ", o->choices);
        putchar(')');
    } else if (takes_file(o)) {
        fputs("_files", stdout);
    }
    putchar('\'');
}

static void print_zsh(const struct cmd *const *table)
{
    fputs("#compdef mha-viz\n"
          "# zsh completion: mha-viz completion zsh\n"
          "_mha-viz() {\n"
          "    local -a commands\n"
          "    commands=(\n", stdout);
    for (int i = 0; table[i] != NULL; i++) {
        printf("        '%s:", table[i]->name);
        print_quoted(table[i]->summary, ":\\");
        printf("'\n");
    }
    fputs("        'help:show help'\n    )\n"
          "    if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then\n"
          "        _describe -t commands command commands\n"
          "        (( CURRENT == 2 )) && compadd -- --help --version\n"
          "        return\n    fi\n"
          "    local command=$words[2]\n"
          "    shift words\n"
          "    (( CURRENT-- ))\n"
          "    case $command in\n", stdout);
    for (int i = 0; table[i] != NULL; i++) {
        printf("    %s)\n        _arguments -s -S", table[i]->name);
        opts_each(table[i], zsh_option, NULL);
        if (has_words(table[i])) {
            printf(" \\\n            '1:name:(");
            print_operands(table[i]);
            printf(")'");
        } else {
            printf(" \\\n            '*:text:'");
        }
        printf(" ;;\n");
    }
    fputs("    esac\n}\n"
          "if [[ $funcstack[1] == _mha-viz ]]; then\n"
          "    _mha-viz \"$@\"\n"
          "else\n"
          "    compdef _mha-viz mha-viz\n"
          "fi\n", stdout);
}

/* ---- fish ---- */

static void fish_option(void *self, const struct opt *o)
{
    const struct cmd *c = *(const struct cmd *const *)self;

    printf("complete -c mha-viz -n '__fish_seen_subcommand_from %s'", c->name);
    if (o->short_name != 0)
        printf(" -s %c", o->short_name);
    printf(" -l %s", o->name);
    if (o->type == OPT_CHOICE) {
        printf(" -x -a '");
        print_words(" ", o->choices);
        putchar('\'');
    } else if (o->arg != NULL) {
        fputs(takes_file(o) ? " -r -F" : " -x", stdout);
    }
    printf(" -d '");
    print_quoted(o->help, "\\");
    printf("'\n");
}

static void print_fish(const struct cmd *const *table)
{
    static const char top[] = "complete -c mha-viz -n __fish_use_subcommand";

    printf("# fish completion: mha-viz completion fish\n"
           "complete -c mha-viz -f\n"
           "%s -l help -d 'show this help'\n"
           "%s -l version -d 'show versions'\n"
           "%s -a help -d 'show help'\n", top, top, top);
    printf("complete -c mha-viz -n '__fish_seen_subcommand_from help' -a '");
    print_commands(table);
    printf("'\n");
    for (int i = 0; table[i] != NULL; i++) {
        const struct cmd *c = table[i];

        printf("%s -a %s -d '", top, c->name);
        print_quoted(c->summary, "\\");
        printf("'\n");
        if (has_words(c)) {
            printf("complete -c mha-viz -n '__fish_seen_subcommand_from %s' -a '",
                   c->name);
            print_operands(c);
            printf("'\n");
        }
        opts_each(c, fish_option, &c);
    }
}

/* ---- the shells ---- */

bool completion_print(const char *shell, const struct cmd *const *table)
{
    static const struct {
        const char *name;
        void (*print)(const struct cmd *const *table);
    } shells[] = { { "bash", print_bash }, { "zsh", print_zsh }, { "fish", print_fish } };

    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shell, shells[i].name) == 0) {
            shells[i].print(table);
            return true;
        }
    return false;
}
