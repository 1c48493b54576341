/* Giving up the processor, which means nothing here. Used where the system has no header of its own. */
#ifndef FENCEPOST_SCHED_H
#define FENCEPOST_SCHED_H
int sched_yield(void);
#endif
