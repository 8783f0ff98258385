"""Figures of the benchmarks: bars by workload, or curves over sizes."""

import numpy as np

from tools.benchmark import growth, modes


def save(section, results, path):
    """Draws the times of a section into a file.

    Args:
        section: `Section`.
        results: Dictionary, what was measured of it.
        path: Path of the picture.
    """
    draw = curves if section.growth else bars
    draw(section, results).savefig(path)


def bars(section, results):
    """A bar for each contender and mode with its median; returns a figure."""
    canvas = _canvas()
    present = {key: [line for line in found["lines"] if "absent" not in line]
               for key, found in results["workloads"].items()
               if key in section.workloads}
    heights = [max(1, len(lines)) for lines in present.values()]
    figure = canvas.figure(8, 0.28 * sum(heights) + 0.9 * len(heights))
    panels = figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights)
    colours = dict(zip(section.contenders, canvas.colours()))
    for axes, (key, lines) in zip(panels[:, 0], present.items(), strict=True):
        low, median, high = np.reshape(
            [np.percentile(line["ms"], (25, 50, 75)) for line in lines], [-1, 3]).T
        places = np.arange(len(lines))
        axes.barh(places, median, xerr=[median - low, high - median],
                  color=[colours[line["contender"]] for line in lines],
                  error_kw=dict(ecolor=canvas.GREY, lw=1))
        axes.set_yticks(places, [_name(section, line) for line in lines])
        axes.invert_yaxis()
        canvas.label(axes, section.workloads[key].title.replace("`", ""),
                     "ms a step, median and quartiles")
    return figure


def _name(section, line):
    """Label and mode of a line; some labels have the mode already."""
    label = section.contenders[line["contender"]].label.replace("`", "")
    mode = modes.title(line["mode"])
    return label if label.endswith(f", {mode}") else f"{label}, {mode}"


def curves(section, results):
    """Time and memory over the sizes, both axes logarithmic; returns a figure."""
    canvas = _canvas()
    figure = canvas.figure(10, 4)
    panels = figure.subplots(1, 2)
    for name, colour in zip(section.contenders, canvas.colours()):
        sizes, *both = growth.curves(section, results, name)
        label = section.contenders[name].label.replace("`", "")
        for axes, values in zip(panels, both, strict=True):
            known = [(size, value) for size, value in zip(sizes, values) if value]
            if known:
                axes.plot(*zip(*known), "o-", color=colour, label=label)
    for axes, unit in zip(panels, ("ms a step", "peak MB"), strict=True):
        axes.set(xscale="log", yscale="log")
        canvas.label(axes, "", section.growth.axis, unit)
    canvas.legend(panels[0])
    return figure


def _canvas():
    # Imports TensorFlow, which is not needed while contenders are timed.
    from bdlzoo.reports import canvas
    return canvas
