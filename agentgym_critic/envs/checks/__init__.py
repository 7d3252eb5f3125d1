"""The rules of `check_text_env`: each a small function that yields what it saw and what to do."""
