/* SPDX-License-Identifier: MIT
 * The values of an option that may be given again. */
#ifndef BASE_OPT_LIST_H
#define BASE_OPT_LIST_H

enum { OPT_MOST = 16 };         /* most values of an option of any command */

struct opt_list {
    int n;
    const char *item[OPT_MOST];
    int place[OPT_MOST];        /* position of each among all options of the command line */
};

#endif
