"""Tables and figures of chapter 5 of Ye 2012."""
