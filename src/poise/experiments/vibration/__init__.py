"""Tables and figures of Nunes et al. 2012."""
