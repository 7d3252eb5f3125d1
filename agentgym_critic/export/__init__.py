"""Ways out: JSONL and Parquet."""

from agentgym_critic.export.jsonl import export_jsonl, read_jsonl
from agentgym_critic.export.parquet import export_parquet

__all__ = ["export_jsonl", "export_parquet", "read_jsonl"]
