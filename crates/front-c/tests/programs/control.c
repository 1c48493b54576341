extern void reach_error(void);
static void check(int ok) { if (!ok) reach_error(); }

static int classify(int n) {
  switch (n) {
  case 0: return 100;
  case 1:
  case 2: n += 10; /* falls through */
  case 3: n += 100; break;
  case 5 ... 9: return 59;
  case -1: { return -100; }
  default: return -1;
  }
  return n;
}

static int nested(int n) {
  int out = 0;
  switch (n) {
  case 1:
    switch (n + 1) { case 2: out = 7; break; default: out = 8; }
    break;
  case 2:
    for (int i = 0; i < 10; i++) { if (i == 4) break; if (i % 2) continue; out += i; }
    break;
  }
  return out;
}

static int jumps(int n) {
  int steps = 0;
again:
  if (n == 1) goto done;
  n = n % 2 ? 3 * n + 1 : n / 2;
  steps++;
  goto again;
done:
  return steps;
}

static int loops(void) {
  int sum = 0, i = 0;
  while (i < 5) sum += i++;
  do sum += 100; while (--i > 3);
  for (;;) { if (++i > 10) break; }
  for (i = 0; i < 3; ++i) for (int j = 0; j < i; ++j) sum += 1000;
  return sum + i;
}

static int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
old(a, b) int a; short b; { return a - b; }
static int last(int x) { if (x) { return 1; } else { return 2; } }
static void nothing(void) {}
int duff(int count) {
  int n = (count + 3) / 4, out = 0;
  switch (count % 4) {
  case 0: do { out++;
  case 3: out++;
  case 2: out++;
  case 1: out++;
          } while (--n > 0);
  }
  return out;
}
static int shadow(int x) { { int x = 5; { int x = 6; x++; } x++; if (x != 6) return -1; } return x; }

int main(void) {
  check(classify(0) == 100 && classify(1) == 111 && classify(2) == 112 && classify(3) == 103);
  check(classify(5) == 59 && classify(7) == 59 && classify(9) == 59 && classify(10) == -1 && classify(4) == -1);
  check(classify(-1) == -100);
  check(nested(1) == 7 && nested(2) == 2 && nested(3) == 0);
  check(jumps(6) == 8);
  check(loops() == 10 + 200 + 3000 + 3);
  check(factorial(5) == 120);
  check(even(10) && !even(7));
  check(old(5, 3) == 2);
  check(last(1) == 1 && last(0) == 2);
  nothing();
  check(duff(1) == 1 && duff(4) == 4 && duff(11) == 11);
  check(shadow(3) == 3);
  if (1) ; else check(0);
  int v = ({ int t = 4; t * 2; });
  check(v == 8);
  int many = 0;
  for (int i = 0, j = 10; i < j; i++, j--) many++;
  check(many == 5);
  return 0;
}
