"""A run goes in; a file with all that it stands on comes out, and a run again in another portal."""
