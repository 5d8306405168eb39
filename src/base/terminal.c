/* SPDX-License-Identifier: MIT
 * A terminal's width and colours, from the terminal and from variables. */
#include "base/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { USUAL_COLUMNS = 80, USUAL_WIDTH = 8, MOST_COLUMNS = 65535 };

/* ---- colours ---- */

/* Beginnings of TERM, and what such terminals show where COLORTERM says nothing. */
static const struct known { const char *term; enum terminal_way way; } known[] = {
    { "xterm-kitty", TERMINAL_TRUE }, { "xterm-ghostty", TERMINAL_TRUE },
    { "alacritty", TERMINAL_TRUE }, { "foot", TERMINAL_TRUE }, { "wezterm", TERMINAL_TRUE },
    { "contour", TERMINAL_TRUE }, { "xterm", TERMINAL_256 }, { "screen", TERMINAL_256 },
    { "tmux", TERMINAL_256 }, { "rxvt", TERMINAL_256 }, { "linux", TERMINAL_256 },
    { "konsole", TERMINAL_256 }, { "gnome", TERMINAL_256 }, { "vte", TERMINAL_256 },
    { "putty", TERMINAL_256 }, { "st-", TERMINAL_256 }, { "mlterm", TERMINAL_256 },
};

static bool terminal_ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), count = strlen(end);

    return n >= count && strcmp(s + n - count, end) == 0;
}

enum terminal_way terminal_colours(const char *term, const char *colorterm,
                                   const char *no_color)
{
    if ((no_color != NULL && no_color[0] != '\0') || term == NULL || term[0] == '\0' ||
        strcmp(term, "dumb") == 0)
        return TERMINAL_DIGITS;
    if (terminal_ends_with(term, "-mono") || terminal_ends_with(term, "-m"))
        return TERMINAL_DIGITS;
    if (terminal_ends_with(term, "-direct") ||
        (colorterm != NULL && (strcmp(colorterm, "truecolor") == 0 ||
                               strcmp(colorterm, "24bit") == 0)))
        return TERMINAL_TRUE;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(term, known[i].term, strlen(known[i].term)) == 0)
            return known[i].way;
    return strstr(term, "256color") != NULL ? TERMINAL_256 : TERMINAL_DIGITS;
}

enum terminal_way terminal_colours_here(void)
{
    return terminal_colours(getenv("TERM"), getenv("COLORTERM"), getenv("NO_COLOR"));
}

/* ---- the file ---- */

/* A descriptor of the terminal that PATH is; -1: it is none. */
static int open_terminal(const char *path)
{
    struct stat info;
    int fd;

    if (strcmp(path, "-") == 0)
        return isatty(STDOUT_FILENO) ? dup(STDOUT_FILENO) : -1;
    if (stat(path, &info) != 0 || !S_ISCHR(info.st_mode))
        return -1;
    fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && isatty(fd))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

bool terminal_is(const char *path)
{
    int fd = open_terminal(path);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

int terminal_columns(const char *columns)
{
    long n;
    char *end;

    if (columns == NULL || !(columns[0] >= '1' && columns[0] <= '9'))
        return 0;
    n = strtol(columns, &end, 10);
    return *end == '\0' && n <= MOST_COLUMNS ? (int)n : 0;
}

void terminal_find(struct terminal *terminal, const char *path, bool ask)
{
    int fd = open_terminal(path);
    struct winsize size = { .ws_col = 0 };

    *terminal = (struct terminal){ .is = fd >= 0 };
    if (terminal->is)
        ioctl(fd, TIOCGWINSZ, &size);       /* one that does not say leaves 0 */
    terminal->columns = size.ws_col;
    terminal->width_px = size.ws_xpixel;
    if (terminal->columns == 0)
        terminal->columns = terminal_columns(getenv("COLUMNS"));
    if (terminal->columns == 0)
        terminal->columns = USUAL_COLUMNS;
    if (terminal->width_px == 0)
        terminal->width_px = USUAL_WIDTH * terminal->columns;
    if (!terminal->is)
        return;
    terminal->way = ask ? terminal_ask(fd, terminal_colours_here()) : terminal_colours_here();
    close(fd);
}
