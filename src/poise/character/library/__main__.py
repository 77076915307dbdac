"""`python -m poise.character.library` prints the table of built-in characters."""

from poise.character.library import table

if __name__ == "__main__":
    print(table())
