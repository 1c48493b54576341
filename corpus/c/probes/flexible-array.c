/* A message with a flexible array member is published through a pointer. Without fences the payload may be late.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifdef FENCE
#define fence() __sync_synchronize()
#else
#define fence() ((void)0)
#endif

struct message {
    int length;
    int payload[];
};

struct message *mailbox;

static void *send(void *unused)
{
    struct message *m = calloc(1, sizeof *m + 2 * sizeof(int));
    m->length = 2;
    m->payload[0] = 10;
    m->payload[1] = 20;
    fence();
    mailbox = m;
    return NULL;
}

static void *receive(void *unused)
{
    struct message *m = mailbox;
    if (m) {
        fence();
        int sum = 0;
        for (int i = 0; i < 2; i++)
            sum += m->payload[i];
        assert(m->length == 2 && sum == 30);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, send, NULL);
    pthread_create(&b, NULL, receive, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
