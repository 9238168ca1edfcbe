"""headlong: fast, exact, trainable dependency parsing."""
