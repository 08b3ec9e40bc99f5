"""sampling → assignments → rubrics → validation → agreement → adjudication → finishing."""
