"""The repair of what is being followed, a short window at a time."""
