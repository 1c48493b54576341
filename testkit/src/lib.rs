//! Random programs and the corpus runner, for tests.
