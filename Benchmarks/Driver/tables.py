"""Formats tables of text and computes statistics."""

import statistics

median = statistics.median


def show(title, head, rows):
    cells = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(len(cell) for cell in column) for column in zip(*cells)]
    print(f"\n{title}")
    for number, row in enumerate(cells):
        padded = [
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ]
        print("  ".join(padded).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))
    print(end="", flush=True)


def number(value, digits=2):
    """A number, or a dash for None."""
    return "-" if value is None else f"{value:.{digits}f}"


def spread(values, digits=2):
    return f"{min(values):.{digits}f}-{max(values):.{digits}f}"


def slope(points):
    """The slope of the linear regression of the points."""
    return statistics.linear_regression(*zip(*points)).slope
