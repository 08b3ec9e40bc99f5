"""Requests go in, the portal's own pages come out; one file for each kind of page."""
