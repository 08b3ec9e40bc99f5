"""One file is one kind of case: its rows, its prompts, its metrics and their weights."""
