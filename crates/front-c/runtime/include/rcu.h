/* Read-copy-update as programs for Dartagnan include it. */
#ifndef FENCEPOST_RCU_H
#define FENCEPOST_RCU_H
#include <lkmm.h>
#define init_rcu() ((void)0)
#endif
