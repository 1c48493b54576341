//! The engine `local`: what it proves, and what it must leave to others.

use engine::{NoAnswer, Property, Unobserved, Verdict};
use front_c::Checks;
use session::{Reading, Request};
use source::SourceFile;

/// What the engine says about a program in which accesses and overflows count.
fn says(text: &str) -> Verdict {
    let file = SourceFile::new("test.c", text);
    let checks = Checks { overflow: true, shifts: true, ..Checks::default() };
    let reading = Reading { c: front_c::Options { checks, ..front_c::Options::default() }, ..Reading::default() };
    let program = session::load(&file, &reading).unwrap_or_else(|failure| panic!("{failure}\n{text}"));
    let model = session::model("aarch64").unwrap_or_else(|failure| panic!("{failure}"));
    let property = Property::Assertions { memory: true };
    let request = Request { property, ..Request::of("local", &[]).unwrap_or_else(|failure| panic!("{failure}")) };
    session::check(&program, &model, &request, &Unobserved).unwrap_or_else(|failure| panic!("{failure}\n{text}")).result
}

fn proves(text: &str) {
    let verdict = says(text);
    assert!(matches!(&verdict, Verdict::Safe(guarantee) if guarantee.is_full()), "{verdict}\n{text}");
}

fn leaves(text: &str) {
    let verdict = says(text);
    assert!(matches!(verdict, Verdict::Unknown(NoAnswer::GaveUp(_))), "{verdict}\n{text}");
}

const ANY: &str = "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int); int g, a[8];";

#[test]
fn what_holds_whatever_others_do_is_proved() {
    proves(&format!("{ANY} int main(void) {{ while (g != 1) ; return 0; }}"));
    proves(&format!("{ANY} int main(void) {{ for (int i = 0; i < 8; i++) a[i] = g; return 0; }}"));
    proves(&format!("{ANY} int main(void) {{ int n = g; for (int i = 0; i < n; i++) g = 1; return 0; }}"));
    proves(&format!("{ANY} int main(void) {{ for (int i = 7; i >= 0; i--) a[i] = a[i] / 2; return 0; }}"));
    proves(&format!(
        "{ANY} void need(int c) {{ __VERIFIER_assume(c); }} int main(void) {{ int x = g, y = g; need(y >= 0 || x <= 2147483647 + y); need(y <= 0 || x >= y - 2147483647); return x - y == 3; }}"
    ));
    proves(&format!("{ANY} int main(void) {{ int i = g; if (i >= 0 && i < 8) a[i] = 1 << i; return 0; }}"));
}

#[test]
fn what_may_fail_is_left_to_others() {
    leaves(&format!("{ANY} int main(void) {{ return g + 1; }}"));
    leaves(&format!("{ANY} int main(void) {{ int i = g; a[i & 15] = 1; return 0; }}"));
    leaves(&format!("{ANY} int main(void) {{ for (int i = 0; i <= 8; i++) a[i] = g; return 0; }}"));
    leaves(&format!("{ANY} int main(void) {{ for (int i = 7; i >= -1; i--) a[i] = 0; return 0; }}"));
    leaves(&format!("{ANY} int main(void) {{ int n = 0; while (g) n++; return n; }}"));
    leaves(&format!("{ANY} int main(void) {{ int *p = g ? a : 0; return *p; }}"));
    leaves(&format!("{ANY} int *p = a; int main(void) {{ return *p; }}"));
    leaves(&format!("{ANY} int main(void) {{ return g >> a[0]; }}"));
    leaves(&format!("{ANY} int f(int n) {{ return n <= 0 ? 0 : f(n - 1); }} int main(void) {{ return f(g); }}"));
}
