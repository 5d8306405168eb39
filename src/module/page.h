/* SPDX-License-Identifier: MIT
 *
 * The program as a WebAssembly module in a page of `report --live`: the functions that the page
 * calls (report/page/worker.js), and those that it provides.
 *
 *     take(n), drop(p)         allocate n bytes, aligned to 64, or 0; free them
 *     command(argc, argv)      runs stats; its output goes to the page; returns its exit status
 *     options(argc, argv)      sets the options of reports: a command line without texts
 *     picture(path)            sets the picture of the following reports, in place of texts; one
 *                              of the page's files, which stand_ins.c reads
 *     answer(argc, argv, n)    runs a report of TEXT [TEXT_B], continued by at most n tokens,
 *                              whose blocks (report/page.h) go to the page; its exit status
 *     complaint()              the error message after a status other than 0
 *
 * The page's files, which open() finds, are in the module's memory, so that they are mapped in
 * place. */
#ifndef MODULE_PAGE_H
#define MODULE_PAGE_H

#include <stddef.h>

#define PAGE_TAKES(name) __attribute__((import_module("page"), import_name(#name)))
#define PAGE_CALLS(name) __attribute__((export_name(#name)))

/* Gets n more bytes of the text's JSON, 't', or of one of its blocks, 'w' or 'v'. */
PAGE_TAKES(block) void page_take(int kind, int block, const void *bytes, size_t n);

/* Gets the number of tokens by which a text was continued so far. */
PAGE_TAKES(step) void page_step(int n);

PAGE_CALLS(take) void *module_take(size_t n);
PAGE_CALLS(drop) void module_drop(void *p);
PAGE_CALLS(command) int module_command(int argc, char **argv);
PAGE_CALLS(options) void module_options(int argc, char **argv);
PAGE_CALLS(picture) void module_picture(const char *path);
PAGE_CALLS(answer) int module_answer(int argc, char **argv, int generate);
PAGE_CALLS(complaint) const char *module_complaint(void);

#endif
