extern void reach_error(void);
static void check(int ok) { if (!ok) reach_error(); }

struct point { int x, y; };
struct line { struct point from, to; const char *name; };
union word { unsigned u; int i; };
struct node { int value; struct node *next; };
struct anonymous { int kind; union { int number; struct { short low, high; }; }; };
struct flags { unsigned a : 3; unsigned b : 5; int c : 4; _Bool d : 1; unsigned long long e; };

int table[3][4] = { { 1, 2 }, [2] = { [1] = 7, 8 } };
int unsized[] = { 1, 2, 3, [6] = 9 };
int ranged[10] = { [2 ... 4] = 5 };
struct point origin = { .y = 2, .x = 1 };
struct line segment = { { 1, 2 }, { .x = 3, 4 }, "seg" };
struct line flat = { 1, 2, 3, 4, 0 };
struct point *where = &segment.to;
int *inside = &table[2][1];
char text[] = "hey";
char padded[6] = "ab";
const char *strings[] = { "one", "two", };
struct node third = { 3, 0 }, second = { 2, &third };
struct node first = { 1, &second };
static int counter;
int fib[2] = { 1, 1 };
struct point *heap = &(struct point){ 8, 9 };

static struct point add(struct point a, struct point b) { struct point r = { a.x + b.x, a.y + b.y }; return r; }
static struct point swap(struct point p) { int t = p.x; p.x = p.y; p.y = t; return p; }
static void bump(int *p) { ++*p; }
static int sum(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
static int sum2(int a[][4], int n) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) s += a[i][j]; return s; }
static int next(void) { static int n = 10; return n++; }
static int length(const char *s) { const char *p = s; while (*p) p++; return p - s; }
static void set(struct point *p, int x, int y) { p->x = x; (*p).y = y; }

int main(void) {
  check(table[0][0] == 1 && table[0][1] == 2 && table[0][2] == 0 && table[2][1] == 7 && table[2][2] == 8);
  check(sizeof unsized / sizeof *unsized == 7 && unsized[6] == 9 && unsized[3] == 0);
  check(ranged[1] == 0 && ranged[2] == 5 && ranged[4] == 5 && ranged[5] == 0);
  check(origin.x == 1 && origin.y == 2);
  check(segment.to.y == 4 && where->x == 3 && segment.name[1] == 'e' && flat.to.x == 3);
  check(*inside == 7 && inside[1] == 8 && *(inside - 1) == 0);
  check(sizeof text == 4 && text[2] == 'y' && text[3] == 0 && padded[1] == 'b' && padded[5] == 0);
  check(length(strings[1]) == 3 && strings[0][0] == 'o');
  int total = 0;
  for (struct node *n = &first; n; n = n->next) total += n->value;
  check(total == 6);
  check(heap->x == 8 && heap->y == 9);
  struct point p = add(origin, (struct point){ 10, 20 });
  check(p.x == 11 && p.y == 22);
  check(swap(p).x == 22 && p.x == 11);
  struct point q;
  q = p;
  q.x = 5;
  check(p.x == 11 && q.y == 22);
  struct line copy = segment;
  copy.from = p;
  check(copy.from.x == 11 && segment.from.x == 1 && copy.to.y == 4);
  int local[4] = { 1, 2, 3 };
  check(sum(local, 4) == 6 && sum(local + 1, 2) == 5 && sum2(table, 3) == 18);
  int m = 3;
  bump(&m);
  bump(&local[3]);
  check(m == 4 && local[3] == 1);
  int *r = local;
  check(*r++ == 1 && *r == 2 && r - local == 1 && &local[3] - r == 2 && r > local && r != &local[0]);
  r += 2; check(*r == 1); r--; check(*--r == 2);
  check(2[local] == 3);
  check(next() == 10 && next() == 11);
  counter++; ++counter; check(counter == 2);
  set(&q, 7, 8); check(q.x == 7 && q.y == 8);
  union word w; w.i = -1; check(w.u == 4294967295u);
  struct anonymous an = { 1, { 5 } }; an.number = 6; check(an.number == 6 && an.kind == 1);
  struct flags f = { 9, 33, 9, 3, 5 };
  check(f.a == 1 && f.b == 1 && f.c == -7 && f.d == 1 && f.e == 5);
  f.a = 15; f.c = 7; f.b++; check(f.a == 7 && f.c == 7 && f.b == 2);
  check(__builtin_offsetof(struct line, to.y) == 12 && __builtin_offsetof(struct line, name) == 16);
  check((unsigned long)&((struct line *)0)->to == 8);
  struct line *outer = (struct line *)((char *)where - __builtin_offsetof(struct line, to));
  check(outer == &segment && outer->from.y == 2);
  void *v = &m; check(*(int *)v == 4);
  unsigned long address = (unsigned long)&m; check(*(int *)address == 4);
  int **pp = &r; **pp = 40; check(local[1] == 40);
  int (*row)[4] = &table[2]; check((*row)[1] == 7 && row[-2][0] == 1);
  char buffer[3] = { 'a' }; buffer[1] = buffer[0] + 1; check(buffer[1] == 'b' && buffer[2] == 0);
  struct { int a[2]; struct point p; } mix = { { 1, 2 }, { 3, 4 } };
  mix.a[1] = 9; check(mix.a[0] + mix.a[1] + mix.p.x + mix.p.y == 17);
  int index = 1; mix.a[index] = 3; check(mix.a[1] == 3);
  struct point choice = m ? p : q; check(choice.x == 11);
  struct point arr[2] = { { 1, 2 }, { 3, 4 } }; arr[0] = arr[1]; check(arr[0].y == 4);
  __typeof__(m) same = 3; __auto_type guess = &same; *guess += 1; check(same == 4);
  check(_Generic(m, long: 1, int: 2, default: 3) == 2);
  int loop = 0;
  for (int i = 0; i < 3; i++) { int fresh = i; int *pf = &fresh; *pf += 1; loop += fresh; }
  check(loop == 6);
  const char *null = 0; check(!null && null == 0);
  _Static_assert(sizeof(struct point) == 8, "two ints");
  return 0;
}
