//! Verdicts and executions as text, JSON, CSV, herd's block, dot, SVG and HTML.
