#!/usr/bin/env python3
"""
The synthesis table of doc/FPGA.md and the marks it is held against, from what the tools reported to synth.sh.

What a newcomer would get wrong: LUTs in the table are more than `stat` prints. On a Zynq each bit of a carry chain goes
through the LUT in front of it, used or not; those that only pass a signal on are counted in "passed" and in the share of
the part, though Yosys leaves them to place and route.

Usage: report.py FOLDER [--write FILE | --check FILE]
	--write	put the rows FOLDER has into the table between the markers in FILE; others by the same tools stay as they are
	--check	the rows FOLDER has must stand in FILE, each figure within TOLERANCE, when FILE names the versions of these tools
"""
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ASSUMED_MHZ = 100
TOLERANCE = 0.05	# of a figure: place and route, and with it packing, depend on the names that a folder gives to nets
CLOCKS_ITERATIVE = 124	# fpga/rtl/sha256d_iter.v; tests/check_rtl.sh counts them
CLOCKS_BLOCK = 129	# fpga/rtl/sha256d_block.v

# What the parts hold: Xilinx DS190; Intel CV-51001 (two ALUTs an ALM); Lattice DS1040.
PARTS = {
	"xc7z020": dict(name="XC7Z020", lut=53200, ff=106400, bram=140, dsp=220),
	"5cseba6": dict(name="5CSEBA6 (Cyclone V)", lut=83820, ff=166036, bram=557, dsp=112),
	"hx8k": dict(name="iCE40 HX8K", lut=7680, ff=7680, bram=32, dsp=0),
}
BEGIN, END = "<!-- made by make synth -->", "<!-- end -->"


def cells_of(stat, module):
	"""The cells of one module of Yosys' stat, by type; of the whole when module is None and there is a hierarchy."""
	sections = re.split(r"^=== (.*) ===$", stat, flags=re.M)
	found = {name: body for name, body in zip(sections[1::2], sections[2::2])}
	if module is None:
		body = found.get("design hierarchy") or list(found.values())[-1]
	else:
		body = next(body for name, body in found.items() if re.search(module, name))
	counts = Counter()
	for name, number in re.findall(r"^ {5}(\S+) +(\d+)$", body, flags=re.M):
		counts[name] += int(number)
	return counts


def passed_in(netlist):
	"""By module: the carry bits whose select comes neither from a LUT nor is constant."""
	result = {}
	for line in netlist.open():
		word = line.split()
		if line.startswith(".model"):
			luts, selects = set(), []
			result[word[1]] = luts, selects
		elif line.startswith(".gate"):
			pins = dict(pin.split("=", 1) for pin in word[2:])
			if word[1].startswith("LUT"):
				luts.add(pins["O"])
			elif word[1] == "CARRY4":
				selects += [pins[f"S[{i}]"] for i in range(4)]
	return {name: sum(net not in luts and not re.fullmatch(r"\$(true|false|undef)", net) for net in selects)
		for name, (luts, selects) in result.items()}


