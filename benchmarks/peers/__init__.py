"""The portal beside other tools: the same prompts, the same mock model server, as many in flight."""
