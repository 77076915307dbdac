"""The experiments of Jain & Liu 2011, one module each; `run(options)` gives the table."""
