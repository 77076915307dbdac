"""Tables of rehearsals."""
