# SPDX-License-Identifier: BSD-3-Clause
"""Puts pictures by Plotly into a page that needs no network and stays small. Debian's plotly.js has
8.7 MB, because it draws 50 kinds of pictures. It is a list of modules, each with the numbers of
those that it needs; the modules behind three kinds are a quarter of it, and the browser unpacks
them. bench/suite uses this module as well.
"""
import base64
import gzip
import json
import re

from plotly.offline import get_plotlyjs

KINDS = ("./core", "./bar", "./heatmap")  # The core has lines and points.
FIRST = "1:[function(_dereq_,module,exports){"
OTHERS = re.compile(r"(?:^|,)(\d+):\[function\(_dereq_,module,exports\)\{", re.MULTILINE)
NEEDED = re.compile(r"\n\},(\{[^{}]*\})\]$")
ENTRY = "%d:[function(_dereq_,module,exports){\nmodule.exports = _dereq_('./core');\n" \
        "module.exports.register([%s]);\n},%s]"
# A browser without DecompressionStream, which all have since 2023, shows the numbers only.
SCRIPT = """<p class=problem id=undrawn hidden>The pictures need a browser of 2023 or later.</p>
<script>
(async () => {
  const packed = Uint8Array.from(atob("%s"), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const [plotly, pictures] = JSON.parse(await new Response(unpacked).text());
  (0, eval)(plotly);
  // A page may have hundreds: each is drawn when the reader comes to it.
  const observer = new IntersectionObserver((changes) => {
    for (const place of changes.filter((change) => change.isIntersecting)) {
      observer.unobserve(place.target);
      const picture = pictures[place.target.id.slice("picture".length)];
      Plotly.newPlot(place.target, picture.data, picture.layout, {displaylogo: false});
    }
  });
  document.querySelectorAll("[id^=picture]").forEach((place) => observer.observe(place));
})().catch((error) => {
  document.getElementById("undrawn").hidden = false;
  console.error(error);
});
</script>"""


def modules_of(whole):
    """RETURNS ({number: (text, {name: number of a module that it needs})}, what stands before, what
    stands behind), or None where plotly.js is put together in another way than Debian's."""
    first, behind = whole.find(FIRST), whole.rfind("]},{},[") + 1
    if first < 0 or behind < first:
        return None
    starts = [first, *(start.start(1) for start in OTHERS.finditer(whole, first))]
    modules = {}
    for number, (start, end) in enumerate(zip(starts, [at - 1 for at in starts[1:]] + [behind]), 1):
        text = whole[start:end]
        needed = NEEDED.search(text)
        if not text.startswith(f"{number}:") or not needed:
            return None
        modules[number] = (text, json.loads(needed.group(1)))
    return modules, whole[:first], whole[behind:]


def bundle(whole):
    """RETURNS the part of plotly.js that draws KINDS, or all of it."""
    found = modules_of(whole)
    if not found:
        return whole
    modules, before, behind = found
    entry = int(re.match(r"\},\{\},\[(\d+)\]", behind).group(1))
    kinds = {name: number for name, number in modules[entry][1].items() if name in KINDS}
    register = ", ".join(f"_dereq_('{name}')" for name in KINDS[1:])
    modules[entry] = (ENTRY % (entry, register, json.dumps(kinds)), kinds)
    kept, to_look_at = set(), [entry]
    while to_look_at:
        number = to_look_at.pop()
        if number not in kept:
            kept.add(number)
            to_look_at += modules[number][1].values()
    return before + ",".join(modules[number][0] for number in sorted(kept)) + behind


class Pictures:
    """The pictures of a page: each has its place, and a script behind all places draws them."""

    def __init__(self):
        self._pictures = []

    def placed(self, *pictures):
        """RETURNS the places of `pictures`, which have a width and a height."""
        places = []
        for picture in pictures:
            picture.update_layout(template="plotly_white")
            size = f"width:{picture.layout.width}px; height:{picture.layout.height}px"
            places.append(f'<div id="picture{len(self._pictures)}" style="{size}"></div>')
            self._pictures.append(picture.to_json())
        return "".join(places)

    def script(self):
        if not self._pictures:
            return ""
        text = f"[{json.dumps(bundle(get_plotlyjs()))}, [{', '.join(self._pictures)}]]"
        return SCRIPT % base64.b64encode(gzip.compress(text.encode())).decode()
