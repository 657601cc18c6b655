#!/usr/bin/env python3
"""
The synthesis table of doc/OFFLOAD.md: each offload core (fpga/rtl/offload) through Yosys for an XC7Z020, alone and
with its registers and streams.

What a newcomer would get wrong: this is Yosys' count, not Vivado's, and it has no clock: nothing here says how fast.

Usage: offload.py FOLDER [--write FILE | --check FILE] [DESIGN...]
	FOLDER	where Yosys' reports go; a design is synthesised again only when its RTL changed
	--write	put the table between the markers in FILE
	--check	the rows of these designs must stand in FILE as they are, when FILE names this version of Yosys
"""
import re
import subprocess
import sys
from pathlib import Path

FPGA = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- made by fpga/synth/offload.py -->", "<!-- end -->"
LUTS = 53200	# of an XC7Z020: Xilinx DS190

# Name: what it is, top module, its parameters.
DESIGNS = {
	"chacha20_block": ("ChaCha20 block core", "chacha20_block", {}),
	"chacha20-2": ("with registers, streams, memory writer: 2 cores", "offload_top", dict(CORE=1, CORES=2)),
	"aes128_pipe": ("AES-128, key schedule in it", "aes128_pipe", {}),
	"aes128": ("with registers", "offload_top", dict(CORE=2)),
	"cubehash256_block": ("CubeHash-256 core", "cubehash256_block", {}),
	"cubehash256-4": ("with registers, 4 cores", "offload_top", dict(CORE=4, CORES=4)),
	"secp256k1_mod": ("secp256k1: add, subtract, multiply", "secp256k1_mod", {}),
	"secp256k1": ("with registers and streams", "offload_top", dict(CORE=5)),
	"sha256d-4": ("SHA-256d with registers, 4 cores", "offload_top", dict(CORE=3, CORES=4)),
}
HEAD = """| design | LUT | SRL | LUT as RAM | FF | BRAM (36 Kbit) | DSP | of an XC7Z020's LUTs |
|---|---|---|---|---|---|---|---|"""


def sources_of(top):
	"""The files of a module and of all in it, sorted. A module's file has its name; what else is in fpga/rtl changes nothing."""
	files = {path.name: path for folder in ("rtl", "rtl/offload") for path in (FPGA / folder).glob("*.v*")}
	found, todo = set(), [files[f"{top}.v"]]
	while todo:
		path = todo.pop()
		found.add(path)
		words = re.findall(r'^\s*(\w+)|`include "([\w.]+)"', path.read_text(), flags=re.M)
		named = {files.get(include or f"{module}.v") for module, include in words} - {None}
		todo += named - found
	return sorted(found)


def synthesise(folder, name):
	"""Yosys' stat of a design, made anew when its RTL is newer."""
	stat = folder / f"{name}.txt"
	sources = sources_of(DESIGNS[name][1])
	if stat.exists() and stat.stat().st_mtime > max(source.stat().st_mtime for source in sources):
		return stat.read_text()
	_, top, parameters = DESIGNS[name]
	set_parameters = "".join(f"chparam -set {key} {value} {top}; " for key, value in parameters.items())
	files = " ".join(str(source.relative_to(FPGA)) for source in sources if source.suffix == ".v")
	made = folder.resolve() / f"{name}.new"
	script = (f"read_verilog -Irtl -Irtl/offload {files}; {set_parameters}hierarchy -check -top {top}; "
		f"synth_xilinx -family xc7 -top {top} -flatten -noiopad -nowidelut; tee -o {made} stat -tech xilinx")
	done = subprocess.run(["yosys", "-q", "-p", script], cwd=FPGA, capture_output=True, text=True)
	if done.returncode:
		sys.exit(f"offload.py: {name}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
	made.rename(stat)
	return stat.read_text()


def row(folder, name):
	counts = {}
	for cell, number in re.findall(r"^ {5}(\S+) +(\d+)$", synthesise(folder, name), flags=re.M):
		counts[cell] = counts.get(cell, 0) + int(number)

	def total(pattern):
		return sum(number for cell, number in counts.items() if re.fullmatch(pattern, cell))

	memory = 4 * counts.get("RAM32M", 0) + 4 * counts.get("RAM64M", 0)
	unknown = [cell for cell in counts if cell.startswith("RAM") and cell not in ("RAM32M", "RAM64M", "RAMB18E1", "RAMB36E1")]
	assert not unknown, unknown
	lut, srl = total("LUT[1-6]"), total("SRL.*")
	bram = counts.get("RAMB36E1", 0) + counts.get("RAMB18E1", 0) / 2
	return (f"| {DESIGNS[name][0]} (`{name}`) | {lut:,} | {srl:,} | {memory:,} | {total('FD[RSCP]E'):,} | {bram:g} | "
		f"{total('DSP48E1')} | {100 * (lut + srl + memory) / LUTS:.1f} % |")


def main():
	folder = Path(sys.argv[1])
	mode, document = (sys.argv[2], Path(sys.argv[3])) if len(sys.argv) > 3 else (None, None)
	names = sys.argv[4:] or list(DESIGNS)
	folder.mkdir(parents=True, exist_ok=True)
	rows = [row(folder, name) for name in names]
	yosys = "Yosys " + subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
	if mode is None:
		print(HEAD, *rows, sep="\n")
		return 0
	text = document.read_text()
	if mode == "--write":
		begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
		document.write_text(text[:begin] + "\n" + "\n".join([f"{yosys}, XC7Z020:\n", HEAD, *rows]) + "\n" + text[end:])
		return 0
	if f"{yosys}, XC7Z020" not in text:
		print(f"not compared with {document}: it is not by {yosys}")
		return 0
	for line in rows:
		print("ok" if line in text else "FAILED", line)
	return any(line not in text for line in rows)


sys.exit(main())
