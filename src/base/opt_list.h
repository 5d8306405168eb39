/* SPDX-License-Identifier: MIT
 * The values of an option that may be given again. */
#ifndef BASE_OPT_LIST_H
#define BASE_OPT_LIST_H

enum { OPT_MOST = 16 };         /* as many as any command takes */

struct opt_list {
    int n;
    const char *item[OPT_MOST];
    int place[OPT_MOST];        /* of each among all options of the command line */
};

#endif
