//! The language of models: what it means, and what is said about mistakes.

use model::{Evaluator, Include, Model, NoInclude, Node, Relation, Role, Structure};
use source::{Diagnostic, SourceFile};

struct Files(&'static [(&'static str, &'static str)]);

impl Include for Files {
    fn read(&self, name: &str) -> Option<String> {
        self.0.iter().find(|(file, _)| *file == name).map(|(_, text)| (*text).to_owned())
    }
}

fn load(text: &str) -> Result<Model, Diagnostic> {
    Model::load("test", &SourceFile::new("test.cat", text), &NoInclude)
}

fn good(text: &str) -> Model {
    load(text).unwrap_or_else(|error| panic!("{}", error.render(false)))
}

/// The rendered error, which must point to `line:column` of `file`.
fn bad(text: &str, place: &str) -> String {
    let rendered = load(text).expect_err("the text is wrong").render(false);
    assert!(rendered.contains(&format!("--> {place}")), "{rendered}");
    rendered
}

/// The node of the last axiom, as text.
fn meaning(expr: &str) -> String {
    let model = good(&format!("empty {expr}"));
    model.text(model.axioms[0].node)
}

#[test]
fn precedence_is_that_of_herd() {
    assert_eq!(meaning("po | addr; rf \\ data & ctrl"), "po | (addr; (rf \\ (data & ctrl)))");
    assert_eq!(meaning("addr & data \\ ctrl"), "(addr & data) \\ ctrl");
    assert_eq!(meaning("po \\ addr \\ data"), "(po \\ addr) \\ data");
    assert_eq!(meaning("po & R * W"), "po & (R * W)");
    assert_eq!(meaning("R * W & po"), "(R * W) & po");
    assert_eq!(meaning("~addr & data"), "~addr & data");
    assert_eq!(meaning("~addr^-1"), "~addr^-1");
    assert_eq!(meaning("addr; data+; ctrl*"), "addr; data+; ctrl*");
    assert_eq!(meaning("[R]; po; [W | F]"), "[R]; po; [W | F]");
    assert_eq!(meaning("(addr*)"), "addr*");
}

#[test]
fn a_star_is_a_product_only_before_an_operand() {
    assert_eq!(meaning("addr*\nlet x = po"), "addr*");
    assert_eq!(meaning("addr* as name"), "addr*");
    assert_eq!(good("let r = addr*\n~empty r as some").axioms[0].name, "some");
    assert_eq!(meaning("_ * ~R"), "_ * ~R");
}

#[test]
fn the_relations_of_an_execution_are_recognised() {
    for (text, base) in [
        ("rf & ext", "rfe"),
        ("rf \\ rfi", "rfe"),
        ("co \\ int", "coe"),
        ("fr & int", "fri"),
        ("fr \\ (fr & int)", "fre"),
        ("loc & po", "po-loc"),
        ("(rf^-1; co) \\ id", "fr"),
        ("po & loc & int", "po-loc"),
        ("po+", "po"),
        ("rf | 0 | rf", "rf"),
        ("(0; po) | co", "co"),
        ("rfe & int", "0"),
        ("po & ext", "0"),
        ("[emptyset]; po", "0"),
        ("[_]; po", "po"),
        ("(addr?)+ | addr*", "addr*"),
        ("(addr^-1)^-1", "addr"),
        ("[R]; [W]; po", "[R & W]; po"),
        ("toid(R); po", "[R]; po"),
        ("{} | R", "R"),
        ("try po & NOWHERE with co", "co"),
    ] {
        assert_eq!(meaning(text), base, "{text}");
    }
    assert_eq!(good("let a = co | rf | fr empty a let b = fr | (rf | co) empty b").axioms[1].node.0, 3);
}

/// Arm's models order with an access the pieces of the same access, not the other half of an atomic instruction.
#[test]
fn accesses_have_no_pieces() {
    assert_eq!(meaning("po-loc; [W]; si"), meaning("po-loc; [W]"));
    assert_eq!(meaning("si"), meaning("sm"));
    assert_ne!(meaning("same-instance"), meaning("si"));
}

#[test]
fn functions_procedures_and_local_definitions_are_inlined() {
    assert_eq!(meaning("let f(r, S) = r; [S] and one = po in f(one, R)"), "po; [R]");
    assert_eq!(meaning("let f = fun r -> r; r in f addr"), "addr; addr");
    let model = good("let inside r = r & (R * W)\nprocedure none(r) = empty inside r end\ncall none(po) as here");
    assert_eq!((model.axioms[0].name.as_str(), model.text(model.axioms[0].node)), ("here", "po & (R * W)".to_owned()));
    let model = good("let x = po let f r = r; x let x = co empty f addr");
    assert_eq!(model.text(model.axioms[0].node), "addr; po", "functions see the names of their definition");
    assert_eq!(meaning("if \"sve\" then po else co"), "co");
    let model = good("if not \"a\" && \"b\" || \"c\" empty po else empty co as kept end show po, co as c unshow rf");
    assert_eq!(model.text(model.axioms[0].node), "co");
}

#[test]
fn axioms_have_names_and_roles() {
    let model = good("T\nacyclic po flag ~empty co as race undefined_unless empty rf as odd irreflexive fr");
    let names: Vec<&str> = model.axioms.iter().map(|axiom| axiom.name.as_str()).collect();
    assert_eq!(names, ["acyclic-1", "race", "odd", "irreflexive-4"]);
    assert_eq!(model.axioms[1].role, Role::Flags);
    assert!(model.axioms[1].negated);
    assert_eq!(model.axioms[2].role, Role::Undefines);
    let mut structure = Structure::new(2);
    structure.co.insert(0, 1);
    let mut evaluator = Evaluator::new(&model, &structure);
    assert_eq!(evaluator.flags(), [1]);
    assert_eq!(evaluator.explain(1).map(|why| why.steps[0].relation.clone()), Some("co".to_owned()));
    assert_eq!(evaluator.explain(0), None, "po has no cycle");
    structure.rf.insert(0, 1);
    assert_eq!(Evaluator::new(&model, &structure).flags(), [1, 2]);
}

#[test]
fn titles_are_strings_or_words_on_the_first_line() {
    assert_eq!(good("\"Two words\" empty 0").title, "Two words");
    assert_eq!(good("C RC11\n(* c *)\nempty 0").title, "C RC11");
    assert_eq!(good("RISCV \"Risc V\"\nempty 0").title, "Risc V");
    assert_eq!(good("(* (* nested *) *) # line\n// line\nempty 0").title, "test");
}

#[test]
fn recursion_finds_the_least_solution() {
    let model =
        good("let rec odd = addr | (even; addr) and even = odd; addr\nempty odd & even as never\nempty even as e");
    let mut structure = Structure::new(5);
    structure.addr = Relation::from_pairs(5, [(0, 1), (1, 2), (2, 3), (3, 4)]);
    let mut evaluator = Evaluator::new(&model, &structure);
    assert_eq!(evaluator.violated(), [1]);
    let even = model.named("even").expect("defined");
    assert_eq!(evaluator.relation(even).iter().collect::<Vec<_>>(), [(0, 2), (0, 4), (1, 3), (2, 4)]);
    assert!(!evaluator.varies(even));
}

#[test]
fn recursion_as_in_power_follows_each_execution() {
    // The second group uses the first, and both depend on rf.
    let model = good(
        "let rec ci = addr | (ci; ii) and ii = rfi | ci | (ii; ii)\nlet rec more = ii | (more; data)\nempty more as m",
    );
    let mut structure = Structure::new(4);
    structure.threads = vec![Some(0); 4];
    structure.addr = Relation::from_pairs(4, [(0, 1)]);
    structure.data = Relation::from_pairs(4, [(2, 3)]);
    let mut evaluator = Evaluator::new(&model, &structure);
    let more = model.named("more").expect("defined");
    assert_eq!(evaluator.relation(more).iter().collect::<Vec<_>>(), [(0, 1)]);
    for _ in 0..2 {
        evaluator.set(&Relation::from_pairs(4, [(1, 2)]), &Relation::empty(4));
        assert_eq!(evaluator.relation(more).iter().collect::<Vec<_>>(), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]);
        evaluator.set(&Relation::empty(4), &Relation::empty(4));
        assert_eq!(evaluator.relation(more).iter().collect::<Vec<_>>(), [(0, 1)]);
    }
}

