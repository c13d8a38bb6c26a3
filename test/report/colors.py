# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# How different colours look to people, also to the colour-blind: the simulation of Machado, Oliveira and Fernandes (2009, severity 1), and the
# distance of two colours in CIELAB (CIE 1976). And the contrast of a text as WCAG 2 defines it. Colours are "#rrggbb".

SEES = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(color):
    parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def lab(rgb):
    to = lambda *weights: sum(weight * part for weight, part in zip(weights, rgb))
    curve = lambda t: t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116
    x, y, z = curve(to(0.4124, 0.3576, 0.1805) / 0.9505), curve(to(0.2126, 0.7152, 0.0722)), curve(to(0.0193, 0.1192, 0.9505) / 1.089)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one, other, sees="normal"):
    seen = lambda color: lab([min(1, max(0, sum(weight * part for weight, part in zip(row, linear(color))))) for row in SEES[sees]])
    return sum((a - b) ** 2 for a, b in zip(seen(one), seen(other))) ** 0.5


def contrast(one, other):
    luminance = lambda color: sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear(color)))
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)
