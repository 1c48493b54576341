/* A loop waits for a variable that nobody writes.
 * @options --property progress
 * @expect sc: UNSAFE; tso: UNSAFE
 */
int flag;

int main(void)
{
    while (!flag) {
    }
    return 0;
}
