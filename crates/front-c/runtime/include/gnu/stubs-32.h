/* What the library of 32-bit machines lacks: nothing that matters here. The system may have no headers for them. */
