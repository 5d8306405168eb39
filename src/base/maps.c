/* SPDX-License-Identifier: MIT
 * /proc/self/maps, read with nothing but read(2): "START-END PERMS OFFSET DEVICE INODE NAME". */
#include "base/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

struct reader {
    int fd;
    size_t at, n;               /* of bytes */
    char bytes[512];
};

/* The next byte; -1 at the end. */
static int next_byte(struct reader *reader)
{
    if (reader->at == reader->n) {
        ssize_t got;

        do
            got = read(reader->fd, reader->bytes, sizeof reader->bytes);
        while (got < 0 && errno == EINTR);
        if (got <= 0)
            return -1;
        reader->at = 0;
        reader->n = (size_t)got;
    }
    return (unsigned char)reader->bytes[reader->at++];
}

/* A number in hexadecimal digits, and the byte after it. */
static uintptr_t hexadecimal(struct reader *reader, int *after)
{
    uintptr_t value = 0;

    for (;;) {
        int c = *after = next_byte(reader);

        if (c >= '0' && c <= '9')
            value = 16 * value + (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = 16 * value + (uintptr_t)(c - 'a' + 10);
        else
            return value;
    }
}

/* What follows the first slash of the line, with it; returns its length. */
static size_t name_in_line(struct reader *reader, char *name, size_t room)
{
    size_t n = 0;

    for (int c; (c = next_byte(reader)) >= 0 && c != '\n'; )
        if ((n > 0 || c == '/') && n + 1 < room)
            name[n++] = (char)c;
    name[n] = '\0';
    return n;
}

bool maps_name(const void *address, char *name, size_t room)
{
    struct reader r = { .fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC) };
    uintptr_t wanted = (uintptr_t)address;
    bool found = false;
    int after = 0;

    while (r.fd >= 0 && !found && after >= 0) {
        uintptr_t start = hexadecimal(&r, &after), end;

        if (after != '-')
            break;
        end = hexadecimal(&r, &after);
        found = name_in_line(&r, name, room) > 0 && wanted >= start && wanted < end;
    }
    if (r.fd >= 0)
        close(r.fd);
    return found;
}
