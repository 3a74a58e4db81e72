"""``python -m topple`` is the command ``topple``."""

from topple.cli.main import main

if __name__ == "__main__":
    main()
