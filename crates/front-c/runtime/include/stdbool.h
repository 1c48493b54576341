/* Truth values. Used where the system has no header of its own. */
#ifndef FENCEPOST_STDBOOL_H
#define FENCEPOST_STDBOOL_H
#define bool _Bool
#define true 1
#define false 0
#define __bool_true_false_are_defined 1
#endif
