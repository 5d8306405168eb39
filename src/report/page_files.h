/* SPDX-License-Identifier: MIT
 *
 * The script and style of pages, and of live ones, which page_files.S joins from the files of
 * page/; and the WebAssembly module of `make live`, empty if it was not built. */
#ifndef REPORT_PAGE_FILES_H
#define REPORT_PAGE_FILES_H

extern const char page_script[], page_script_end[], page_style[], page_style_end[];
extern const char live_script[], live_script_end[], live_style[], live_style_end[];
extern const char live_worker[], live_worker_end[];
extern const char page_module_begin[], page_module_end[];

#endif
