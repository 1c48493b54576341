/* Functions on strings and blocks of memory, on arrays that another thread fills under a mutex.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DLATE sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
char name[6];
int set;

static void *writer(void *unused)
{
#ifndef LATE
    pthread_mutex_lock(&lock);
#endif
    strcpy(name, "abc");
    set = 1;
#ifndef LATE
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

int main(void)
{
    pthread_t a;
    char copy[6];
    int one[3] = { 1, 2, 3 }, two[3] = { 1, 2, 4 };
    pthread_create(&a, NULL, writer, NULL);
    pthread_mutex_lock(&lock);
    int known = set;
    size_t length = strlen(name);
    pthread_mutex_unlock(&lock);
    assert(length == (known ? 3 : 0));
    pthread_join(a, NULL);
    assert(strcmp(name, "abc") == 0 && strcmp(name, "abd") < 0 && strncmp(name, "abx", 2) == 0);
    memcpy(copy, name, sizeof copy);
    assert(memcmp(copy, name, 4) == 0);
    assert(memcmp(one, two, 2 * sizeof(int)) == 0 && memcmp(one, two, sizeof one) < 0);
    return 0;
}
