//! Parts of an execution that fit into a picture: the cycle alone, and everything with runs of events folded.

use crate::graph::{Edge, Graph};

/// Pictures of so many events need no folding.
const SMALL: usize = 24;

impl Graph {
    /// Only the events of the cycle with its edges, and program order between them; none if no cycle is marked or there is
    /// nothing else.
    pub(crate) fn cycle(&self) -> Option<Graph> {
        let mut kept = vec![false; self.events.len()];
        for edge in self.edges.iter().filter(|edge| edge.highlight) {
            kept[edge.from] = true;
            kept[edge.to] = true;
        }
        let rest = self.events.iter().any(|event| !event.initial && !kept[event.id]);
        let more = self.edges.iter().any(|edge| !edge.highlight && edge.relation != "po" && self.is_edge_drawn(edge));
        if !kept.contains(&true) || !(rest || more) {
            return None;
        }
        let edges = self.edges.iter().filter(|edge| edge.highlight).cloned().collect();
        let omitted = kept.iter().map(|&kept| !kept).collect();
        let mut graph = Graph { edges, omitted, story: None, replay: None, ..self.clone() };
        graph.link_threads();
        graph.drop_idle_threads();
        Some(graph)
    }

    /// The execution with runs of events of one thread folded that are on no cycle and touch no other thread; none if
    /// nothing can be folded or need be.
    pub(crate) fn folded(&self) -> Option<Graph> {
        if self.events.iter().filter(|event| self.is_drawn(event.id)).count() <= SMALL {
            return None;
        }
        let mut kept: Vec<bool> = self.events.iter().map(|event| event.initial).collect();
        let thread = |event: usize| self.events[event].thread;
        for edge in &self.edges {
            let across = edge.relation == "rf" && thread(edge.from).is_some() && thread(edge.from) != thread(edge.to);
            if edge.highlight || across {
                kept[edge.from] = true;
                kept[edge.to] = true;
            }
        }
        let mut graph = Graph { story: None, replay: None, ..self.clone() };
        let mut stand_in: Vec<usize> = (0..self.events.len()).collect();
        graph.omitted = vec![false; self.events.len()];
        let ids: Vec<usize> = (0..self.events.len()).collect();
        for run in ids.chunk_by(|&a, &b| !kept[a] && !kept[b] && thread(a) == thread(b)) {
            let (Some(&first), Some(&last)) = (run.first(), run.last()) else { continue };
            if run.len() < 2 {
                continue;
            }
            for &event in run {
                stand_in[event] = first;
                graph.omitted[event] = event != first;
            }
            graph.events[first].run = Some((self.events[last].label.clone(), run.len()));
        }
        let mut edges: Vec<Edge> = Vec::new();
        for edge in &self.edges {
            let edge = Edge { from: stand_in[edge.from], to: stand_in[edge.to], ..edge.clone() };
            if edge.from != edge.to && !edges.contains(&edge) {
                edges.push(edge);
            }
        }
        graph.edges = edges;
        graph.omitted.contains(&true).then_some(graph)
    }

    /// Adds program order between neighbours among the drawn events of a thread that nothing connects yet.
    fn link_threads(&mut self) {
        let shown: Vec<usize> = (0..self.events.len()).filter(|&event| !self.omitted[event]).collect();
        for pair in shown.windows(2) {
            let &[from, to] = pair else { continue };
            let (one, other) = (&self.events[from], &self.events[to]);
            let linked = self.edges.iter().any(|edge| edge.from == from && edge.to == to);
            if one.thread.is_some() && one.thread == other.thread && !linked {
                self.edges.push(Edge { from, to, relation: "po".to_owned(), highlight: false });
            }
        }
    }

    /// Takes away the lanes of threads of which nothing is drawn.
    fn drop_idle_threads(&mut self) {
        let drawn =
            |thread: u32| self.events.iter().any(|event| event.thread == Some(thread) && !self.omitted[event.id]);
        let kept: Vec<u32> = (0..self.threads.len() as u32).filter(|&thread| drawn(thread)).collect();
        self.threads = kept.iter().map(|&thread| self.threads[thread as usize].clone()).collect();
        for event in &mut self.events {
            event.thread =
                event.thread.and_then(|thread| kept.iter().position(|&old| old == thread)).map(|at| at as u32);
        }
    }
}
