"""Fuzzers: functions from bytes to None that raise only headlong's own errors, and a driver that mutates a corpus."""
