"""Services in the box, where a machine has none of its own: places → servers → guardian → sharing → provide.

A service has a private *place* on the machine and a *server* that runs there. Each process that uses it holds
a shared lock for its life; a *guardian* starts the server, and stops it when it can have that lock alone.
"""
