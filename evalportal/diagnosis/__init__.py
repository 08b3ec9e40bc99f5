"""A run goes in; what is unsafe, what is weak and why, and what to collect next, come out."""
