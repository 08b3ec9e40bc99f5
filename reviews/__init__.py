"""rubrics → sampling → assignments → submissions → validation → agreement → adjudication → finishing."""
