"""Bodies: from the joint centres of a standing body to a compiled model: landmarks, masses, shapes, limits, links."""
