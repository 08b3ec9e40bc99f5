"""The portal itself: its process, and the pages where scores and reviews meet."""
