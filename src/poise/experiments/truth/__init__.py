"""How true results are: motions and forces of poise against what was measured on people."""