class Design:
	def __init__(self, folder, name):
		self.name = name
		part, kind = name.split("/")
		self.part = PARTS[part]
		self.kind, numbers = kind.split("-")
		cores, _, depth = numbers.rpartition("x")
		self.cores = int(cores or 1)
		self.depth = int(depth)
		if self.kind == "axis":
			self.cores, self.depth = self.depth, 0
		stat = (folder / name / "stat.txt").read_text()
		cells = cells_of(stat, None)
		getattr(self, {"xc7z020": "count_xc7", "5cseba6": "count_cyclone", "hx8k": "count_ice40"}[part])(cells, folder / name)
		self.core_lut = None
		if part == "xc7z020":
			core = cells_of(stat, r"sha256d_(ring|iter|block)$")
			self.core_lut = luts(core) + srls(core)

	def count_xc7(self, cells, folder):
		self.lut, self.srl, self.ram = luts(cells), srls(cells), 4 * cells["RAM32M"] + 4 * cells["RAM64M"]
		assert not [cell for cell in cells if cell.startswith("RAM") and cell not in ("RAM32M", "RAM64M", "RAMB18E1", "RAMB36E1")]
		passed = passed_in(folder / "netlist.blif")
		core = sum(number for name, number in passed.items() if "sha256d_" in name and name != "sha256d_axis")
		self.passed = sum(passed.values()) + (self.cores - 1) * core
		self.ff = sum(number for cell, number in cells.items() if re.match(r"FD[RSCP]E", cell))
		self.bram = cells["RAMB36E1"] + cells["RAMB18E1"] / 2
		self.dsp = cells["DSP48E1"]
		self.share = (self.lut + self.srl + self.ram + self.passed) / self.part["lut"]
		self.mhz = None

	def count_cyclone(self, cells, folder):
		self.lut = sum(number for cell, number in cells.items() if cell.startswith(("MISTRAL_ALUT", "MISTRAL_NOT")))
		self.srl, self.ram, self.passed = 0, cells["MISTRAL_MLAB"], 0
		self.ff = cells["MISTRAL_FF"]
		self.bram = cells["MISTRAL_M10K"]
		self.dsp = sum(number for cell, number in cells.items() if cell.startswith("MISTRAL_MUL"))
		self.share = (self.lut + self.ram) / self.part["lut"]
		self.mhz = None

	def count_ice40(self, cells, folder):
		route = json.loads((folder / "route.json").read_text())
		self.lut, self.srl, self.ram, self.passed = cells["SB_LUT4"], 0, 0, 0
		self.ff = sum(number for cell, number in cells.items() if cell.startswith("SB_DFF"))
		self.bram = route["utilization"]["ICESTORM_RAM"]["used"]
		self.dsp = 0
		used = route["utilization"]["ICESTORM_LC"]
		self.share = used["used"] / used["available"]
		self.mhz = clock_of(route)
		self.other_seeds_mhz = [clock_of(json.loads(other.read_text())) for other in sorted(folder.glob("route-*.json"))]

	@property
	def hashes_a_clock(self):
		if self.kind == "axis":
			return min(self.cores / CLOCKS_BLOCK, 1 / 16)
		return self.cores * (self.depth / 128 if self.depth else 1 / CLOCKS_ITERATIVE)

	@property
	def rate(self):	# MH/s
		return self.hashes_a_clock * (self.mhz or ASSUMED_MHZ)

	@property
	def total_lut(self):
		return self.lut + self.srl + self.ram

	@property
	def title(self):
		core = f"ring of {self.depth}" if self.depth else "iterative"
		if self.kind == "miner":
			return f"miner, {self.cores} x {core}"
		if self.kind == "axis":
			return f"batch, {self.cores} x iterative"
		return f"{'search alone' if self.kind == 'search' else 'board'}, {core}"

	def row(self):
		clock = f"{self.mhz:.1f} routed" if self.mhz else f"{ASSUMED_MHZ} assumed"
		core = f"{self.core_lut / (self.hashes_a_clock / self.cores):,.0f}" if self.core_lut else ""
		return (f"| {self.part['name']} | {self.title} | {self.lut:,} | {self.srl:,} | {self.ram} | {self.passed:,} | {self.ff:,} | "
			f"{self.bram:g} | {self.dsp} | {100 * self.share:.1f} % | {clock} | {self.hashes_a_clock:.4f} | {self.rate:.2f} | "
			f"{1000 * self.rate / self.total_lut:.2f} | {core} |")


def clock_of(route):
	return max(clock["achieved"] for clock in route["fmax"].values())


def luts(cells):
	return sum(number for cell, number in cells.items() if re.fullmatch(r"LUT[1-6]", cell))


def srls(cells):
	return cells["SRL16E"] + cells["SRLC32E"]


def versions():
	yosys = subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
	nextpnr = subprocess.run(["nextpnr-ice40", "--version"], capture_output=True, text=True, check=True)
	return f"Yosys {yosys}, nextpnr-ice40 {re.search(r'Version ([^)]*)', nextpnr.stdout + nextpnr.stderr).group(1)}"


HEAD = """| part | design | LUT | SRL | RAM | passed | FF | BRAM | DSP | of the part | MHz | hashes a clock | MH/s | MH/s per kLUT | core: LUT per hash a clock |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"""


