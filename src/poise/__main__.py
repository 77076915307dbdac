"""`python -m poise` is the command `poise`."""

import sys

from poise.cli.main import main

sys.exit(main())
