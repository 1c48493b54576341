extern void reach_error(void);
static void check(int ok) { if (!ok) reach_error(); }

enum small { A, B = 5, C };
enum signed_one { MINUS = -1, ZERO };
unsigned char uc = 200;
signed char sc = -3;
unsigned u = 1;
int minus = -1;
long long big = 1LL << 40;

int main(void) {
  /* promotions and conversions */
  check(uc + uc == 400);
  check((unsigned char)(uc + uc) == 144);
  check(sc < uc);
  check(minus > u - 1 + 0u * u || 1);
  check(!(minus < u));
  check(minus < (int)u);
  check(sc >> 1 == -2);
  check((unsigned)sc >> 28 == 15);
  check(-7 / 2 == -3 && -7 % 2 == -1);
  check(7u / 2 == 3);
  check((1 << 31) < 0);
  check(1u << 31 > 0);
  check(big >> 40 == 1);
  check((int)big == 0);
  check((short)0x12345 == 0x2345);
  check((signed char)0xff == -1);
  check((_Bool)256 == 1 && (_Bool)0 == 0);
  check(!5 == 0 && !0 == 1);
  check(~0 == -1);
  check(A == 0 && C == 6 && MINUS == -1 && ZERO == 0);
  check(sizeof(char) == 1 && sizeof(short) == 2 && sizeof(int) == 4 && sizeof(long long) == 8);
  check(sizeof(uc + uc) == 4 && sizeof uc == 1);
  check('a' == 97 && '\n' == 10 && '\x41' == 65 && '\101' == 'A' && '\0' == 0);
  check(010 == 8 && 0x10 == 16 && 0b11 == 3);
  check(4294967295 == 0xffffffff);
  check(2147483648 > 0);
  check(-2147483647 - 1 < 0);
  /* operators with side effects */
  int i = 3;
  check(i++ == 3 && i == 4);
  check(++i == 5);
  check(i-- == 5 && --i == 3);
  i += 4; check(i == 7);
  i -= 2; check(i == 5);
  i *= 3; check(i == 15);
  i /= 2; check(i == 7);
  i %= 4; check(i == 3);
  i <<= 3; check(i == 24);
  i >>= 1; check(i == 12);
  i &= 10; check(i == 8);
  i |= 3; check(i == 11);
  i ^= 1; check(i == 10);
  uc += 100; check(uc == 44);
  unsigned char w = 255; w++; check(w == 0);
  short s = 32767; s = s + 1; check(s == -32768);
  int a, b;
  a = b = 7; check(a == 7 && b == 7);
  check((a = 3, b = 4, a + b) == 7);
  /* short circuits */
  int n = 0;
  check(!(0 && n++) && n == 0);
  check((1 || n++) && n == 0);
  check((1 && ++n) && n == 1);
  check((0 || ++n) && n == 2);
  check((n ? 10 : 20) == 10);
  check((n > 5 ? n++ : n--) == 2 && n == 1);
  check((n ?: 9) == 1 && (0 ?: 9) == 9);
  check((1 ? -1 : 0u) > 0);
  long l = 1 ? 1 : 2L; check(sizeof(1 ? 1 : 2LL) == 8 && l == 1);
  unsigned long long ull = -1; check(ull > 1000 && ull + 1 == 0);
  check((ull >> 63) == 1 && ((long long)ull >> 63) == -1);
  int amount = 33; check((1LL << amount) == 8589934592LL);
  return 0;
}