#[test]
fn sets_can_be_recursive_too() {
    let model = good("let rec reached = IW | range([reached]; po)\nempty reached & R as r");
    let mut structure = Structure::new(4);
    structure.initial.insert(0);
    structure.po = Relation::from_pairs(4, [(0, 1), (1, 2)]);
    let mut evaluator = Evaluator::new(&model, &structure);
    let reached = model.named("reached").expect("defined");
    assert_eq!(evaluator.set_of(reached).iter().collect::<Vec<_>>(), [0, 1, 2]);
    assert!(bad("let rec a = po \\ (a; a) empty a", "test.cat:1:13").contains("`a` is defined by its own complement"));
}

#[test]
fn final_writes_follow_coherence() {
    let model = good("empty FW as fw");
    let mut structure = Structure::new(3);
    (0..3).for_each(|event| structure.writes.insert(event));
    structure.co = Relation::from_pairs(3, [(0, 1), (0, 2), (1, 2)]);
    let mut evaluator = Evaluator::new(&model, &structure);
    assert_eq!(evaluator.set_of(model.axioms[0].node).iter().collect::<Vec<_>>(), [2]);
    assert_eq!(evaluator.explain(0).expect("not empty").steps[0].relation, "FW");
}

#[test]
fn unknown_names_suggest_the_nearest() {
    let text = bad("\"T\"\nacyclic po | rff as x", "test.cat:2:14");
    assert!(text.contains("unknown name `rff`") && text.contains("did you mean `rf`?"), "{text}");
    let text = bad("empty fencerel(membar)", "test.cat:1:16");
    assert!(text.contains("@tags membar"), "{text}");
    assert!(load("(* @tags membar *) empty fencerel(membar)").is_ok());
}

