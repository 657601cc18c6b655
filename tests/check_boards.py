#!/usr/bin/env python3
"""
The boards' files say the same: an overlay, the vendor tools' script beside it, the guide, the registers and the driver all
name addresses, interrupts and devices, and nothing but this test would notice one that is changed alone.
"""
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("srcdir") or Path(__file__).parent.parent).resolve()
BOARDS = SOURCE / "fpga/boards"
REGS_LEN = int(re.search(r"FPGA_REGS_LEN\s+(0x[0-9a-f]+)", (SOURCE / "fpga/regs.h").read_text()).group(1), 16)

# Board: its script, and the SPI of its fabric's interrupt 0 (Zynq-7000 TRM, table 7-4; Cyclone V HPS TRM, GIC interrupt map).
LINUX_BOARDS = {"pynq-z2": ("build.tcl", 29), "de10-nano": ("add_miner.tcl", 40)}


def number(text):
	return int(text, 0)


def settings(path):
	"""The `set NAME NUMBER` lines of a Tcl script."""
	return {name: number(value) for name, value in re.findall(r"^set (\w+) (0x[0-9a-f]+|\d+)$", path.read_text(), flags=re.M)}


def devices(text):
	"""By name: unit address, registers and interrupts of an overlay's UIO devices, and the size of its u-dma-bufs."""
	result = {}
	for unit, body in re.findall(r"([\w@-]+) \{([^{}]*)\};", text):
		values = {key: value for key, value in re.findall(r"([\w,#-]+) = (.*?);", body)}
		cells = {key: [number(cell) for cell in re.findall(r"\b(?:0x[0-9a-f]+|\d+)\b", value)] for key, value in values.items()}
		if values.get("compatible") == '"generic-uio"':
			result[values["linux,uio-name"].strip('"')] = unit, cells["reg"], cells["interrupts"]
		elif values.get("compatible") == '"ikwzm,u-dma-buf"':
			result[values["device-name"].strip('"')] = unit, cells["size"], None
	return result


class Boards(unittest.TestCase):
	def test_overlays_and_design_scripts_agree(self):
		for board, (script, first_spi) in LINUX_BOARDS.items():
			design = settings(BOARDS / board / script)
			found = devices((BOARDS / board / "adit.dts").read_text())
			for device in ("miner", "dma"):
				with self.subTest(board=board, device=device):
					if f"{device}_base" not in design:
						self.assertNotIn(f"adit-{device}", found)
						continue
					unit, (base, length), interrupt = found[f"adit-{device}"]
					self.assertEqual(base, design[f"{device}_base"])
					self.assertEqual(unit, f"{device}@{base:x}")
					self.assertGreaterEqual(length, REGS_LEN)
					self.assertEqual(interrupt, [0, first_spi + design[f"{device}_irq"], 4])
					self.assertEqual(base % length, 0)
					if "window" in design:
						self.assertEqual(length, design["window"])
			with self.subTest(board=board, device="buffer"):
				self.assertEqual("udmabuf0" in found, "dma_base" in design)

	def test_guides_say_what_the_overlays_say(self):
		for board, (script, _) in LINUX_BOARDS.items():
			guide = (BOARDS / board / "README.md").read_text()
			design = settings(BOARDS / board / script)
			for name, (_, cells, interrupt) in devices((BOARDS / board / "adit.dts").read_text()).items():
				with self.subTest(board=board, device=name):
					self.assertIn(f"`{name}`", guide)
					if interrupt:
						self.assertRegex(guide, rf"`{name}` \| 0x{cells[0]:08x}.*`<{' '.join(map(str, interrupt))}>`")
			card = re.search(r"--fpga (uio:\S+)", guide).group(1)
			names = dict(part.split("=") for part in card.split(",")[1:])
			with self.subTest(board=board, option=card):
				self.assertTrue(card.startswith("uio:adit-miner"))
				self.assertEqual(names.get("dma"), "adit-dma" if "dma_base" in design else None)
				self.assertEqual(names.get("buf"), "udmabuf0" if "dma_base" in design else None)
				self.assertEqual(number(names.get("length-bits", "0")), design.get("length_bits", 0))

	def test_overlays_load_the_file_that_the_build_makes_at_the_clock_it_makes(self):
		for board, script, clock in (("pynq-z2", "build.tcl", "assigned-clock-rates = <%d000000>"), ("de10-nano", "build.sh", None)):
			overlay = (BOARDS / board / "adit.dts").read_text()
			name = re.search(r'firmware-name = "(.*)"', overlay).group(1)
			with self.subTest(board=board):
				self.assertIn(name, (BOARDS / board / script).read_text())
				if clock:
					self.assertIn(clock % settings(BOARDS / board / script)["clock_mhz"], overlay)

	@unittest.skipUnless(shutil.which("dtc"), "dtc not found: install device-tree-compiler")
	def test_overlays_compile_without_a_warning(self):
		# But for cells that a fragment seems not to need: its addresses are those of a node that dtc does not see.
		compile_overlay = ["dtc", "-@", "-I", "dts", "-O", "dtb", "-W", "no-avoid_unnecessary_addr_size"]
		for board in LINUX_BOARDS:
			with self.subTest(board=board):
				made = subprocess.run([*compile_overlay, BOARDS / board / "adit.dts"], capture_output=True)
				self.assertEqual(made.stderr.decode(), "")
				self.assertEqual(made.returncode, 0)
				self.assertEqual(made.stdout[:4], b"\xd0\x0d\xfe\xed")

	def test_hx8k_pins_are_those_of_its_top(self):
		ports = set()
		for width, name in re.findall(r"(?:input|output)\s+wire\s+(\[7:0\])?\s*(\w+)", (BOARDS / "hx8k/hx8k.v").read_text()):
			ports |= {f"{name}[{i}]" for i in range(8)} if width else {name}
		pins = re.findall(r"^set_io (\S+) +(\w+)$", (BOARDS / "hx8k/hx8k.pcf").read_text(), flags=re.M)
		self.assertEqual({port for port, _ in pins}, ports)
		self.assertEqual(len({pin for _, pin in pins}), len(ports))

	def test_hx8k_clock_is_what_its_pll_makes(self):
		top = (BOARDS / "hx8k/hx8k.v").read_text()
		value = {name: number(digits) for name, digits in re.findall(r"\.(DIVR|DIVF|DIVQ)\(\d'd(\d+)\)", top)}
		vco = 12e6 / (value["DIVR"] + 1) * (value["DIVF"] + 1)
		self.assertTrue(533e6 <= vco <= 1066e6)
		self.assertEqual(vco / 2 ** value["DIVQ"], number(re.search(r"CLOCK_HZ = (\d+)", top).group(1)))

	def test_what_was_not_run_says_so_in_its_first_line(self):
		files = [path for board in LINUX_BOARDS for path in (BOARDS / board).iterdir() if path.suffix != ".v"]
		files += [SOURCE / "fpga/hls/build.tcl", SOURCE / "fpga/hls/sha256d_axis.cpp"]
		for path in files:
			with self.subTest(file=str(path.relative_to(SOURCE))):
				lines = path.read_text().splitlines()
				first = next(line for line in lines if not line.startswith("#!") and line != "/*")
				self.assertRegex(first, r"Not (yet )?(run|tried)")


if __name__ == "__main__":
	unittest.main()
