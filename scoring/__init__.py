"""uploads → cases → runs → responses → verdicts → scores."""
