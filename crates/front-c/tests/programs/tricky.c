extern void reach_error(void);
static void check(int ok) { if (!ok) reach_error(); }

enum color { RED, GREEN = 3, BLUE };
typedef enum color color;
typedef struct { unsigned char r, g; signed char b; } pixel;
static unsigned int seed = 12345;
static unsigned short hash;
static const int powers[] = { 1, 1 << 1, 1 << 2, 1 << 3 };
static int trace;

static unsigned next(void) { return seed = seed * 1103515245u + 12345u; }
static int note(int digit, int value) { trace = trace * 10 + digit; return value; }
static int *slot(void) { static int kept[2]; return kept; }
static int compare(unsigned a, int b) { return a < b; }
static _Bool truth(int n) { return n; }
static color after(color c) { return c == RED ? GREEN : c == GREEN ? BLUE : RED; }
static void twice(int n) { if (n) { note(n, 0); twice(n - 1); } note(9, 0); }
static int find(const int *a, int n, int wanted) {
  for (int i = 0; i < n; i++) {
    for (int j = i; j < n; j++) {
      if (a[i] + a[j] == wanted) { trace = i * 10 + j; goto found; }
    }
  }
  return 0;
found:
  return 1;
}
static int states(const char *input) {
  enum { START, DIGIT, DONE } state = START;
  int value = 0;
  while (state != DONE) {
    switch (state) {
    case START:
      if (*input == ' ') { input++; continue; }
      state = DIGIT;
      break;
    case DIGIT:
      if (*input >= '0' && *input <= '9') value = value * 10 + (*input++ - '0');
      else state = DONE;
      break;
    default: check(0);
    }
  }
  return value;
}
static int bits(unsigned v) { int n = 0; for (; v; v &= v - 1) n++; return n; }
static long long mixed(char c, short s, int i, long long l, unsigned char uc) { return c + s * i - l + uc; }

int main(void) {
  check(next() == 12345u * 1103515245u + 12345u);
  hash = 65535; hash += 2; check(hash == 1);
  check(compare(1, -1) == 1 && compare(0, 0) == 0);
  check(truth(256) == 1 && truth(0) == 0 && truth(-1) + 1 == 2);
  check(after(RED) == GREEN && after(GREEN) == BLUE && after(BLUE) == RED && sizeof(color) == 4);
  trace = 0;
  check((note(1, 0) || note(2, 1)) && trace == 12);
  trace = 0;
  check(!(note(1, 1) && note(2, 0) && note(3, 1)) && trace == 12);
  trace = 0;
  if (note(1, 1) && (note(2, 0) || note(3, 1)) && !note(4, 0)) note(5, 0);
  check(trace == 12345);
  trace = 0;
  int chosen = note(1, 0) ? note(2, 20) : note(3, 0) ? note(4, 40) : note(5, 50);
  check(chosen == 50 && trace == 135);
  trace = 0; twice(2); check(trace == 21999);
  slot()[0] = 4; slot()[1] = slot()[0] + 1; check(slot()[0] == 4 && slot()[1] == 5);
  int numbers[] = { 1, 4, 6, 9 };
  check(find(numbers, 4, 13) && trace == 13);
  check(!find(numbers, 4, 100));
  check(states("  142x") == 142 && states("") == 0);
  check(bits(0xf0f0f0f0u) == 16 && powers[3] == 8);
  check(mixed(-1, 300, -2, 5000000000LL, 255) == -1 - 600 - 5000000000LL + 255);
  pixel px = { 255, 1, 200 }, *pp = &px;
  pp->r++; px.g -= 2;
  check(px.r == 0 && px.g == 255 && px.b == -56);
  unsigned char small = 0x80; check((small << 1) == 256 && (signed char)small == -128 && ~small == -129);
  int neg = -5; check(neg / 2 == -2 && neg % 3 == -2 && neg >> 1 == -3 && (unsigned)neg >> 31 == 1);
  check(-1 > 0u && -1 < 0 && -1L < 1u == (sizeof(long) > 4));
  check((char)300 == 44 && (unsigned char)-1 == 255 && (short)-32769 == 32767);
  long long wide = 0x7fffffff; wide++; check(wide == 2147483648LL && (int)wide < 0);
  unsigned long long full = ~0ULL; check(full / 2 == 0x7fffffffffffffffULL && full % 10 == 5);
  int i = 0, j = 0, total = 0;
  do { if (i == 2) continue; total += i; } while (++i < 4);
  check(total == 4 && i == 4);
  for (i = 0, j = 5; i < j; ++i, --j) total += j;
  check(total == 4 + 5 + 4 + 3 && i == 3 && j == 2);
  while (1) { if (i-- == 0) break; }
  check(i == -1);
  i = 3; i = i++ < 4 ? i : -i; check(i == 4);
  int array[3] = { 0 }, at = 0;
  array[at++] = 5; array[at++] += 6; array[at] = array[at - 1] + array[at - 2];
  check(array[2] == 11 && at == 2);
  int *cursor = array; *cursor++ = 1; *++cursor = 2; check(array[0] == 1 && array[2] == 2 && cursor == array + 2);
  check((&array[2])[-1] == 6 && *(array + 1) == 6 && (array + 3) - array == 3);
  const char *s = "a" "bc" "\x64\n\"", *t = s;
  while (*t) t++;
  check(t - s == 6 && s[3] == 'd' && s[5] == '"');
  check(sizeof("abc") == 4 && sizeof(array) == 12 && sizeof(pixel) == 3 && sizeof(px.b + px.b) == 4);
  check(({ int k = 3; while (k < 10) k *= 2; k; }) == 12);
  union { int whole; unsigned same; } u = { -1 }; check(u.same == ~0u);
  void *any = &array[1]; check(*(int *)any == 6 && (char *)any - (char *)array == 4);
  if (!(any == &array[1] && any != array && any > (void *)array)) check(0);
  double half = 0.5; check(sizeof half == 8 && (int)2.9 == 2 && 1.5 < 2);
  switch (3) { default: check(0); case 3: ; }
  switch (-1) { case -1: total = 1; break; case 0 ... 100: total = 2; }
  check(total == 1);
  goto inside;
  check(0);
  { inside: total = 7; }
  check(total == 7);
  return 0;
}
