//! Random C programs of one thread, for comparison with a compiler: structures, unions, bit-fields, casts, pointers into
//! the middle of things, copies of bytes, conversions.
//!
//! A program computes a checksum of all that it has, and nothing in it is undefined or depends on the compiler beyond what
//! GCC documents. `CHECK(sum)` is what happens to the checksum at the end. `HIDE(x)` is a number that the reader is not told: it
//! makes terms of constants. Both, and what the library declares, come before the text. With `threaded`, all is done by a second thread, so that memory is shared and accesses are events.

mod initial;
mod more;

use crate::Rng;
use std::fmt::Write as _;

/// A scalar type: its name, its bits, whether it is signed.
type Scalar = (&'static str, u32, bool);

const SCALARS: [Scalar; 9] = [
    ("int8_t", 8, true),
    ("uint8_t", 8, false),
    ("int16_t", 16, true),
    ("uint16_t", 16, false),
    ("int32_t", 32, true),
    ("uint32_t", 32, false),
    ("int64_t", 64, true),
    ("uint64_t", 64, false),
    ("_Bool", 1, false),
];

/// A member of a structure or union.
#[derive(Debug, Clone)]
enum Member {
    Plain(Scalar),
    /// So many bits of a type.
    Bits(Scalar, u32),
    Array(Scalar, usize),
    /// A structure or union that was declared before, by its number.
    Inner(usize),
}

#[derive(Debug, Clone)]
struct Record {
    union: bool,
    members: Vec<Member>,
}

impl Record {
    fn keyword(&self) -> &'static str {
        if self.union { "union" } else { "struct" }
    }
}

/// Something that can be read and written: the text, its type, and whether its address can be taken.
#[derive(Debug, Clone)]
struct Place {
    text: String,
    scalar: Scalar,
    bits: bool,
}

struct Writer<'r> {
    rng: &'r mut Rng,
    records: Vec<Record>,
    /// The variables that are records.
    variables: Vec<(String, usize)>,
    /// The arrays of scalars: name, type, length.
    arrays: Vec<(String, Scalar, usize)>,
    /// Which record the array `rows` consists of.
    rows: usize,
    /// What the two-dimensional array consists of.
    grid: Scalar,
    text: String,
    /// Whether numbers are hidden.
    hides: bool,
    depth: usize,
    fresh: usize,
}

