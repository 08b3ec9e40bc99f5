"""Models that run inside this process: finding → loading → answering, with someone watching."""
