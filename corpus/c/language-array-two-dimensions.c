/* A matrix: each thread fills its row, main looks at the columns.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int matrix[2][2];

static void *fill(void *arg)
{
    int row = (int)(long)arg;
    for (int column = 0; column < 2; column++)
        matrix[row][column] = row * 10 + column;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, fill, (void *)0L);
    pthread_create(&b, NULL, fill, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(matrix[0][0] == 0 && matrix[0][1] == 1);
    assert(matrix[1][0] == 10 && matrix[1][1] == 11);
    return 0;
}
