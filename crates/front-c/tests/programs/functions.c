extern void reach_error(void);
static void check(int ok) { if (!ok) reach_error(); }

typedef int (*binary)(int, int);
typedef void action(void);
struct ops { binary combine; int (*one)(int); };
struct pair { int a; long long b; };

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int twice(int a) { return 2 * a; }
static int done;
static void finish(void) { done++; }
static struct ops all[2] = { { add, twice }, { &sub, 0 } };
static binary global = sub;
static int apply(binary f, int a, int b) { return f(a, b); }
static binary choose(int n) { return n ? add : sub; }
static struct pair make(int a, long long b) { struct pair p = { a, b }; return p; }
static struct pair (*maker)(int, long long) = make;
static int first(struct pair p, int n) { return p.a + n; }
static void run(action *f) { f(); (*f)(); (**f)(); }
static int variadic(int n, ...) { return n; }
static void (*unprototyped)() = finish;
static int three(int a, int b, int c) { return a * 100 + b * 10 + c; }
static int effects;
static int tick(void) { return ++effects; }
inline static long long wide(unsigned char c) { return c; }

int main(void) {
  check(apply(add, 1, 2) == 3 && apply(sub, 1, 2) == -1 && apply(&add, 2, 2) == 4);
  check(all[0].combine(5, 6) == 11 && all[1].combine(5, 6) == -1 && all[0].one(4) == 8 && all[1].one == 0);
  check(choose(1)(2, 3) == 5 && choose(0)(2, 3) == -1);
  int n = 1;
  binary f = n ? sub : add;
  check(f(1, 1) == 0 && (*f)(1, 1) == 0 && f == sub && f != add);
  global = add; check(global(1, 1) == 2);
  check(maker(1, 2).b == 2 && make(3, 4).a == 3 && first(maker(5, 6), 1) == 6);
  run(finish); check(done == 3);
  unprototyped(); check(done == 4);
  check(variadic(3, 1, 2) == 3);
  check(tick() == 1 && tick() == 2);
  int i = 1;
  check(three(i, i + 1, i + 2) == 123);
  check(wide(300) == 44);
  binary row[2] = { add, sub };
  check(row[n](3, 1) == 2);
  return 0;
}