#[test]
fn sorts_are_checked() {
    assert!(bad("acyclic R", "test.cat:1:9").contains("expected a relation, found a set"));
    assert!(bad("empty po | R", "test.cat:1:12").contains("write `[A]` for the identity"));
    assert!(bad("empty [po]", "test.cat:1:8").contains("expected a set, found a relation"));
    assert!(bad("empty po * R", "test.cat:1:7").contains("`domain(r)`"));
    assert!(bad("let f(a,b) = a | b empty f po", "test.cat:1:26").contains("takes 2 arguments, 1 given"));
    assert!(bad("empty po (co)", "test.cat:1:7").contains("`po` is no function"));
    assert!(bad("empty domain", "test.cat:1:7").contains("found a function"));
}

#[test]
fn includes_are_found_or_reported_where_they_stand() {
    let files = Files(&[
        ("a.cat", "include \"b.cat\""),
        ("b.cat", "(* b *)\ninclude \"a.cat\""),
        ("c.cat", "\"C\"\nlet x = rfx"),
        ("d.cat", "let mine = po"),
    ]);
    let load = |text: &str| Model::load("m", &SourceFile::new("m.cat", text), &files);
    let headline = |text: &str| load(text).expect_err("wrong").to_string();
    assert_eq!(headline("include \"a.cat\""), "b.cat:2:1: error: `a.cat` includes itself");
    assert_eq!(headline("include \"m.cat\""), "m.cat:1:1: error: `m.cat` includes itself");
    assert_eq!(headline("include \"c.cat\""), "c.cat:2:9: error: unknown name `rfx`");
    assert_eq!(headline("\n include \"e.cat\""), "m.cat:2:2: error: cannot find `e.cat` to include");
    let model = load("include \"d.cat\" include \"cos.cat\" include \"fences.cat\" empty mine | sync").expect("good");
    assert!(matches!(model.node(model.axioms[0].node), Node::Union(_)));
}

