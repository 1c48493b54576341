/* Sleeping and the like. Used where the system has no header of its own. */
#ifndef FENCEPOST_UNISTD_H
#define FENCEPOST_UNISTD_H
unsigned int sleep(unsigned int);
int usleep(unsigned int);
_Noreturn void _exit(int);
int getpid(void);
#endif
