//! Where the edges of a picture run and where their labels stand.
//!
//! For each edge in turn, many curves between the sides of the two boxes are tried and the cheapest is taken: a curve
//! pays for its length, for running through boxes and titles, and for running close to edges drawn before it.

/// A point, in pixels, y downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub x: f64,
    pub y: f64,
}

/// A rectangle around a centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    /// How far outside the rectangle a point is, negative inside.
    fn distance(self, p: Point) -> f64 {
        let (dx, dy) = ((p.x - self.x).abs() - self.width / 2.0, (p.y - self.y).abs() - self.height / 2.0);
        if dx > 0.0 && dy > 0.0 { dx.hypot(dy) } else { dx.max(dy) }
    }

    fn overlap(self, other: Rect) -> f64 {
        let dx = (self.width + other.width) / 2.0 - (self.x - other.x).abs();
        let dy = (self.height + other.height) / 2.0 - (self.y - other.y).abs();
        dx.max(0.0) * dy.max(0.0)
    }
}

/// A cubic Bézier curve with the place of its label.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Curve {
    pub points: [Point; 4],
    pub label: Rect,
    /// Whether the label covers nothing.
    pub clear: bool,
}

/// How finely curves are compared.
const SAMPLES: usize = 24;
/// What it costs to cross another edge, in pixels of detour.
const CROSSING: f64 = 60.0;
/// Beyond this many edges, closeness to other edges is not considered: the picture is crowded anyway.
const MANY: usize = 80;

fn at(points: &[Point; 4], t: f64) -> Point {
    let u = 1.0 - t;
    let weights = [u * u * u, 3.0 * u * u * t, 3.0 * u * t * t, t * t * t];
    let sum = |of: fn(&Point) -> f64| points.iter().zip(weights).map(|(p, w)| of(p) * w).sum();
    Point { x: sum(|p| p.x), y: sum(|p| p.y) }
}

fn samples(points: &[Point; 4]) -> Vec<Point> {
    (0..=SAMPLES).map(|step| at(points, step as f64 / SAMPLES as f64)).collect()
}

/// Points on the outline of a box, the direction that leads away from it there, and a price: the middles are free.
fn anchors(r: Rect) -> Vec<(Point, Point, f64)> {
    let mut out = Vec::new();
    let (w, h) = (r.width / 2.0, r.height / 2.0);
    for part in [0.0_f64, -0.5, 0.5] {
        let price = 12.0 * part.abs();
        for sign in [1.0, -1.0] {
            out.push((Point { x: r.x + part * w * 1.4, y: r.y + sign * h }, Point { x: 0.0, y: sign }, price));
            out.push((Point { x: r.x + sign * w, y: r.y + part * h }, Point { x: sign, y: 0.0 }, price));
        }
    }
    out
}

/// Whether two stretches cross.
fn cross(a: &[Point], b: &[Point]) -> bool {
    let side = |p: Point, q: Point, r: Point| (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x) > 0.0;
    side(a[0], a[1], b[0]) != side(a[0], a[1], b[1]) && side(b[0], b[1], a[0]) != side(b[0], b[1], a[1])
}

/// The routes so far.
#[derive(Debug)]
pub(crate) struct Router {
    /// What edges must not run through: the boxes and titles.
    obstacles: Vec<Rect>,
    /// How large the picture is.
    bounds: Point,
    drawn: Vec<Vec<Point>>,
    labels: Vec<Rect>,
}

impl Router {
    /// No edges yet among these boxes and titles, in a picture of this size.
    pub fn new(obstacles: Vec<Rect>, bounds: Point) -> Router {
        Router { obstacles, bounds, drawn: Vec::new(), labels: Vec::new() }
    }

    /// The route from one box to another for an edge whose label is `width` by `height`.
    pub fn route(&mut self, from: Rect, to: Rect, width: f64, height: f64) -> Curve {
        let mut best: Option<(f64, Curve)> = None;
        for (start, out, first) in anchors(from) {
            for (end, back, last) in anchors(to) {
                let length = (end.x - start.x).hypot(end.y - start.y).max(1.0);
                for pull in [0.25, 0.45, 0.8] {
                    let reach = length * pull + 6.0;
                    let c1 = Point { x: start.x + out.x * reach, y: start.y + out.y * reach };
                    let c2 = Point { x: end.x + back.x * reach, y: end.y + back.y * reach };
                    let points = [start, c1, c2, end];
                    let line = samples(&points);
                    let limit = best.as_ref().map_or(f64::INFINITY, |(least, _)| *least);
                    let cost = first + last + self.cost(&line, from, to, limit);
                    if limit <= cost {
                        continue;
                    }
                    let cost = cost + CROSSING * self.crossings(&line) as f64;
                    let (price, label) = self.label(&points, width, height);
                    if best.as_ref().is_none_or(|(least, _)| cost + price < *least) {
                        best = Some((cost + price, Curve { points, label, clear: true }));
                    }
                }
            }
        }
        let (_, mut curve) = best.expect("a box has anchors");
        self.drawn.push(samples(&curve.points));
        curve.clear = self.obstacles.iter().chain(&self.labels).all(|&other| curve.label.overlap(other) == 0.0);
        if curve.clear {
            self.labels.push(curve.label);
        }
        curve
    }

