"""What people type goes in, checked values come out; one file for each part of the flow."""
