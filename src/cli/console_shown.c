/* SPDX-License-Identifier: MIT
 * The progress line on the terminal: drawn, and removed. */
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/console.h"

/* Columns of the line that stands on the terminal, which a signal handler takes away; it can
 * reach nothing but a global. */
static atomic_int shown;

void console_hide(void)
{
    int columns = atomic_exchange(&shown, 0);
    char blank[CONSOLE_COLUMNS + 2];

    if (columns <= 0)
        return;
    memset(blank, ' ', sizeof blank);
    blank[0] = '\r';
    blank[columns + 1] = '\r';
    if (write(STDERR_FILENO, blank, (size_t)columns + 2) < 0)
        return;                 /* it is gone, and nobody is left to be told */
}

void console_hide_for_results(void)
{
    if (atomic_load(&shown) > 0 && isatty(STDOUT_FILENO))
        console_hide();
}

static int columns_of_terminal(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20)
        return 80;
    return size.ws_col < CONSOLE_COLUMNS ? size.ws_col : CONSOLE_COLUMNS;
}

void console_draw(const char *text)
{
    char all[CONSOLE_COLUMNS + 2];
    int most = columns_of_terminal() - 1, was = atomic_load(&shown);
    int columns = (int)strlen(text) < most ? (int)strlen(text) : most;
    int wide = columns > was ? columns : was;

    memset(all, ' ', sizeof all);
    all[0] = '\r';
    memcpy(all + 1, text, (size_t)columns);
    atomic_store(&shown, wide);
    if (write(STDERR_FILENO, all, (size_t)wide + 1) < 0)
        atomic_store(&shown, 0);
}
