"""What the gateways over HTTP share: addresses → clients → exchange → refusals, text and token scores."""
