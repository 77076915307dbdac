"""Is a finger motion true? Checked with MuJoCo alone, and performed forward in it."""
