"""sampling → rubrics → validation → agreement → adjudication."""