    /// What a line costs; when that is more than `limit`, how much more does not matter.
    fn cost(&self, line: &[Point], from: Rect, to: Rect, limit: f64) -> f64 {
        let mut cost: f64 = line.windows(2).map(|p| (p[1].x - p[0].x).hypot(p[1].y - p[0].y)).sum();
        // Turns: how much the direction changes from step to step.
        for p in line.windows(3) {
            let (ax, ay) = (p[1].x - p[0].x, p[1].y - p[0].y);
            let (bx, by) = (p[2].x - p[1].x, p[2].y - p[1].y);
            let turn = (ax * by - ay * bx).atan2(ax * bx + ay * by).abs();
            cost += 14.0 * turn;
        }
        for (step, &p) in line.iter().enumerate() {
            if cost > limit {
                break;
            }
            if p.x < 8.0 || p.y < 8.0 || p.x > self.bounds.x - 8.0 || p.y > self.bounds.y - 8.0 {
                cost += 200.0;
            }
            for &obstacle in &self.obstacles {
                let own = obstacle == from || obstacle == to;
                let distance = obstacle.distance(p);
                if own && distance < -1.0 {
                    cost += 150.0;
                } else if !own && distance < 6.0 {
                    cost += 60.0 + 10.0 * (6.0 - distance);
                } else if !own && distance < 14.0 {
                    cost += 14.0 - distance;
                }
            }
            for &label in &self.labels {
                if label.distance(p) < 2.0 {
                    cost += 40.0;
                }
            }
            if self.drawn.len() <= MANY {
                let ends = step == 0 || step + 1 == line.len();
                let near = |q: &Point| (q.x - p.x).hypot(q.y - p.y) < if ends { 9.0 } else { 7.0 };
                for other in &self.drawn {
                    if other.iter().any(near) {
                        cost += if ends { 40.0 } else { 22.0 };
                    }
                }
            }
        }
        cost
    }

    /// How often a line crosses the edges drawn so far.
    fn crossings(&self, line: &[Point]) -> usize {
        if self.drawn.len() > MANY {
            return 0;
        }
        let span = |points: &[Point], of: fn(&Point) -> f64| {
            points.iter().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
        };
        let meet = |a: (f64, f64), b: (f64, f64)| a.0 <= b.1 && b.0 <= a.1;
        let apart = |other: &[Point]| {
            !meet(span(line, |p| p.x), span(other, |p| p.x)) || !meet(span(line, |p| p.y), span(other, |p| p.y))
        };
        let near = self.drawn.iter().filter(|other| !apart(other));
        near.map(|other| line.windows(2).map(|a| other.windows(2).filter(|b| cross(a, b)).count()).sum::<usize>()).sum()
    }

    fn label(&self, points: &[Point; 4], width: f64, height: f64) -> (f64, Rect) {
        let mut best = (f64::INFINITY, Rect { x: 0.0, y: 0.0, width, height });
        // Edges that run to and fro between two columns cross halfway: their labels stand nearer to where they begin.
        let upright = (points[0].x - points[3].x).abs() < 60.0;
        let wanted: f64 = if upright { 0.5 } else { 0.32 };
        for t in [0.5_f64, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.26, 0.74, 0.2, 0.8] {
            let p = at(points, t);
            let rect = Rect { x: p.x, y: p.y, width, height };
            let mut cost = 40.0 * (t - wanted).abs();
            cost += self.obstacles.iter().chain(&self.labels).map(|&o| rect.overlap(o)).sum::<f64>() * 2.0;
            if self.drawn.len() <= MANY {
                let inside = |q: &&Point| rect.distance(**q) < 3.0;
                cost += 30.0 * self.drawn.iter().flatten().filter(inside).count() as f64;
            }
            let (left, right) = (p.x - width / 2.0, p.x + width / 2.0);
            if left < 4.0 || right > self.bounds.x - 4.0 {
                cost += 300.0;
            }
            if cost < best.0 {
                best = (cost, rect);
            }
        }
        best
    }
}
