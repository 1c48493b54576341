/* POSIX semaphores. Used where the system has no header of its own. */
#ifndef FENCEPOST_SEMAPHORE_H
#define FENCEPOST_SEMAPHORE_H

struct timespec;

typedef struct { unsigned int value; } sem_t;

int sem_init(sem_t *, int, unsigned int);
int sem_destroy(sem_t *);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_timedwait(sem_t *, const struct timespec *);
int sem_post(sem_t *);
int sem_getvalue(sem_t *, int *);

#endif
