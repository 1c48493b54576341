//! A plot with logarithmic axes.

use super::Points;
use std::fmt::Write as _;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 560.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 330.0;
const EDGE: f64 = 40.0;

/// The seconds and sizes at the borders.
const SECONDS: (f64, f64) = (0.005, 64.0);
const SIZES: (f64, f64) = (2.0, 2048.0);

/// Colours that can be told apart, also by those who see few of them; lines beyond their number are dashed.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666"];

fn across(size: f64) -> f64 {
    LEFT + (size / SIZES.0).ln() / (SIZES.1 / SIZES.0).ln() * (WIDTH - LEFT - RIGHT)
}

fn down(seconds: f64) -> f64 {
    let part = (seconds.max(SECONDS.0) / SECONDS.0).ln() / (SECONDS.1 / SECONDS.0).ln();
    HEIGHT - EDGE - part * (HEIGHT - 2.0 * EDGE)
}

/// The lines as a picture, with their names beside it.
pub fn svg(lines: &[(String, Points)]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    for seconds in [0.01, 0.1, 1.0, 10.0] {
        let y = down(seconds);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{y:.0}\" x2=\"{:.0}\" y2=\"{y:.0}\" stroke=\"#ddd\"/>\
             <text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{seconds} s</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y + 4.0
        );
    }
    for power in [2u32, 8, 32, 128, 512, 2048] {
        let x = across(f64::from(power));
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.0}\" y1=\"{EDGE}\" x2=\"{x:.0}\" y2=\"{:.0}\" stroke=\"#ddd\"/>\
             <text x=\"{x:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{power}</text>",
            HEIGHT - EDGE,
            HEIGHT - EDGE + 16.0
        );
    }
    for (at, (name, points)) in lines.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        let dashes = ["", " stroke-dasharray=\"6 3\"", " stroke-dasharray=\"2 3\""][at / COLOURS.len() % 3];
        let way: Vec<String> = points
            .iter()
            .map(|&(size, seconds)| format!("{:.0},{:.0}", across(f64::from(size)), down(seconds)))
            .collect();
        let y = EDGE + 16.0 * at as f64;
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>\
             <line x1=\"{:.0}\" y1=\"{y}\" x2=\"{:.0}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>\
             <text x=\"{:.0}\" y=\"{:.0}\">{name}</text>",
            way.join(" "),
            WIDTH - RIGHT + 16.0,
            WIDTH - RIGHT + 46.0,
            WIDTH - RIGHT + 52.0,
            y + 4.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}
