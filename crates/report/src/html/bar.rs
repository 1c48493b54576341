//! The bar to step through an execution, and what its script shows at each step.

use crate::replay::{Cell, Moment};
use serde_json::{Value, json};
use std::fmt::Write;

/// The bar for so many steps; it works by its script and is not there without.
pub(crate) fn bar(out: &mut String, steps: usize, what: &str) {
    if steps == 0 {
        return;
    }
    let _ = writeln!(
        out,
        "<div class=\"bar\" data-steps=\"{steps}\" data-what=\"{what}\" hidden>\n<div class=\"buttons\">\
         <button type=\"button\" data-go=\"first\" title=\"to the beginning (Home)\" aria-label=\"to the beginning\">|&lt;</button>\
         <button type=\"button\" data-go=\"back\" title=\"one step back (left arrow)\" aria-label=\"one step back\">&lt;</button>\
         <button type=\"button\" data-go=\"next\" title=\"one step on (right arrow)\" aria-label=\"one step on\">&gt;</button>\
         <button type=\"button\" data-go=\"last\" title=\"to the end (End)\" aria-label=\"to the end\">&gt;|</button>\
         <input type=\"range\" min=\"0\" max=\"{steps}\" value=\"0\" aria-label=\"{what}\">\
         <output></output><span class=\"hint\">arrow keys step, Home and End jump</span></div>\n\
         <p class=\"now\" aria-live=\"polite\"></p>\n<div class=\"state\"></div>\n</div>"
    );
}

/// What memory, buffers and locks hold at each step, for the script: names once, values by their order.
pub(crate) fn moments(out: &mut String, threads: &[String], moments: &[Moment]) {
    let cells = |cells: &[Cell]| cells.iter().map(|(name, value)| json!([name, value])).collect::<Vec<Value>>();
    let moment = |moment: &Moment| {
        let buffers: Vec<Value> = moment.buffers.iter().map(|buffer| cells(buffer).into()).collect();
        let locks: Vec<Value> = moment.locks.iter().map(|(name, owners)| json!([name, owners])).collect();
        json!({ "memory": cells(&moment.memory), "buffers": buffers, "locks": locks })
    };
    let all: Vec<Value> = moments.iter().map(moment).collect();
    let text = json!({ "threads": threads, "moments": all }).to_string();
    // Inside a script element nothing ends the text but a tag, whose brackets can be written otherwise in JSON.
    let text = text.replace('<', "\\u003c").replace('>', "\\u003e");
    let _ = writeln!(out, "<script type=\"application/json\" class=\"moments\">{text}</script>");
}
