/* SPDX-License-Identifier: MIT
 *
 * The program as a WebAssembly module, inside a page of `report --live`: what the page calls
 * (report/page/worker.js), and what it hands in.
 *
 *     take(n), drop(p)         memory for n bytes, on a boundary of 64; 0: there is none
 *     command(argc, argv)      stats; what it prints goes to the page; its exit status
 *     options(argc, argv)      how reports are made: the command line of one, without texts;
 *                              it is kept
 *     picture(path)            what the following reports are of instead of texts; one of the
 *     page's
 *                              files, which stand_ins.c reads
 *     answer(argc, argv, n)    a report of TEXT [TEXT_B], continued by n tokens at most, whose
 *                              blocks (report/page.h) go to the page; its exit status
 *     complaint()              after a status that is not 0: why
 *
 * The page's files, which open() finds, lie in the module's memory, so that they are mapped where
 * they are. */
#ifndef MODULE_PAGE_H
#define MODULE_PAGE_H

#include <stddef.h>

#define PAGE_TAKES(name) __attribute__((import_module("page"), import_name(#name)))
#define PAGE_CALLS(name) __attribute__((export_name(#name)))

/* n more bytes of the text's JSON, 't', or of one of its blocks, 'w' or 'v'. */
PAGE_TAKES(block) void page_take(int kind, int block, const void *bytes, size_t n);

/* So many tokens of a text's continuation are there. */
PAGE_TAKES(step) void page_step(int n);

PAGE_CALLS(take) void *module_take(size_t n);
PAGE_CALLS(drop) void module_drop(void *p);
PAGE_CALLS(command) int module_command(int argc, char **argv);
PAGE_CALLS(options) void module_options(int argc, char **argv);
PAGE_CALLS(picture) void module_picture(const char *path);
PAGE_CALLS(answer) int module_answer(int argc, char **argv, int generate);
PAGE_CALLS(complaint) const char *module_complaint(void);

#endif
