/* SPDX-License-Identifier: MIT
 * Script, style and packed blocks -> a page. */
#include "report/page.h"

#include "base/base64.h"
#include "base/sha256.h"
#include "report/page_files.h"

static void write_hash(FILE *f, const char *what, const char *from, const char *to)
{
    unsigned char digest[SHA256_SIZE];

    sha256_of(digest, from, (size_t)(to - from));
    fprintf(f, "; %s 'sha256-", what);
    base64_write(f, digest, sizeof digest);
    putc('\'', f);
}

static void write_policy(FILE *f)
{
    fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'", f);
    write_hash(f, "script-src", page_script, page_script_end);
    write_hash(f, "style-src", page_style, page_style_end);
    fputs("; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n", f);
}

/* Text between tags. */
static void write_text(FILE *f, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '&': fputs("&amp;", f); break;
        default: putc(*text, f);
        }
}

static void write_file(FILE *f, const char *tag, const char *from, const char *to)
{
    fprintf(f, "<%s>", tag);
    fwrite(from, 1, (size_t)(to - from), f);
    fprintf(f, "</%s>\n", tag);
}

void page_begin(FILE *f, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", f);
    write_policy(f);
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta name=\"generator\" content=\"mha-viz " MHA_VIZ_VERSION "\">\n<title>", f);
    write_text(f, title);
    fputs("</title>\n", f);
    write_file(f, "style", page_style, page_style_end);
    fputs("</head>\n<body>\n<noscript>This page is drawn by JavaScript, which is turned off in "
          "this browser.</noscript>\n", f);
    write_file(f, "script", page_script, page_script_end);
}

static void write_block(FILE *f, char kind, int text, int block, const struct packed *bytes)
{
    fprintf(f, "<script type=\"text/plain\" id=\"%c%d", kind, text);
    if (block >= 0)
        fprintf(f, "-%d", block);
    fputs("\">", f);
    pack_write(bytes, f);
    fputs("</script>\n", f);
}

void page_text(FILE *f, int text, const struct packed *json)
{
    write_block(f, 't', text, -1, json);
}

void page_weights(FILE *f, int text, int block, const struct packed *weights)
{
    write_block(f, 'w', text, block, weights);
}

void page_vectors(FILE *f, int text, int block, const struct packed *vectors)
{
    write_block(f, 'v', text, block, vectors);
}
