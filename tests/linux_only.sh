#!/bin/bash
# SPDX-License-Identifier: MIT
# What Linux or glibc has and other systems may not stands in the files of the table below alone,
# behind base/; CONTRIBUTING.md names them.  Prints a line for each other place, and for a
# row that nothing needs.
# bats file_tags=once
cd "$(dirname "$0")/.." || exit 1

found() {
    cat <<'TABLE'
src/base/system.c      files of /proc, control groups, MADV_HUGEPAGE
src/base/maps.c        /proc/self/maps
src/base/lines.c       /proc/self/fd, pipe2, tee
src/base/out.c         /proc/self/fd
src/base/unnamed.c     memfd_create
src/base/memory_file.c fopencookie
src/base/par.c         sched_getaffinity
src/watch.c            the allocator of glibc, before which the program stands
TABLE
}

# Headers, flags, calls and files
linux='<(sys/(prctl|sysinfo|syscall|random|auxv|statfs|vfs|epoll|eventfd|inotify|signalfd|sendfile)|linux/[a-z_]*|malloc|link|elf|execinfo|sched)\.h>'
linux+='|\b(MAP_(POPULATE|NORESERVE|HUGETLB|LOCKED|FIXED_NOREPLACE)|MADV_(HUGEPAGE|DONTDUMP|POPULATE_[A-Z]*|COLD)|O_TMPFILE|O_PATH|RENAME_[A-Z]+|CPU_(COUNT|ISSET|SET|ZERO))\b'
linux+='|\b(sched_[gs]etaffinity|memfd_create|renameat2|copy_file_range|fallocate|getrandom|gettid|prctl|pipe2|tee|syncfs|fopencookie|mallopt|malloc_trim|malloc_usable_size|strchrnul|mempcpy|secure_getenv|pthread_[gs]etaffinity_np|program_invocation_[a-z_]*name|syscall) *\('
linux+='|"/(proc|sys)/'

grep -rnE "$linux" src --include='*.c' --include='*.h' --include='*.S' --exclude-dir=module |
    awk -v table="$(found | cut -d ' ' -f 1 | tr '\n' ' ')" '
BEGIN { n = split(table, file, " "); for (i = 1; i <= n; i++) row[file[i]] }
{
    split($0, at, ":")
    if (at[1] in row)
        used[at[1]]
    else {
        print $0
        bad = 1
    }
}
END {
    for (f in row)
        if (!(f in used)) {
            print "tests/linux_only.sh: " f ": nothing there is of Linux alone"
            bad = 1
        }
    exit bad
}' || exit 1

# CONTRIBUTING.md names each of them
contributing=$(<CONTRIBUTING.md)
for file in $(found | cut -d ' ' -f 1); do
    case $contributing in
    *"\`${file#src/base/}\`"*) ;;
    *) echo "CONTRIBUTING.md: does not name ${file#src/base/}"; exit 1 ;;
    esac
done
