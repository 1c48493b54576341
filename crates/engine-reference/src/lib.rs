//! The judge: brute force over store buffers and over candidate executions.
