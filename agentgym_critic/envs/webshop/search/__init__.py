"""Full-text search as Lucene does it: terms, scores and order."""
