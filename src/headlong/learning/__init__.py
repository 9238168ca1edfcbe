"""The learning loop, learners, dropout and averaged weights."""
