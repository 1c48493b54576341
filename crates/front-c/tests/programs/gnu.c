extern void reach_error(void);
static void check(int ok) { if (!ok) reach_error(); }

/* What runs before main: by priority, then in the order of the text. */
static int order[4], begun;
__attribute__((constructor)) static void third(void) { order[begun++] = 3; }
__attribute__((constructor(200))) static void second(void) { order[begun++] = 2; }
static void first(void) __attribute__((constructor(101)));
static void first(void) { order[begun++] = 1; }
__attribute__((constructor)) static void fourth(void) { order[begun++] = 4; }

/* Cleanups run at the end of the scope, the last variable first, whichever way the scope is left. */
static int trace;
static void clean(int *x) { trace = trace * 10 + *x; }
#pragma GCC diagnostic ignored "-Wunused-variable"
static int leaves(int way) {
  __attribute__((cleanup(clean))) int outer = 1;
  for (int i = 0; i < 3; i++) {
    int inner __attribute__((cleanup(clean))) = 2 + i;
    if (way == 1) return inner;
    if (way == 2) break;
    if (way == 3) continue;
  }
  {
    int last __attribute__((cleanup(clean))) = 9;
  }
  return 0;
}
static int traced(int way) { trace = 0; leaves(way); return trace; }

/* Labels as values. */
static int interpret(const char *code) {
  static void *table[] = { &&halt, &&increment, &&twice };
  int n = 1, at = 0;
  goto *table[(int)code[at++]];
increment:
  n++;
  goto *table[(int)code[at++]];
twice:
  n *= 2;
  goto *table[(int)code[at++]];
halt:
  return n;
}

/* Labels of one block only. */
static int skips(int c) {
  int a = ({ __label__ out; int r = 1; if (c) goto out; r = 2; out: r; });
  int b = ({ __label__ out; int r = 1; if (!c) goto out; r = 2; out: r; });
  return a * 10 + b;
}

static int original(int x) { return x + 1; }
extern int other(int x) __attribute__((alias("original")));

struct inner { int a, b; };
struct outer { struct inner in[2]; int last; union { int u; struct { short lo, hi; }; }; };
static struct outer table = { .in[1].b = 7, .last = 3, .in[0] = { .b = 2, .a = 1 }, .u = 65537 };
static int matrix[3][3] = { [1][1] = 5, [0] = { 1, 2, 3 }, [2] = { [1 ... 2] = 4 } };
static int *literal = (int[]){ 4, 5, 6 };
static struct inner *pair = &(struct inner){ .b = 8 };

enum small { SMALL_A, SMALL_B = 200 } __attribute__((packed));
enum wide { WIDE = 1ll << 40 };

static int old_style(a, b) int a; char b; { return a + b; }

int main(void) {
  check(begun == 4);
  check(order[0] == 1 && order[1] == 2);
  check(order[2] == 3 && order[3] == 4);
  check(traced(0) == 23491);
  check(traced(1) == 21);
  check(traced(2) == 291);
  check(traced(3) == 23491);
  check(interpret("\1\2\1\0") == 5);
  check(interpret("\0") == 1);
  check(skips(1) == 12 && skips(0) == 21);
  check(other(2) == 3);
  check(table.in[0].a == 1 && table.in[0].b == 2);
  check(table.in[1].a == 0 && table.in[1].b == 7);
  check(table.last == 3);
  check(matrix[0][2] == 3 && matrix[1][1] == 5);
  check(matrix[2][0] == 0 && matrix[2][1] == 4 && matrix[2][2] == 4);
  check(literal[2] == 6);
  check(pair->a == 0 && pair->b == 8);
  check(sizeof(enum small) == 1 && SMALL_B == 200);
  check(sizeof(enum wide) == 8);
  check(_Generic(1, int: 1, unsigned: 2, default: 5) == 1);
  check(_Generic(1u, int: 1, unsigned: 2, default: 5) == 2);
  check(_Generic("x", int: 1, char *: 4, default: 5) == 4);
  check(_Generic(1.0, int: 1, char *: 4, default: 5) == 5);
  check(({ __auto_type a = 3; __typeof__(a + 1ll) b = 4; sizeof b == 8 && a < b; }));
  check(old_style(1, 2) == 3);
  check('ab' == 0x6162 && L'x' == 120);
  check(__builtin_types_compatible_p(int, const int) && !__builtin_types_compatible_p(int, long));
  check(({ int x = 2; x * 3; }) == 6);
  check((begun ?: 9) == 4 && (0 ?: 9) == 9);
  check(sizeof(int[3]) == 12 && _Alignof(long long) == 8);
  check(0b101 == 5);
  return 0;
}
