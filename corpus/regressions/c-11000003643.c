/* Found by `cargo xtask fuzz --c`, program 11000003643: Deadlock, judge under sc.
 * partial-order Safe { full: true }, buffers Unsafe
 * @options --property deadlock
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 */
typedef unsigned long pthread_t;
typedef union { char size[32]; long align; } pthread_barrier_t;
pthread_barrier_t bar;
int x;


void *thread1(void *given) {
    pthread_barrier_wait(&bar);
}

void *thread2(void *unused) {
    int l0 = x;
    if (l0 < 3) return 0;
    pthread_barrier_wait(&bar);
}

int main(void) {
    int mine = 0;
    pthread_t t1 = 0;
    pthread_t t2 = 0;
    pthread_barrier_init(&bar, 0, 2);
    pthread_create(&t1, 0, thread1, &mine);
    x = 2;
    pthread_create(&t2, 0, thread2, 0);
}
