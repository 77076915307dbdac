"""The experiments of D. B. da Silva's paper on balance, one module each; `run(options)` gives the table."""
