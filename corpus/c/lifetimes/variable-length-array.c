/* An array of variable length lives as long as the block that declares it. With -DAFTER it is used behind the block, with -DTHREAD by a thread that
 * is joined too late, with -DCALL behind the call that made it.
 * @expect sc: SAFE; tso: SAFE; aarch64: SAFE
 * @expect -DAFTER sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE
 * @expect -DTHREAD sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE
 * @expect -DCALL sc: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static void *worker(void *argument)
{
    int *numbers = argument;
    numbers[1] = numbers[0] + 1;
    return NULL;
}

static int *made(int count, int *outside)
{
    int inside[count];
    inside[0] = 1;
    outside[0] = inside[0];
#ifdef CALL
    return inside;
#else
    return outside;
#endif
}

int main(void)
{
    int room[2];
    assert(*made(2, room) == 1);
    int *kept = room;
    for (int count = 2; count < 4; count++) {
        int numbers[count];
        numbers[0] = count;
        if (count == 3) break;
        kept = numbers;
        worker(kept);
        assert(kept[1] == count + 1);
    }
#ifdef AFTER
    assert(*kept == 2);
#endif
    pthread_t thread;
    int count = 2;
    {
        int numbers[count];
        numbers[0] = 7;
        pthread_create(&thread, NULL, worker, numbers);
#ifndef THREAD
        pthread_join(thread, NULL);
#endif
    }
#ifdef THREAD
    pthread_join(thread, NULL);
#endif
    return 0;
}