/// A program for a random number. If it `hides` nothing, all is known and little is left for a solver to do.
pub fn sequential(rng: &mut Rng, threaded: bool, hides: bool) -> String {
    let mut writer = Writer {
        rng,
        records: Vec::new(),
        variables: Vec::new(),
        arrays: Vec::new(),
        rows: 0,
        grid: SCALARS[4],
        text: String::new(),
        hides,
        depth: 0,
        fresh: 0,
    };
    writer.program(threaded);
    writer.text
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:indent$}{text}", "", indent = 4 * self.depth);
    }

    fn program(&mut self, threaded: bool) {
        for number in 0..1 + self.rng.below(3) {
            self.declare(number);
        }
        for at in 0..1 + self.rng.below(3) {
            let record = self.rng.below(self.records.len());
            let keyword = self.records[record].keyword();
            let first = if self.rng.chance(60) { format!(" = {}", self.initializer(record)) } else { String::new() };
            self.line(&format!("{keyword} r{record} g{at}{first};"));
            self.variables.push((format!("g{at}"), record));
        }
        for at in 0..1 + self.rng.below(2) {
            let scalar = *self.rng.pick(&SCALARS[..8]);
            let length = 2 + self.rng.below(7);
            let values: Vec<String> = (0..length).map(|_| self.number(scalar)).collect();
            self.line(&format!("{} a{at}[{length}] = {{ {} }};", scalar.0, values.join(", ")));
            self.arrays.push((format!("a{at}"), scalar, length));
        }
        self.declare_more();
        self.line("uint64_t sum;");
        self.line("static void mix(uint64_t x) { sum = (sum ^ x) * 1099511628211u + 7; }");
        self.line("static uint64_t mixed(uint64_t x) { mix(x); return sum; }");
        self.helpers();
        self.helpers_more();
        self.line("static void *body(void *unused)");
        self.line("{");
        self.depth += 1;
        for at in 0..self.rng.below(3) {
            let record = self.rng.below(self.records.len());
            let keyword = self.records[record].keyword();
            self.line(&format!("{keyword} r{record} l{at};"));
            let byte = self.rng.below(3);
            self.line(&format!("memset(&l{at}, {byte}, sizeof l{at});"));
            self.tame(&format!("l{at}"), record);
            self.variables.push((format!("l{at}"), record));
        }
        for _ in 0..4 + self.rng.below(12) {
            self.statement(0);
        }
        self.summary();
        self.line("return unused;");
        self.depth -= 1;
        self.line("}");
        self.line("int main(void)\n{");
        if threaded {
            self.line("    pthread_t t;\n    pthread_create(&t, 0, body, 0);\n    pthread_join(t, 0);");
        } else {
            self.line("    body(0);");
        }
        self.line("    CHECK(sum);\n    return 0;\n}");
    }

    /// What is filled with any bytes has booleans that are none: they are set.
    fn tame(&mut self, name: &str, record: usize) {
        let mut places = Vec::new();
        self.places_in(name, record, &mut places);
        for place in places.iter().filter(|place| place.scalar.1 == 1) {
            self.line(&format!("{} = 1;", place.text));
        }
    }

    fn declare(&mut self, number: usize) {
        let union = self.rng.chance(35);
        let packed = !union && self.rng.chance(30);
        let mut members = Vec::new();
        for _ in 0..2 + self.rng.below(4) {
            // A union with booleans would let others write what is none.
            let scalars = if union { &SCALARS[..8] } else { &SCALARS[..] };
            let scalar = *self.rng.pick(scalars);
            let inner: Vec<usize> = (0..number).filter(|&inner| !union || !self.has_bool(inner)).collect();
            members.push(match self.rng.below(10) {
                0..=1 if scalar.1 > 1 => Member::Bits(scalar, 1 + self.rng.below(scalar.1 as usize) as u32),
                2..=3 if scalar.1 > 1 => Member::Array(scalar, 2 + self.rng.below(3)),
                4..=5 if !inner.is_empty() => Member::Inner(*self.rng.pick(&inner)),
                _ => Member::Plain(scalar),
            });
        }
        let record = Record { union, members };
        let mut text =
            format!("{} {}r{number} {{", record.keyword(), if packed { "__attribute__((packed)) " } else { "" });
        for (at, member) in record.members.iter().enumerate() {
            let member = match member {
                Member::Plain(scalar) => format!("{} m{at};", scalar.0),
                Member::Bits(scalar, bits) => format!("{} m{at} : {bits};", scalar.0),
                Member::Array(scalar, length) => format!("{} m{at}[{length}];", scalar.0),
                Member::Inner(inner) => format!("{} r{inner} m{at};", self.records[*inner].keyword()),
            };
            text.push(' ');
            text.push_str(&member);
        }
        self.line(&format!("{text} }};"));
        self.records.push(record);
    }

    fn has_bool(&self, record: usize) -> bool {
        self.records[record].members.iter().any(|member| match member {
            Member::Plain(scalar) => scalar.1 == 1,
            Member::Inner(inner) => self.has_bool(*inner),
            Member::Bits(..) | Member::Array(..) => false,
        })
    }

    /// Functions that take and return structures, and that write through pointers.
    fn helpers(&mut self) {
        for number in 0..self.records.len() {
            let name = format!("{} r{number}", self.records[number].keyword());
            let mut places = Vec::new();
            self.places_in("x", number, &mut places);
            let place = self.rng.pick(&places).clone();
            let value = self.constant(place.scalar);
            self.line(&format!("static {name} by_value{number}({name} x) {{ {} = {value}; return x; }}", place.text));
            let through = place.text.replacen("x.", "x->", 1);
            self.line(&format!("static void by_pointer{number}({name} *x) {{ {through} ^= {value}; }}"));
        }
        self.line("static uint64_t add_one(uint64_t x) { return x + 1; }");
        self.line("static uint64_t twice(uint64_t x) { return x * 2; }");
        self.line("static uint64_t (*const table[2])(uint64_t) = { add_one, twice };");
    }

    fn places_in(&self, name: &str, record: usize, places: &mut Vec<Place>) {
        for (at, member) in self.records[record].members.iter().enumerate() {
            let text = format!("{name}.m{at}");
            match member {
                Member::Plain(scalar) => places.push(Place { text, scalar: *scalar, bits: false }),
                Member::Bits(scalar, _) => places.push(Place { text, scalar: *scalar, bits: true }),
                Member::Array(scalar, length) => places.extend((0..*length).map(|at| Place {
                    text: format!("{text}[{at}]"),
                    scalar: *scalar,
                    bits: false,
                })),
                Member::Inner(inner) => self.places_in(&text, *inner, places),
            }
        }
    }

    fn all_places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        for (name, record) in &self.variables {
            self.places_in(name, *record, &mut places);
        }
        for (name, scalar, length) in &self.arrays {
            places.extend((0..*length).map(|at| Place { text: format!("{name}[{at}]"), scalar: *scalar, bits: false }));
        }
        places.extend(self.places_more());
        places
    }

    fn place(&mut self) -> Place {
        if self.rng.chance(8) {
            return self.indexed();
        }
        if self.rng.chance(15) && !self.arrays.is_empty() {
            let (name, scalar, length) = self.rng.pick(&self.arrays).clone();
            let index = self.expression(1);
            return Place { text: format!("{name}[(uint64_t)({index}) % {length}]"), scalar, bits: false };
        }
        let places = self.all_places();
        self.rng.pick(&places).clone()
    }

    fn number(&mut self, (_, bits, signed): Scalar) -> String {
        let special = [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, u64::MAX];
        let value = if self.rng.chance(60) { *self.rng.pick(&special) } else { self.rng.next_u64() };
        let low = if bits == 64 { value } else { value & ((1 << bits) - 1) };
        let negative = signed && bits < 64 && low >> (bits - 1) == 1;
        if negative {
            format!("-{}", (1u64 << bits) - low)
        } else {
            format!("{}u", low & (u64::MAX >> u32::from(signed)))
        }
    }

    fn constant(&mut self, scalar: Scalar) -> String {
        let number = self.number(scalar);
        if self.hides && self.rng.chance(20) { format!("HIDE({number})") } else { format!("({number})") }
    }

    /// An expression without undefined behaviour.
    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(20) {
            return if self.rng.chance(35) {
                let scalar = *self.rng.pick(&SCALARS);
                let constant = self.constant(scalar);
                format!("({}){constant}", scalar.0)
            } else {
                let place = self.place();
                // GCC computes with as many bits as a wide field has, Clang with those of its type.
                let wide = place.bits && place.scalar.1 == 64;
                if wide { format!("({}){}", place.scalar.0, place.text) } else { place.text }
            };
        }
        let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
        match self.rng.below(21) {
            0..=2 => format!("((uint64_t)({a}) {} (uint64_t)({b}))", self.rng.pick(&["+", "-", "*"])),
            3..=4 => format!("(({a}) {} ({b}))", self.rng.pick(&["&", "|", "^"])),
            5 => format!("(({a}) {} ({b}))", self.rng.pick(&["<", "<=", "==", "!=", ">", ">="])),
            6 => format!("((uint64_t)({a}) {} ((uint64_t)({b}) | 1))", self.rng.pick(&["/", "%"])),
            7 => format!("((uint32_t)({a}) << ((uint64_t)({b}) % 32))"),
            8 => format!("(({a}) >> ((uint64_t)({b}) % 8))"),
            9 => format!("({}(({a})))", self.rng.pick(&["~", "!", "!!", "-(uint64_t)"])),
            10 => format!("(({a}) ? ({b}) : (uint16_t)({a}))"),
            11 => format!("(({a}) {} ({b}))", self.rng.pick(&["&&", "||"])),
            12 => format!("(({})({a}))", self.rng.pick(&SCALARS).0),
            13 => format!("((int16_t)({a}) {} (int8_t)({b}))", self.rng.pick(&["+", "-", "*"])),
            14 => format!("table[(uint64_t)({a}) % 2]({b})"),
            16..=20 => self.rare_expression(&a, &b),
            _ => format!("((int32_t)(int16_t)({a}) / ((int32_t)(uint8_t)({b}) + 1))"),
        }
    }

    fn statement(&mut self, nesting: usize) {
        match self.rng.below(34) {
            0..=4 => {
                let (place, value) = (self.place(), self.expression(2));
                self.line(&format!("{} = {value};", place.text));
            }
            5 => {
                let (place, value) = (self.place(), self.expression(1));
                let op = *self.rng.pick(&["&=", "|=", "^="]);
                self.line(&format!("{} {op} {value};", place.text));
            }
            6 => self.copy_record(),
            7 => self.call_helper(),
            8..=10 => self.bytes(),
            11 => self.through_pointer(),
            12 => self.view(),
            13 => {
                let value = self.expression(2);
                self.line(&format!("mix({value});"));
            }
            14 if nesting < 2 => {
                let condition = self.expression(1);
                self.line(&format!("if ({condition}) {{"));
                self.block(nesting);
                self.line("} else {");
                self.block(nesting);
                self.line("}");
            }
            15 if nesting < 2 => {
                self.fresh += 1;
                let (name, count) = (format!("i{}", self.fresh), 1 + self.rng.below(3));
                self.line(&format!("for (int {name} = 0; {name} < {count}; {name}++) {{"));
                self.block(nesting + 1);
                self.line("}");
            }
            16 if nesting < 2 => {
                let value = self.expression(1);
                self.line(&format!("switch ((uint64_t)({value}) % 4) {{\n    case 0:"));
                self.block(nesting);
                self.line("    break;\n    case 2:");
                self.block(nesting);
                self.line("    default:");
                self.block(nesting);
                self.line("}");
            }
            17 => self.step_back(),
            18 => self.compare_bytes(),
            20..=33 => self.rare_statement(nesting),
            _ => {
                let place = self.place();
                let number = self.constant(place.scalar);
                self.line(&format!("{} = {number};", place.text));
            }
        }
    }

    fn block(&mut self, nesting: usize) {
        self.depth += 1;
        for _ in 0..1 + self.rng.below(2) {
            self.statement(nesting + 1);
        }
        self.depth -= 1;
    }

    fn copy_record(&mut self) {
        let (to, record) = self.rng.pick(&self.variables).clone();
        let same: Vec<String> = self.variables.iter().filter(|(_, r)| *r == record).map(|(n, _)| n.clone()).collect();
        let from = self.rng.pick(&same).clone();
        self.line(&format!("{to} = {from};"));
    }

    fn call_helper(&mut self) {
        let (name, record) = self.rng.pick(&self.variables).clone();
        if self.rng.chance(50) {
            self.line(&format!("{name} = by_value{record}({name});"));
        } else {
            self.line(&format!("by_pointer{record}(&{name});"));
        }
    }

    /// Copies of bytes from an array into another thing, and back.
    fn bytes(&mut self) {
        let (array, scalar, length) = self.rng.pick(&self.arrays).clone();
        let size = length * scalar.1 as usize / 8;
        let (from, to) = (self.rng.below(size), self.rng.below(size));
        let most = size - from.max(to);
        let count = if self.hides && self.rng.chance(40) {
            format!("HIDE({most})")
        } else {
            self.rng.below(most + 1).to_string()
        };
        match self.rng.below(4) {
            0 => self.line(&format!("memmove((char *){array} + {to}, (char *){array} + {from}, {count});")),
            1 => {
                let byte = self.rng.below(256);
                self.line(&format!("memset((char *){array} + {to}, {byte}, {count});"));
            }
            2 => {
                let scalar = *self.rng.pick(&SCALARS[..8]);
                let fits = size.saturating_sub(scalar.1 as usize / 8);
                if size * 8 < scalar.1 as usize {
                    return;
                }
                let (at, value) = (self.rng.below(fits + 1), self.expression(1));
                self.line(&format!("{{ {} x = {value}; memcpy((char *){array} + {at}, &x, sizeof x); }}", scalar.0));
            }
            _ => {
                let scalar = *self.rng.pick(&SCALARS[..8]);
                if size * 8 < scalar.1 as usize {
                    return;
                }
                let at = self.rng.below(size - scalar.1 as usize / 8 + 1);
                self.line(&format!("{{ {} x; memcpy(&x, (char *){array} + {at}, sizeof x); mix(x); }}", scalar.0));
            }
        }
    }

    /// A pointer to a scalar in the middle of something.
    fn through_pointer(&mut self) {
        let places: Vec<Place> =
            self.all_places().into_iter().filter(|place| !place.bits && place.scalar.1 > 1).collect();
        if places.is_empty() {
            return;
        }
        let place = self.rng.pick(&places).clone();
        let value = self.expression(1);
        // A packed member may be misaligned, which only characters may be.
        self.line(&format!("{{ char *p = (char *)&{}; p += 1; p -= 1; {} x; memcpy(&x, p, sizeof x); x ^= ({}){value}; memcpy(p, &x, sizeof x); }}",
            place.text, place.scalar.0, place.scalar.0));
    }

    /// The bytes of a scalar, one by one.
    fn view(&mut self) {
        let places: Vec<Place> =
            self.all_places().into_iter().filter(|place| !place.bits && place.scalar.1 > 1).collect();
        if places.is_empty() {
            return;
        }
        let place = self.rng.pick(&places).clone();
        let size = place.scalar.1 as usize / 8;
        let (read, written) = (self.rng.below(size), self.rng.below(size));
        let value = self.expression(1);
        let index = if self.hides && self.rng.chance(30) { format!("HIDE({written})") } else { written.to_string() };
        self.line(&format!(
            "{{ unsigned char *p = (unsigned char *)&{}; mix(p[{read}]); p[{index}] = (unsigned char)({value}); }}",
            place.text
        ));
    }

    /// To one past the end and back, and differences and comparisons of pointers.
    fn step_back(&mut self) {
        let (array, scalar, length) = self.rng.pick(&self.arrays).clone();
        let back = 1 + self.rng.below(length);
        let end = if self.hides && self.rng.chance(30) { format!("HIDE({length})") } else { length.to_string() };
        self.line(&format!(
            "{{ {} *end = {array} + {end}, *p = end; p -= {back}; mix((uint64_t)(end - p)); mix(p < end); mix((uint64_t)p[0]); }}",
            scalar.0
        ));
    }

    fn compare_bytes(&mut self) {
        let (array, scalar, length) = self.rng.pick(&self.arrays).clone();
        let size = length * scalar.1 as usize / 8;
        let half = size / 2;
        self.line(&format!("{{ int c = memcmp({array}, (char *){array} + {half}, {half}); mix((c > 0) - (c < 0)); }}"));
    }

    fn summary(&mut self) {
        for place in self.all_places() {
            self.line(&format!("mix((uint64_t){});", place.text));
        }
        for number in 0..self.records.len() {
            let keyword = self.records[number].keyword();
            self.line(&format!("mix(sizeof({keyword} r{number}));"));
            let plain: Vec<usize> = (0..self.records[number].members.len())
                .filter(|&at| !matches!(self.records[number].members[at], Member::Bits(..)))
                .collect();
            for at in plain {
                self.line(&format!("mix(__builtin_offsetof({keyword} r{number}, m{at}));"));
            }
        }
    }
}