#[test]
fn wrong_texts_are_refused_with_a_way_round() {
    for (text, place, words) in [
        ("(* (* *)", "1:1", "comment is never closed"),
        ("\"T", "1:1", "string is never closed"),
        ("empty po $ co", "1:10", "unexpected character `$`"),
        ("empty (po", "1:10", "expected `)` to close `(`, found the end of the file"),
        ("let x po", "1:9", "expected `=` after the parameters"),
        ("with co from cross(co0)", "1:14", "knows `generate_orders(S, p)`"),
        ("with S from linearisations(SC,po) flag ~empty S & rf as odd", "1:35", "`odd` marks depends on an order"),
        ("let f = match x with || {} -> 0 end", "1:9", "`match` is not supported"),
        ("empty po ++ co", "1:10", "write `|` for the union"),
        ("let rec f x = x empty f po", "1:9", "recursive function `f`"),
        ("flag po", "1:6", "expected `acyclic`, `irreflexive` or `empty`"),
        ("let a = {po}", "1:10", "a set written out in braces"),
        ("if \"a\" empty po", "1:16", "expected `end`|found the end of the file"),
        ("enum X = a", "1:10", "expected a tag such as `'once`"),
        ("instructions R[{'once", "1:22", "expected `]` to close `[`"),
        ("let rec a = b | ~c and b = a and c = a empty a", "1:13", "its own complement"),
        ("let rec a = a | (rf \\ b) and b = a; co empty a", "1:13", "its own complement"),
        ("forall x in y do end", "1:1", "`forall` is not supported"),
        ("call po(co)", "1:1", "unknown name `po`"),
    ] {
        let rendered = bad(text, &format!("test.cat:{place}"));
        assert!(words.split('|').any(|words| rendered.contains(words)), "{text}\n{rendered}");
    }
}

#[test]
fn the_head_is_checked() {
    let model = good(
        "\"T\"\n(*\n @about one line\n @buffers location\n @drain MFENCE\n @compile W SC -> access X ; ctrl ; MFENCE\n*)\nempty 0",
    );
    assert_eq!(model.head.about, "one line");
    assert_eq!(model.head.compile[0].steps.len(), 3);
    assert!(model.head.compile_rule("W", |tag| tag == "SC").is_some());
    assert!(model.head.compile_rule("W", |tag| tag == "REL").is_none());
    let text = bad("\"T\"\n(*\n  @colour blue\n*)\nempty 0", "test.cat:3:3");
    assert!(text.contains("unknown key `@colour`") && text.contains("about, also, machine"), "{text}");
    assert!(bad("(* @buffers many *)", "test.cat:1:4").contains("`none`, `thread` or `location`"));
    assert!(bad("(* @drain MFENC *)", "test.cat:1:4").contains("unknown tag `MFENC`"));
    for names in ["", "ppo", "ppo part more"] {
        assert!(bad(&format!("(* @relax {names} *)"), "test.cat:1:4").contains("a relation and of a part of it"));
    }
    for rule in ["W SC access", "W -> access", "X SC -> access", "W SC -> MFENCE", "F SC -> access", "W SC -> access ;"]
    {
        assert!(bad(&format!("(* @compile {rule} *)"), "test.cat:1:4").contains("wrong `@compile` rule"), "{rule}");
    }
    assert!(good("empty 0 (* @not in the head *) empty 0").head.about.is_empty());
    let plain = good("(* @compile W SC -> access\n @compile+strong W SC -> access ; MFENCE *)\nempty 0");
    let steps = |model: &Model| model.head.compile_rule("W", |tag| tag == "SC").map(|rule| rule.steps.len());
    assert_eq!(steps(&plain), Some(1));
    let strong = plain.clone().with_option("strong").expect("it has this option");
    assert_eq!((steps(&strong), &*strong.name), (Some(2), &*format!("{}+strong", plain.name)));
    assert!(plain.with_option("weak").is_none());
}

