/* What x86 instructions make of memory, registers and flags: the values are those of a machine. One thread.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <stdint.h>

uint32_t word = 5;
uint64_t pair[2] __attribute__((aligned(16))) = { 1, 2 };
uint32_t bits[2];

static _Bool compare_exchange(uint8_t *to, uint8_t expected, uint8_t desired)
{
    _Bool done;
    __asm__ __volatile__("lock cmpxchgb %3, %0" : "+m"(*to), "=@ccz"(done), "+a"(expected) : "q"(desired) : "memory", "cc");
    return done;
}

static void registers(void)
{
    uint64_t wide = 0x1122334455667788, low = ~0ul;
    uint32_t a = 3, b = 4, sum;
    __asm__("xchg{l %0, %1| %1, %0}" : "+r"(a), "+r"(b));
    assert(a == 4 && b == 3);
    /* A write of 32 bits clears what is above, one of 8 bits does not. */
    __asm__("movl $-1, %k0" : "+r"(wide));
    assert(wide == 0xffffffff);
    __asm__("movb $0, %b0" : "+r"(low));
    assert(low == ~0xfful);
    uint64_t at;
    __asm__("leaq 7(%1,%2,4), %0" : "=r"(at) : "r"(1ul), "r"(2ul));
    assert(at == 16);
    __asm__("" : "=r"(sum) : "0"(12));
    assert(sum == 12);
}

static void flags(int8_t left, int8_t right)
{
    _Bool less, below, overflow;
    uint32_t mask;
    __asm__("cmpb %4, %3\n\tsetl %0\n\tsetb %1\n\tseto %2" : "=&q"(less), "=&q"(below), "=&q"(overflow) : "q"(left), "q"(right));
    assert(less == (left < right) && below == ((uint8_t)left < (uint8_t)right));
    assert(overflow == (left - right != (int8_t)(left - right)));
    __asm__("cmpb %2, %1; sbbl %0, %0" : "=&r"(mask) : "q"(left), "q"(right) : "cc");
    assert(mask == ((uint8_t)left < (uint8_t)right ? ~0u : 0));
}

int main(void)
{
    uint8_t byte = 7, zero;
    uint32_t add = 3, old = 1;
    uint64_t low = 1, high = 2;
    __asm__ __volatile__("lock; xaddl %1, %0" : "+m"(word), "+r"(add) : : "memory");
    assert(word == 8 && add == 5);
    __asm__ __volatile__("lock subl %2, %0; setz %1" : "+m"(word), "=q"(zero) : "ir"(8) : "memory");
    assert(word == 0 && zero == 1);
    assert(compare_exchange(&byte, 7, 9) && !compare_exchange(&byte, 7, 3) && byte == 9);
    __asm__ __volatile__("lock cmpxchgl %[new], %[memory]" : [memory] "+m"(word), "+a"(old) : [new] "r"(4) : "memory");
    assert(word == 0 && old == 0);
    __asm__ __volatile__("lock cmpxchg16b %0; setz %3" : "+m"(*pair), "+a"(low), "+d"(high), "=q"(zero)
                         : "b"(low + 10), "c"(high + 10) : "memory");
    assert(zero && pair[0] == 11 && pair[1] == 12);
    /* The number of a bit in a register may be beyond the operand. */
    __asm__ __volatile__("lock; btsl %2, %0; setc %1" : "+m"(bits[0]), "=q"(zero) : "r"(33) : "memory");
    assert(bits[0] == 0 && bits[1] == 2 && !zero);
    registers();
    flags(1, 2);
    flags(-128, 1);
    flags(100, -100);
    flags(-1, -1);
    return 0;
}
