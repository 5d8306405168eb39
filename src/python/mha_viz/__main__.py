# SPDX-License-Identifier: MIT
"""python3 -m mha_viz: the program of the package, as a wheel has it."""
import os
import sys


def main() -> None:
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "mha-viz")
    try:
        os.execv(path, ["mha-viz"] + sys.argv[1:])
    except OSError as error:
        print(f"mha-viz: {path}: {error.strerror}", file=sys.stderr)
        sys.exit(4)


if __name__ == "__main__":
    main()
