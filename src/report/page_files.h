/* SPDX-License-Identifier: MIT
 *
 * The page's script and style, which page_files.S puts together from the files of page/. */
#ifndef REPORT_PAGE_FILES_H
#define REPORT_PAGE_FILES_H

extern const char page_script[], page_script_end[], page_style[], page_style_end[];

#endif
