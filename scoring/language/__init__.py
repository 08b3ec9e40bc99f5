"""What metrics know of language: words, folded text, n-grams, vectors and distributions."""
