/* SPDX-License-Identifier: MIT
 * pthread.h for the module: locks do nothing, and a second thread cannot be started.  The types are
 * those of sys/types.h. */
#ifndef POSIX_PTHREAD_H
#define POSIX_PTHREAD_H

#include <sys/types.h>

#define PTHREAD_MUTEX_INITIALIZER { 0 }
#define pthread_mutex_init(mutex, attributes) ((void)(mutex), 0)
#define pthread_mutex_destroy(mutex) ((void)(mutex), 0)
#define pthread_mutex_lock(mutex) ((void)(mutex), 0)
#define pthread_mutex_unlock(mutex) ((void)(mutex), 0)
#define pthread_cond_init(condition, attributes) ((void)(condition), 0)
#define pthread_cond_destroy(condition) ((void)(condition), 0)
#define pthread_cond_signal(condition) ((void)(condition), 0)
#define pthread_cond_broadcast(condition) ((void)(condition), 0)
#define pthread_cond_wait(condition, mutex) ((void)(condition), (void)(mutex), __builtin_trap())
#define pthread_attr_init(attributes) ((void)(attributes), 0)
#define pthread_attr_setstacksize(attributes, bytes) ((void)(attributes), 0)
#define pthread_attr_destroy(attributes) ((void)(attributes), 0)
#define pthread_create(thread, attributes, fn, self) \
    ((void)(thread), (void)(fn), (void)(self), 1)
#define pthread_join(thread, result) ((void)(thread), 0)

#endif
