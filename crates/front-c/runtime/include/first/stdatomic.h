/* The system's, and with it the names of <stdint.h> and <stddef.h>: clang's has them, and programs rely on it. */
#include <stddef.h>
#include <stdint.h>
#include_next <stdatomic.h>
