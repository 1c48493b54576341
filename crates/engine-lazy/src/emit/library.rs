//! The parts of the C program that do not depend on the program: operators, and the shared memory abstractions.

/// Types, and what the checker provides.
pub const HEAD: &str = r"
typedef unsigned long long word;
typedef long long sword;

extern unsigned long __VERIFIER_nondet_ulong(void);
extern void __VERIFIER_assume(int condition);
extern void reach_error(void);

#define nondet() ((word)__VERIFIER_nondet_ulong())
#define assume(condition) __VERIFIER_assume(condition)
#define TURN(unit) (from <= (unit) && (unit) < to)

";

/// Operators of which C has no exact counterpart.
pub const OPERATORS: &str = r"
/* The signed number that the low bits of a word are. */
sword extend(word value, int bits)
{
    const word sign = (word)1 << (bits - 1);
    return (sword)((value ^ sign) - sign);
}

word ones(int bits) { return ~(word)0 >> (64 - bits); }
word udiv(word a, word b, int bits) { return b ? a / b : ones(bits); }
word urem(word a, word b, int bits) { (void)bits; return b ? a % b : a; }
word size(word a, int bits) { return extend(a, bits) < 0 ? -a & ones(bits) : a; }

word sdiv(word a, word b, int bits)
{
    const word quotient = udiv(size(a, bits), size(b, bits), bits);
    return (extend(a, bits) < 0) != (extend(b, bits) < 0) ? -quotient : quotient;
}

word srem(word a, word b, int bits)
{
    const word rest = urem(size(a, bits), size(b, bits), bits);
    return extend(a, bits) < 0 ? -rest : rest;
}

word shl(word a, word b, int bits) { return b < (word)bits ? a << b : 0; }
word lshr(word a, word b, int bits) { return b < (word)bits ? a >> b : 0; }

word ashr(word a, word b, int bits)
{
    const word by = b < (word)bits ? b : (word)bits - 1;
    const word low = a >> by;
    return extend(a, bits) < 0 ? low | ~(ones(bits) >> by) : low;
}
";

/// Memory under sequential consistency.
pub const PLAIN: &str = r"
/* The shared memory abstraction: sequential consistency. */
word memory[LOCATIONS];

void sma_init(unsigned v, word value) { memory[v] = value; }
void sma_tick(void) { }
word sma_read(unsigned v, unsigned t) { (void)t; return memory[v]; }
void sma_write(unsigned v, word value, unsigned t, int now) { (void)t; (void)now; memory[v] = value; }
void sma_fence(unsigned t) { (void)t; }
void sma_order(unsigned t) { (void)t; }
void sma_wait(unsigned t) { (void)t; }
word sma_last(unsigned v) { return memory[v]; }
";

/// Memory with store buffers, but for what TSO and PSO differ in.
pub const LISTS: &str = r"
/* The shared memory abstraction: for each location a list of writes, ordered by the time at which they reach memory. */
unsigned clock;
word value[LOCATIONS][NODES];
unsigned tstamp[LOCATIONS][NODES + 1], prev[LOCATIONS][NODES + 1], next[LOCATIONS][NODES + 1];
word last_value[LOCATIONS][THREADS];
unsigned last_tstamp[LOCATIONS][THREADS], max_tstamp[THREADS], floor_tstamp[THREADS], wait_tstamp[THREADS];

/* The time before which a write of a thread to a location does not reach memory. */
unsigned sma_earliest(unsigned v, unsigned t);

void sma_init(unsigned v, word first)
{
    for (unsigned node = 0; node <= NODES; node++) {
        if (node < NODES)
            value[v][node] = first;
        tstamp[v][node] = node < NODES ? 0 : CLOCK + 1;
        next[v][node] = (node + 1) % (NODES + 1);
        prev[v][node] = (node + NODES) % (NODES + 1);
    }
    for (unsigned t = 0; t < THREADS; t++)
        last_value[v][t] = first;
}

/* Time passes. */
void sma_tick(void)
{
    const unsigned now = (unsigned)nondet();
    assume(clock <= now && now <= CLOCK);
    clock = now;
}

void sma_write(unsigned v, word written, unsigned t, int now)
{
    /* Take an expired node. */
    const unsigned node = next[v][NODES];
    assume(tstamp[v][next[v][node]] <= clock);
    next[v][NODES] = next[v][node];
    prev[v][next[v][NODES]] = NODES;
    /* Where it goes, and when it lands. */
    const unsigned succ = (unsigned)nondet();
    assume(succ <= NODES && tstamp[v][succ] > clock);
    const unsigned pred = prev[v][succ], ts = (unsigned)nondet();
    assume(ts >= clock && ts >= sma_earliest(v, t) && ts >= floor_tstamp[t]);
    assume(ts >= tstamp[v][pred] && ts < tstamp[v][succ]);
    assume(!now || ts == clock);
    value[v][node] = written;
    tstamp[v][node] = ts;
    next[v][node] = succ;
    prev[v][node] = pred;
    next[v][pred] = node;
    prev[v][succ] = node;
    if (ts > max_tstamp[t])
        max_tstamp[t] = ts;
    last_tstamp[v][t] = ts;
    last_value[v][t] = written;
}

word sma_read(unsigned v, unsigned t)
{
    assume(wait_tstamp[t] <= clock);
    if (last_tstamp[v][t] > clock)
        return last_value[v][t];
    const unsigned node = (unsigned)nondet();
    assume(node < NODES && tstamp[v][node] <= clock && tstamp[v][next[v][node]] > clock);
    return value[v][node];
}

void sma_fence(unsigned t)
{
    if (clock < max_tstamp[t])
        clock = max_tstamp[t];
}

void sma_order(unsigned t) { floor_tstamp[t] = max_tstamp[t]; }
void sma_wait(unsigned t) { wait_tstamp[t] = max_tstamp[t]; }

/* When all writes have reached memory. */
word sma_last(unsigned v) { return value[v][prev[v][NODES]]; }
";

/// What is TSO's own.
pub const TOTAL: &str = r"
/* TSO: the writes of a thread reach memory in their order. */
unsigned sma_earliest(unsigned v, unsigned t) { (void)v; return max_tstamp[t]; }
";

/// What is PSO's own.
pub const PARTIAL: &str = r"
/* PSO: the writes of a thread to one location reach memory in their order. */
unsigned sma_earliest(unsigned v, unsigned t) { return last_tstamp[v][t]; }
";
