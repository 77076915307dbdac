"""Reading: from a recording as it lies in a file to a clip: its body, its floor, how its feet stand on it."""
