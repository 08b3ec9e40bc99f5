"""Measurements, one file each, and the mock model server they ask."""
