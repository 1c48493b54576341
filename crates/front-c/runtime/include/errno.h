/* The numbers of errors. Used where the system has no header of its own. */
#ifndef FENCEPOST_ERRNO_H
#define FENCEPOST_ERRNO_H
#define EPERM 1
#define EINTR 4
#define EAGAIN 11
#define ENOMEM 12
#define EBUSY 16
#define EINVAL 22
#define EDEADLK 35
#define ETIMEDOUT 110
#define errno (*__errno_location())
int *__errno_location(void);
#endif