#[test]
fn nothing_runs_away() {
    let deep = format!("empty {}po{}", "(".repeat(5000), ")".repeat(5000));
    assert!(load(&deep).expect_err("too deep").message().contains("nested too deeply"));
    for chain in ["~", "[", "if \"a\" ", "if not ", "let x = try ", "let x = let y = "] {
        assert!(load(&format!("empty {}", chain.repeat(5000))).is_err());
        assert!(load(&chain.repeat(5000)).is_err());
    }
    assert!(load(&format!("empty po{}", "+".repeat(5000))).is_err());
    assert!(load(&format!("empty po{}", "\\co".repeat(5000))).is_err());
    assert!(load(&format!("empty addr{}", ";data".repeat(500))).is_ok());
    let mut doubling = "let f0 r = r; addr\n".to_owned();
    for n in 1..40 {
        doubling += &format!("let f{n} r = f{}(f{}(r))\n", n - 1, n - 1);
    }
    assert!(load(&(doubling + "empty f39 po")).expect_err("grows").message().contains("too"));
    let recursive = "let f r = r\n".to_owned() + &"let f r = f(r)\n".repeat(1000) + "empty f po";
    assert!(load(&recursive).is_err());
}

#[test]
fn names_that_look_like_tags_are_tags() {
    let model = good("empty [Membar] & fencerel(Rcu-lock)");
    let names: Vec<&str> = model.assumed.iter().map(|tag| &*tag.name).collect();
    assert_eq!(names, ["Membar"], "`Rcu-lock` is known, in whatever spelling");
    let tag = |name: &str| Node::Set(model::BaseSet::Tag(name.to_owned()));
    assert!(model.nodes.contains(&tag("Membar")) && model.nodes.contains(&tag("RCU-LOCK")));
    assert!(good("let a = try Membar with emptyset empty a").assumed.is_empty());
}

#[test]
fn bell_files_are_read_with_their_model() {
    const BELL: &str = "enum Barriers = 'flush (* a comment *) || 'drain // another\ninstructions F[Barriers]\n\
                instructions R[{'flush,'drain}]\nlet flushed = fencerel(Flush)";
    let files = Files(&[("m.bell", BELL)]);
    let model = Model::load("m", &SourceFile::new("m.cat", "empty flushed | fencerel(Drain)"), &files).expect("good");
    assert!(model.assumed.is_empty());
    assert!(model.nodes.contains(&Node::Set(model::BaseSet::Tag("drain".to_owned()))));
}

#[test]
fn sets_and_relations_are_defined_together() {
    // Pairs of brackets, innermost first, as the kernel's description has them.
    let text = "(* @tags Open Close *)\nlet rec open = Open \\ domain(matched) and close = Close \\ range(matched)\n\
                and unmatched = open | close and links = [unmatched]; po; [unmatched]\n\
                and matched = matched | (([open]; po; [close]) \\ (links; links))\nempty matched";
    let model = good(text);
    // Open, Open, Close, Open, Close, Close.
    let mut structure = Structure::new(6);
    structure.threads = vec![Some(0); 6];
    (0..6).for_each(|event| structure.fences.insert(event));
    let tag = |events: &[usize]| model::EventSet::of(6, events.iter().copied());
    structure.tags.insert("Open".to_owned(), tag(&[0, 1, 3]));
    structure.tags.insert("Close".to_owned(), tag(&[2, 4, 5]));
    structure.po = Relation::from_pairs(6, (0..6).flat_map(|a| (a + 1..6).map(move |b| (a, b))));
    let mut evaluator = Evaluator::new(&model, &structure);
    let matched: Vec<(usize, usize)> = evaluator.relation(model.axioms[0].node).iter().collect();
    assert_eq!(matched, [(0, 5), (1, 2), (3, 4)]);
}

#[test]
fn orders_are_enumerated_as_parts_of_coherence() {
    let model = good("with mo from generate_orders(W & SC, co0) acyclic mo");
    assert!(model.axioms.iter().any(|axiom| axiom.name == "mo-extends"));
    assert!(model.warnings.is_empty());
    assert_eq!(good("with mo from generate_orders(SC, co0) acyclic mo").warnings.len(), 1);
    assert_eq!(good("flag ~empty different-values(rf) as x").warnings.len(), 1);
}
