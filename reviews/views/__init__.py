"""Requests go in, pages come out; one file for each part of the flow."""
