//! Statements about control, pointers to pointers, lists, arrays of structures and everything else that [`super`] has no room for.

use super::{Member, Place, SCALARS, Scalar, Writer};

/// How many elements the array of structures has.
const ROWS: usize = 3;

impl Writer<'_> {
    /// Variables, types and functions that every program has.
    pub(super) fn declare_more(&mut self) {
        let record = self.rng.below(self.records.len());
        let keyword = self.records[record].keyword();
        self.line(&format!("{keyword} r{record} rows[{ROWS}];"));
        self.variables.extend((0..ROWS).map(|at| (format!("rows[{at}]"), record)));
        self.rows = record;
        let scalar = *self.rng.pick(&SCALARS[..8]);
        let (first, second) = (self.number(scalar), self.number(scalar));
        self.line(&format!("{} grid[2][3] = {{ {{ {first} }}, [1] = {{ [2] = {second} }} }};", scalar.0));
        self.grid = scalar;
        self.line("struct link { struct link *next; uint32_t v; };");
        self.line("struct link links[4] = { { links + 1, 7 }, { .v = 9 }, { 0, 11 }, { 0 } };");
        self.line("enum color { RED = -3, GREEN, BLUE = 40, GREY };");
        self.line("enum color color = BLUE;");
    }

    /// Functions that need the others.
    pub(super) fn helpers_more(&mut self) {
        self.line("static uint64_t (*chosen)(uint64_t) = add_one;");
        self.line("static uint64_t down(uint64_t n, uint64_t x) { return n ? down(n - 1, x * 3 + n) : x; }");
        self.line("static uint64_t count(void) { static uint16_t n = 65530; return n += 3; }");
        self.line("static void bump(uint32_t **at) { **at += 5; *at += 1; }");
    }

    /// What can be read and written beside the members of records and the elements of arrays.
    pub(super) fn places_more(&self) -> impl Iterator<Item = Place> {
        let grid = self.grid;
        let plain = |text, scalar| Place { text, scalar, bits: false };
        let grid = (0..6).map(move |at| plain(format!("grid[{}][{}]", at / 3, at % 3), grid));
        grid.chain((0..4).map(move |at| plain(format!("links[{at}].v"), SCALARS[5])))
    }

    /// A place whose index is computed.
    pub(super) fn indexed(&mut self) -> Place {
        let (one, other) = (self.expression(1), self.expression(0));
        if self.rng.chance(40) {
            let text = format!("grid[(uint64_t)({one}) % 2][(uint64_t)({other}) % 3]");
            return Place { text, scalar: self.grid, bits: false };
        }
        let mut places = Vec::new();
        self.places_in(&format!("rows[(uint64_t)({one}) % {ROWS}]"), self.rows, &mut places);
        self.rng.pick(&places).clone()
    }

    /// An expression of a rarer kind, of two others.
    pub(super) fn rare_expression(&mut self, a: &str, b: &str) -> String {
        match self.rng.below(14) {
            0 => format!("(({a}), ({b}))"),
            1 => format!("(({a}) ? ({b}) ? (int8_t)({a}) : (uint32_t)({b}) : (int64_t)(int32_t)({a}))"),
            2 => format!("((int64_t)(int32_t)({a}) * (int64_t)(int32_t)({b}))"),
            3 => format!("((int32_t)(int16_t)({a}) % ((int32_t)(uint8_t)({b}) + 1))"),
            4 => format!("((int32_t)({a}) {} (uint32_t)({b}))", self.rng.pick(&["<", ">=", "==", "+", "^"])),
            5 => format!("((int64_t)({a}) >> ((uint8_t)({b}) % 64))"),
            6 => format!("down((uint64_t)({a}) % 4, {b})"),
            7 => format!("chosen({a} + (uint64_t)({b}))"),
            8 => format!("(uint64_t)({{ __typeof__(+({a})) t = ({a}); t ^ ({b}); }})"),
            9 => format!("(uint64_t)__builtin_popcountll((uint64_t)({a}) ^ (uint64_t)({b}))"),
            10 => format!("((uint64_t)__builtin_bswap32((uint32_t)({a})) - __builtin_bswap64({b}))"),
            11 => format!("(sizeof(+({a})) + sizeof(!({b})))"),
            12 => format!("((uint16_t)({a}) - (uint16_t)({b}) < 0 ? -(int32_t)(int16_t)({a}) : +(uint8_t)({b}))"),
            _ => format!("((uint64_t)color + (({a}) == ({b})))"),
        }
    }

    /// A statement of a rarer kind.
    pub(super) fn rare_statement(&mut self, nesting: usize) {
        match self.rng.below(17) {
            0 => self.compound(),
            1 => self.step(),
            2 => self.pointer_to_pointer(),
            3 => self.walk(nesting),
            4 => self.through_row(),
            5 if nesting < 2 => self.jump_forward(nesting),
            6 if nesting < 2 => self.jump_back(nesting),
            7 if nesting < 2 => self.waiting_loop(nesting),
            8 => self.choose_function(),
            9 => self.literal(),
            10 => self.relink(),
            11 => self.walk_list(),
            12 => self.copy_bytes(),
            13 if nesting < 2 => self.ranges(nesting),
            14 => self.overflow(),
            15 => self.recolor(),
            _ => self.strings(),
        }
    }

    /// A name that nothing else has.
    fn name(&mut self, what: &str) -> String {
        self.fresh += 1;
        format!("{what}{}", self.fresh)
    }

    fn compound(&mut self) {
        let (place, value) = (self.place(), self.expression(1));
        let unsigned = !place.scalar.2 && place.scalar.1 > 1;
        let text = match self.rng.below(8) {
            0..=2 => format!("{} (uint64_t)({value})", self.rng.pick(&["+=", "-=", "*="])),
            3..=4 => format!("{} ((uint64_t)({value}) | 1)", self.rng.pick(&["/=", "%="])),
            5 if unsigned => format!("<<= (uint64_t)({value}) % 8"),
            5..=6 => format!(">>= (uint64_t)({value}) % 8"),
            _ => format!("= mixed({value})"),
        };
        self.line(&format!("{} {text};", place.text));
    }

    /// `++` and `--`, where they cannot overflow.
    fn step(&mut self) {
        let place = self.place();
        if place.scalar.2 && place.scalar.1 >= 32 || place.bits {
            return;
        }
        let forms = ["P++;", "--P;", "mix((uint64_t)P++);", "mix((uint64_t)--P);", "mix((uint64_t)(P--, P));"];
        let text = self.rng.pick(&forms).replace('P', &place.text);
        self.line(&text);
    }

    fn pointer_to_pointer(&mut self) {
        let (array, scalar, length) = self.rng.pick(&self.arrays).clone();
        let one = self.rng.below(length);
        let other = self.rng.below(length - one);
        let (value, condition) = (self.expression(1), self.expression(1));
        let name = scalar.0;
        self.line(&format!(
            "{{ {name} *p = &{array}[{one}], *q = {array}, **pp = &p; **pp = {value}; if ({condition}) pp = &q; *pp += {other}; \
             mix((uint64_t)**pp); mix((uint64_t)(*pp - {array})); mix(p == q); **pp ^= 1; mix(!p + !!q); }}"
        ));
        if self.rng.chance(40) {
            let at = self.rng.below(3);
            self.line(&format!(
                "{{ uint32_t v[2] = {{ {at}, 9 }}, *p = v; bump(&p); bump(&p); mix(v[0] + v[1]); mix(p - v); }}"
            ));
        }
    }

    /// A pointer that goes along an array.
    fn walk(&mut self, nesting: usize) {
        let (array, scalar, length) = self.rng.pick(&self.arrays).clone();
        let pointer = self.name("p");
        let (value, skip, stop) = (self.expression(1), self.rng.below(256), self.rng.below(256));
        self.line(&format!("for ({} *{pointer} = {array}; {pointer} != {array} + {length}; {pointer}++) {{", scalar.0));
        self.line(&format!("    if ((uint8_t)*{pointer} == {skip}) continue;"));
        self.line(&format!("    *{pointer} ^= ({})({value});", scalar.0));
        self.line(&format!("    if ((uint8_t)*{pointer} > {stop}) break;"));
        if nesting < 1 {
            self.block(nesting + 1);
        }
        self.line("}");
    }

    /// A structure of the array through a pointer to it.
    fn through_row(&mut self) {
        let record = self.rows;
        let keyword = self.records[record].keyword();
        let mut places = Vec::new();
        self.places_in("x", record, &mut places);
        let (one, other) = (self.rng.pick(&places).clone(), self.rng.pick(&places).clone());
        let through = |place: &Place| place.text.replacen("x.", "p->", 1);
        let (index, value) = (self.expression(1), self.expression(1));
        let (row, step) = (self.rng.below(ROWS), self.rng.below(2));
        let pointer = format!("{keyword} r{record} *p = &rows[(uint64_t)({index}) % 2]");
        self.line(&format!(
            "{{ {pointer}; {} = {value}; p += {step}; mix((uint64_t){}); rows[{row}] = *p; *p = rows[0]; mix((uint64_t)(p - rows)); }}",
            through(&one),
            through(&other)
        ));
    }

    fn jump_forward(&mut self, nesting: usize) {
        let (label, condition) = (self.name("skip"), self.expression(1));
        self.line(&format!("if ({condition}) goto {label};"));
        self.block(nesting);
        self.line(&format!("{label}:;"));
    }

    fn jump_back(&mut self, nesting: usize) {
        let (label, counter) = (self.name("again"), self.name("n"));
        let (condition, most) = (self.expression(1), 1 + self.rng.below(3));
        self.line(&format!(";int {counter} = 0;\n{label}:;"));
        self.block(nesting + 1);
        self.line(&format!("if (({condition}) && ++{counter} < {most}) goto {label};"));
    }

    /// `while` and `do`, with `break` and `continue`.
    fn waiting_loop(&mut self, nesting: usize) {
        let (counter, condition, other) = (self.name("w"), self.expression(1), self.expression(1));
        let most = 1 + self.rng.below(3);
        self.line(&format!("{{ uint8_t {counter} = {most};"));
        let head = self.rng.chance(50);
        let begin = if head { format!("while ({counter}-- > 0) {{") } else { "do {".to_owned() };
        self.line(&begin);
        self.line(&format!("    if ({condition}) continue;"));
        self.block(nesting + 1);
        self.line(&format!("    if ({other}) break;"));
        let end = if head { "} }".to_owned() } else { format!("}} while ({counter}--); }}") };
        self.line(&end);
    }

    fn choose_function(&mut self) {
        let (condition, value) = (self.expression(1), self.expression(1));
        self.line(&format!("chosen = ({condition}) ? twice : table[0];"));
        self.line(&format!("mix((*chosen)({value}) + (chosen == twice));"));
    }

    /// A compound literal of a structure in which no union leaves bytes open.
    fn literal(&mut self) {
        let (variable, record) = self.rng.pick(&self.variables).clone();
        if self.has_union(record) {
            return;
        }
        let members = self.records[record].members.clone();
        let mut parts = Vec::new();
        for (at, member) in members.iter().enumerate() {
            match member {
                Member::Plain(_) | Member::Bits(..) if self.rng.chance(60) => {
                    parts.push(format!(".m{at} = {}", self.expression(1)));
                }
                Member::Array(_, length) if self.rng.chance(60) => {
                    let index = self.rng.below(*length);
                    parts.push(format!(".m{at} = {{ [{index}] = {} }}", self.expression(0)));
                }
                Member::Plain(_) | Member::Bits(..) | Member::Array(..) | Member::Inner(_) => {}
            }
        }
        if parts.is_empty() {
            parts.push("0".to_owned());
        }
        self.line(&format!("{variable} = (struct r{record}){{ {} }};", parts.join(", ")));
    }

    fn has_union(&self, record: usize) -> bool {
        let inside = |member: &Member| matches!(member, Member::Inner(inner) if self.has_union(*inner));
        self.records[record].union || self.records[record].members.iter().any(inside)
    }

    /// Lists only ever go on to a later element, so that walking ends.
    fn relink(&mut self) {
        let (from, value) = (self.rng.below(3), self.expression(1));
        let left = 3 - from;
        self.line(&format!("links[{from}].next = links + {from} + 1 + (uint64_t)({value}) % {left};"));
        if self.rng.chance(30) {
            self.line(&format!("if ({value}) links[{from}].next = 0;"));
        }
    }

    fn walk_list(&mut self) {
        let value = self.expression(0);
        self.line(&format!(
            "for (struct link *p = links; p; p = p->next) {{ p->v += (uint32_t)({value}); mix(p->v); mix((uint64_t)(p - links)); }}"
        ));
        self.line(
            "{ struct link **end = &links[0].next; while (*end) end = &(*end)->next; mix(end == &links[3].next); }",
        );
    }

    /// A structure, byte by byte or as a block.
    fn copy_bytes(&mut self) {
        let (to, record) = self.rng.pick(&self.variables).clone();
        let same: Vec<String> = self
            .variables
            .iter()
            .filter(|(name, r)| *r == record && *name != to)
            .map(|(name, _)| name.clone())
            .collect();
        if same.is_empty() {
            return;
        }
        let from = self.rng.pick(&same).clone();
        let text = if self.rng.chance(50) {
            format!("memcpy(&{to}, &{from}, sizeof {to});")
        } else {
            format!("for (unsigned i = 0; i < sizeof {to}; i++) ((char *)&{to})[i] = ((char *)&{from})[i];")
        };
        self.line(&text);
    }

    /// `case` with a range, falling through, over a signed number.
    fn ranges(&mut self, nesting: usize) {
        let value = self.expression(1);
        self.line(&format!("switch ((int8_t)({value})) {{\n    case -128 ... -5:"));
        self.block(nesting);
        self.line("    case -4: case 0: case 1:");
        self.block(nesting);
        self.line("    break;\n    case 2 ... 9: {");
        self.block(nesting);
        self.line("    }\n    }");
    }

    fn overflow(&mut self) {
        let scalar: Scalar = *self.rng.pick(&SCALARS[..8]);
        let (one, other) = (self.expression(1), self.expression(1));
        let kind = *self.rng.pick(&["add", "sub", "mul"]);
        self.line(&format!(
            "{{ {} x; mix(__builtin_{kind}_overflow((int32_t)({one}), (int16_t)({other}), &x)); mix((uint64_t)x); }}",
            scalar.0
        ));
    }

    fn recolor(&mut self) {
        let value = self.expression(1);
        self.line(&format!("color = ({value}) ? GREEN : color == GREY ? RED : GREY;"));
        self.line("mix((uint64_t)color + count());");
    }

    fn strings(&mut self) {
        let value = self.expression(1);
        self.line(&format!(
            "{{ char s[] = \"a\\x7f\\200z\"; const char *t = \"zebra\" + (uint64_t)({value}) % 5; s[2] += *t; mix((uint64_t)s[2]); \
             mix((uint64_t)s[1] + sizeof s + (uint64_t)t[0]); }}"
        ));
    }
}
