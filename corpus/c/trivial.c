/* One thread, one assertion: what starting up costs.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>

int main(void)
{
    int x = 1;
    assert(x == 1);
    return 0;
}
