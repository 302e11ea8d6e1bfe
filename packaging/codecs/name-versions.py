# SPDX-License-Identifier: Apache-2.0
"""usage: name-versions.py MANIFEST

Writes into a manifest which versions of the pinned libraries are inside of the plugin, and the fixes that they have beyond these."""
import json
import re
import sys

from pins import libraries

with open(sys.argv[1], encoding="utf-8") as file:
    manifest = json.load(file)
for library in manifest.get("code", {}).get("libraries", []):
    if pin := libraries.get(library["name"]):
        library["version"] = pin["version"]
        library["fixes"] = list(pin.get("own_patches", []))
        if patches := re.search(r"_([^_]+)\.debian\.", pin.get("patches", {}).get("pool", "")):
            library["fixes"].append(patches[1])
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(manifest, file, ensure_ascii=False, indent=2)
    file.write("\n")