def marks(designs):
	"""(what is shown, whether it holds, whether it must) for each mark that these designs can show."""
	for d in designs:
		if d.core_lut and d.kind == "miner" and d.cores == 1 and d.depth >= 16:
			need = d.core_lut / d.hashes_a_clock
			yield f"mark_3 {d.name}: {need:,.0f} LUT and SRL per hash a clock, at most 60,000", need <= 60000, True
			yield (f"stretch_3 {d.name}: {need / ASSUMED_MHZ:,.0f} LUT and SRL per MH/s at {ASSUMED_MHZ} MHz, at most 450",
				need / ASSUMED_MHZ <= 450, False)
		if d.name == "xc7z020/miner-1x64":
			yield (f"mark_4 {d.name}: {d.hashes_a_clock} hash a clock on {100 * d.share:.1f} % of the LUTs, at most 60 %",
				d.hashes_a_clock >= 0.5 and d.share <= 0.6, True)
		if d.name == "xc7z020/miner-2x64":
			yield (f"stretch_4 {d.name}: {d.hashes_a_clock} hash a clock on {100 * d.share:.1f} % of the LUTs; 0.75 at most 85 %",
				d.hashes_a_clock >= 0.75 and d.share <= 0.85, False)
		if d.name == "hx8k/search-4":
			yield f"mark_5 {d.name}: {d.rate:.2f} MH/s after route, at least 2.1", d.rate >= 2.1, True
			clocks = [d.mhz, *d.other_seeds_mhz]
			yield (f"stretch_5 {d.name}: {', '.join(f'{mhz:.1f}' for mhz in clocks)} MHz after route, by seed; at least 75",
				max(clocks) >= 75, False)


def place(row):
	"""Where a row belongs in the table; no two designs have the same."""
	part, title = [cell.strip() for cell in row.split("|")[1:3]]
	kind, _, core = title.partition(", ")
	cores = re.match(r"(\d+) x ", core)
	depth = re.search(r"ring of (\d+)", core)
	cores, depth = (int(found.group(1)) if found else default for found, default in ((cores, 1), (depth, 0)))
	kinds = ("miner", "batch", "board", "search alone")
	return [known["name"] for known in PARTS.values()].index(part), kinds.index(kind), cores * depth, cores


def mark_of(line):
	return line.split(":")[0]


def write(document, rows, shown):
	text = document.read_text()
	begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
	old = text[begin:end].splitlines() if versions() in text else []
	table = {place(row): row for row in [line for line in old if line.startswith("| ")][1:] + rows}
	facts = {mark_of(fact): fact for fact in [line for line in old if line.startswith("- ")] + shown}
	lines = [f"{versions()}:", "", HEAD, *(table[key] for key in sorted(table)), "", *facts.values()]
	document.write_text("\n".join([text[:begin], *lines, text[end:]]))


def agree(row, line):
	"""The same words, and figures that differ by no more than TOLERANCE."""
	number = r"\d[\d,]*(?:\.\d+)?"
	if re.sub(number, "#", row) != re.sub(number, "#", line):
		return False
	pairs = zip(re.findall(number, row), re.findall(number, line))
	values = [[float(text.replace(",", "")) for text in pair] for pair in pairs]
	return all(abs(a - b) <= TOLERANCE * max(a, b) for a, b in values)


def main():
	folder = Path(sys.argv[1])
	found = sorted(str(done.parent.relative_to(folder)) for done in folder.glob("*/*/done"))
	designs = sorted((Design(folder, name) for name in found), key=lambda d: place(d.row()))
	failed = not designs
	shown = []
	for fact, holds, must in marks(designs):
		print(("ok" if holds else "FAILED") if must else ("reached" if holds else "not reached"), fact)
		shown.append(f"- {fact}: {'yes' if holds else 'no'}")
		failed |= must and not holds

	if len(sys.argv) == 2:
		print(HEAD, *(d.row() for d in designs), sep="\n")
		return failed
	document = Path(sys.argv[3])
	text = document.read_text()
	if sys.argv[2] == "--write":
		write(document, [d.row() for d in designs], shown)
	elif versions() not in text:
		print(f"not compared with {document}: it is not by {versions()}")
	else:
		for d in designs:
			same = any(agree(d.row(), line) for line in text.splitlines())
			print("ok" if same else "FAILED", f"row_of {d.name} in {document.name}" + ("" if same else f": it is now {d.row()}"))
			failed |= not same
	return failed


sys.exit(main())
