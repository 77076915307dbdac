"""The repair of recordings: the nearest motion that the ground can explain."""
