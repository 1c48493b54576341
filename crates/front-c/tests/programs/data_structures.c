extern void reach_error(void);
static void check(int ok) { if (!ok) reach_error(); }

void *malloc(unsigned long size);
void *calloc(unsigned long count, unsigned long size);
void free(void *p);

struct list { struct list *next, *prev; };
struct item { int key; struct list link; char tag; };
static struct list head = { &head, &head };

static void push(struct list *l) {
  l->next = head.next;
  l->prev = &head;
  head.next->prev = l;
  head.next = l;
}

static struct item *item_of(struct list *l) {
  return ({ const __typeof__(((struct item *)0)->link) *m = l;
            (struct item *)((char *)m - __builtin_offsetof(struct item, link)); });
}

static void fill(int n) {
  while (n-- > 0) {
    struct item *i = malloc(sizeof *i);
    i->key = n;
    i->tag = 'a' + n;
    push(&i->link);
  }
}

struct tree { int value; struct tree *sons[2]; };
static struct tree *insert(struct tree *t, int value) {
  if (!t) {
    t = calloc(1, sizeof(struct tree));
    t->value = value;
    return t;
  }
  struct tree **son = &t->sons[value > t->value];
  *son = insert(*son, value);
  return t;
}
static int walk(const struct tree *t, int *out, int n) {
  if (!t) return n;
  n = walk(t->sons[0], out, n);
  out[n++] = t->value;
  return walk(t->sons[1], out, n);
}

static int depth_sum(int n) {
  int own = n, *p = &own;
  int below = n ? depth_sum(n - 1) : 0;
  return *p + below;
}

static void sort(int *a, int n) {
  for (int i = 1; i < n; i++) {
    int v = a[i], j = i;
    for (; j > 0 && a[j - 1] > v; j--) a[j] = a[j - 1];
    a[j] = v;
  }
}

struct matrix { int cell[2][2]; };
static struct matrix multiply(struct matrix a, const struct matrix *b) {
  struct matrix r = { 0 };
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < 2; k++) r.cell[i][j] += a.cell[i][k] * b->cell[k][j];
  return r;
}

static struct { int used; struct { short id; int *where; } slot[3]; } pool;
static int values[3] = { 10, 20, 30 };

static char *reverse(char *s) {
  char *end = s;
  while (*end) ++end;
  for (char *p = s; p < --end; ++p) { char t = *p; *p = *end; *end = t; }
  return s;
}

int main(void) {
  fill(4);
  int sum = 0, digits = 0;
  for (struct list *l = head.next; l != &head; l = l->next) {
    sum += item_of(l)->key;
    digits = digits * 10 + (item_of(l)->tag - 'a');
  }
  check(sum == 6);
  check(digits == 123);
  check(item_of(head.prev)->key == 3);

  struct tree *root = 0;
  int keys[] = { 5, 2, 8, 1, 9 }, out[5], n;
  for (n = 0; n < 5; n++) root = insert(root, keys[n]);
  check(walk(root, out, 0) == 5);
  check(out[0] == 1 && out[1] == 2 && out[2] == 5 && out[3] == 8 && out[4] == 9);
  sort(keys, 5);
  check(keys[0] == 1 && keys[2] == 5 && keys[4] == 9);
  check(depth_sum(4) == 10);

  struct matrix m = { { { 1, 1 }, { 1, 0 } } }, r = m;
  for (int i = 0; i < 3; i++) r = multiply(r, &m);
  check(r.cell[0][0] == 5 && r.cell[0][1] == 3 && r.cell[1][1] == 2);

  for (int i = 0; i < 3; i++) {
    pool.slot[pool.used].id = i;
    pool.slot[pool.used++].where = &values[2 - i];
  }
  check(pool.used == 3 && *pool.slot[0].where == 30 && *pool.slot[2].where == 10);
  ++*pool.slot[1].where;
  check(values[1] == 21);
  *pool.slot[0].where += pool.slot[2].id;
  check(values[2] == 32);

  char word[] = "abcd";
  check(reverse(word)[0] == 'd' && word[3] == 'a');

  int *cells = malloc(4 * sizeof(int));
  for (int i = 0; i < 4; i++) cells[i] = i * i;
  int *last = &cells[3];
  check(*last == 9 && last[-1] == 4 && last - cells == 3);
  free(cells);

  struct item one = { 1, { 0, 0 }, 'x' }, *p = &one, copy;
  copy = *p;
  p->key = 2;
  check(copy.key == 1 && copy.tag == 'x' && one.key == 2 && (*p).link.next == 0);
  struct item many[2] = { [1] = { .key = 7 } };
  many[0] = many[1];
  p = many;
  p++;
  check(p->key == 7 && (p - 1)->key == 7 && p == &many[1]);
  return 0;
}
