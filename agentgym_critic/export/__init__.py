"""Ways out: JSONL and Parquet."""
