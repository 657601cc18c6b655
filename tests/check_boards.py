#!/usr/bin/env python3
"""
The boards' files say the same: an overlay, the vendor tools' script beside it, the guide, the registers and the driver all
name addresses, interrupts and devices, and nothing but this test would notice one that is changed alone.
"""
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("srcdir") or Path(__file__).parent.parent).resolve()
BOARDS = SOURCE / "fpga/boards"
RTL = SOURCE / "fpga/rtl"
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


def ports(path):
	"""The ports of the one module in a file, by name: direction and width."""
	found = re.findall(r"^\s*(input|output)\s+(?:wire|reg)\s+(?:\[(\d+):0\])?\s*(\w+)", path.read_text(), flags=re.M)
	return {name: (direction.capitalize(), int(high or 0) + 1) for direction, high, name in found}


def parameters(path):
	return set(re.findall(r"^\s*parameter\s+(\w+)", path.read_text(), flags=re.M))


def interfaces(path):
	"""What a block design connects of a module: an AXI port is one name."""
	return {re.sub(r"^([sm]_axi[ls])_\w+$", r"\1", name) for name in ports(path)}


def run_script(script, folder, slack="0.1"):
	"""A vendor tool's script in an empty folder, by tests/vendor.tcl: its exit status, what it printed, and its calls."""
	calls = folder / "calls.txt"
	done = subprocess.run(["tclsh", SOURCE / "tests/vendor.tcl", script], cwd=folder, capture_output=True, text=True,
		env={**os.environ, "CALLS": str(calls), "WNS": slack})
	return done.returncode, done.stderr, [line.split("\t") for line in calls.read_text().splitlines()]


# Quartus' programs, as far as boards/de10-nano/build.sh needs them.
QUARTUS = ("qsys-script", "qsys-generate", "quartus_sh", "quartus_cpf")
QUARTUS_PROGRAM = """#!/bin/sh
echo "${0##*/} $*" >>"$CALLS"
case ${0##*/} in
quartus_sh) mkdir -p output_files && echo "$VERDICT" >output_files/soc.sta.rpt ;;
quartus_cpf) for out; do :; done && echo raw >"$out" ;;
esac
"""


def build_de10_nano(folder, verdict):
	"""boards/de10-nano/build.sh with those programs, for a golden design that is not there: its exit status."""
	tools, design = folder / "tools", folder / "design"
	for made in (tools, design):
		made.mkdir(exist_ok=True)
	for name in QUARTUS:
		(tools / name).write_text(QUARTUS_PROGRAM)
		(tools / name).chmod(0o755)
	(design / "DE10_NANO_SoC_GHRD.qsf").touch()
	return subprocess.run(["sh", BOARDS / "de10-nano/build.sh", design], cwd=folder, capture_output=True, env={**os.environ,
		"PATH": f"{tools}:{os.environ['PATH']}", "CALLS": str(folder / "calls.txt"), "VERDICT": verdict}).returncode


# The nodes of a board's own tree that its overlay names, as linux-xlnx and FPGA-SoC-Linux have them.
BASE_TREES = {
	"pynq-z2": ("/fpga-full", """/dts-v1/;
/ {
	#address-cells = <1>;
	#size-cells = <1>;
	fpga_full: fpga-full { compatible = "fpga-region"; #address-cells = <1>; #size-cells = <1>; ranges; };
	axi {
		#address-cells = <1>;
		#size-cells = <1>;
		intc: interrupt-controller@f8f01000 { interrupt-controller; #interrupt-cells = <3>; reg = <0xf8f01000 0x1000>; };
		clkc: clkc@f8000100 { #clock-cells = <1>; reg = <0xf8000100 0x100>; };
	};
};
"""),
	"de10-nano": ("/soc/base_fpga_region", """/dts-v1/;
/ {
	#address-cells = <1>;
	#size-cells = <1>;
	intc: interrupt-controller@fffed000 { interrupt-controller; #interrupt-cells = <3>; reg = <0xfffed000 0x1000>; };
	soc {
		#address-cells = <1>;
		#size-cells = <1>;
		base_fpga_region { compatible = "fpga-region"; #address-cells = <1>; #size-cells = <1>; };
		fpga_bridge0: fpga_bridge@ff400000 { reg = <0xff400000 0x100000>; };
	};
};
"""),
}


class Boards(unittest.TestCase):
	def setUp(self):
		self.scratch = tempfile.TemporaryDirectory()
		self.addCleanup(self.scratch.cleanup)
		self.folder = Path(self.scratch.name)

	def check_sum_of(self, made):
		digest = hashlib.sha256(made.read_bytes()).hexdigest()
		self.assertEqual(Path(f"{made}.sha256").read_text().split(), [digest, made.name])

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

	@unittest.skipUnless(shutil.which("fdtoverlay"), "fdtoverlay not found: install device-tree-compiler")
	def test_overlays_bring_their_devices_into_a_tree_with_the_labels_they_name(self):
		def run(*command):
			done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
			self.assertEqual(done.returncode, 0, done.stderr)
			return done.stdout.strip()

		compiler = ["dtc", "-q", "-@", "-I", "dts", "-O", "dtb", "-o"]
		for board, (region, tree) in BASE_TREES.items():
			overlay = BOARDS / board / "adit.dts"
			(self.folder / "base.dts").write_text(tree)
			run(*compiler, "base.dtb", "base.dts")
			run(*compiler, "adit.dtbo", overlay)
			run("fdtoverlay", "-i", "base.dtb", "-o", "all.dtb", "adit.dtbo")
			label = r"intc: ([\w@-]+)"
			intc = ("/axi/" if board == "pynq-z2" else "/") + re.search(label, tree).group(1)
			phandle = run("fdtget", "-t", "u", "all.dtb", intc, "phandle")
			for name, (unit, cells, interrupts) in devices(overlay.read_text()).items():
				with self.subTest(board=board, device=name):
					node = f"{region}/{unit}"
					if interrupts is None:
						self.assertEqual(run("fdtget", "-t", "u", "all.dtb", node, "size"), str(cells[0]))
						continue
					self.assertEqual(run("fdtget", "all.dtb", node, "linux,uio-name"), name)
					for key, expected in ("reg", cells), ("interrupts", interrupts), ("interrupt-parent", [phandle]):
						found = run("fdtget", "-t", "u", "all.dtb", node, key).split()
						self.assertEqual(found, [str(cell) for cell in expected], key)

	@unittest.skipUnless(shutil.which("tclsh"), "tclsh not found: install tcl")
	def test_the_block_design_connects_all_that_the_rtl_has(self):
		status, said, calls = run_script(BOARDS / "pynq-z2/build.tcl", self.folder)
		self.assertEqual((status, said), (0, ""))
		connected = [pin for call in calls if call[0].startswith("connect_bd") for pins in call[1:] for pin in pins.split()]
		set_values = {call[-1]: dict(zip(call[2].split()[::2], call[2].split()[1::2]))
			for call in calls if call[0] == "set_property" and call[1] == "-dict"}
		set_values.update({call[-1]: {call[1]: call[2]} for call in calls if call[0] == "set_property" and call[1] != "-dict"})
		for cell, module in (("miner", "miner_top"), ("batch", "sha256d_axis")):
			with self.subTest(cell=cell):
				self.assertIn(["create_bd_cell", "-type", "module", "-reference", module, cell], calls)
				used = {pin.partition("/")[2] for pin in connected if pin.startswith(f"{cell}/")}
				self.assertEqual(used, interfaces(RTL / f"{module}.v"))
				named = {name.removeprefix("CONFIG.") for name in set_values[cell]}
				self.assertLessEqual(named, parameters(RTL / f"{module}.v"))
		files = {path for call in calls if call[0] == "add_files" for path in call[-1].split()}
		self.assertLessEqual({str(path) for path in RTL.glob("*.v*")}, files)
		self.assertEqual([path for path in files if not Path(path).is_file()], [])

	@unittest.skipUnless(shutil.which("tclsh"), "tclsh not found: install tcl")
	def test_the_component_has_the_ports_and_parameters_of_its_module(self):
		folder = BOARDS / "de10-nano"
		status, said, calls = run_script(folder / "adit_miner_hw.tcl", self.folder)
		self.assertEqual((status, said), (0, ""))
		found = {call[2]: (call[4], int(call[5])) for call in calls if call[0] == "add_interface_port"}
		self.assertEqual(found, ports(folder / "adit_miner.v"))
		found = {call[1] for call in calls if call[0] == "add_parameter"}
		self.assertEqual(found, parameters(folder / "adit_miner.v"))
		files = {call[1]: folder / call[4] for call in calls if call[0] == "add_fileset_file"}
		self.assertEqual([str(path) for path in files.values() if not path.is_file()], [])
		self.assertLessEqual({path.name for path in RTL.glob("*.v*")}, set(files))
		offered = {call[1] for call in calls if call[0] == "add_interface"}

		status, said, calls = run_script(folder / "add_miner.tcl", self.folder)
		self.assertEqual((status, said), (0, ""))
		ends = {end for call in calls if call[0] == "add_connection" for end in call[1:]}
		self.assertEqual({end.partition(".")[2] for end in ends if end.startswith("miner.")}, offered)
		given = {call[2] for call in calls if call[0] == "set_instance_parameter_value" and call[1] == "miner"}
		self.assertLessEqual(given, found)
		settled = settings(folder / "add_miner.tcl")
		self.assertIn(["set_connection_parameter_value", "hps_0.h2f_lw_axi_master/miner.s_axil", "baseAddress",
			f"0x{settled['miner_base'] - settled['bridge']:08x}"], calls)

	@unittest.skipUnless(shutil.which("tclsh"), "tclsh not found: install tcl")
	def test_the_high_level_synthesis_script_names_files_there_are(self):
		status, said, calls = run_script(SOURCE / "fpga/hls/build.tcl", self.folder)
		self.assertEqual((status, said), (0, ""))
		for call in calls:
			if call[0] == "add_files":
				path = Path(call[2] if call[1] == "-tb" else call[1])
				self.assertTrue(path.is_file(), path)

	@unittest.skipUnless(shutil.which("tclsh"), "tclsh not found: install tcl")
	def test_a_zynq_design_that_misses_its_clock_leaves_no_file(self):
		made = self.folder / "build/adit.bit.bin"
		status, said, _ = run_script(BOARDS / "pynq-z2/build.tcl", self.folder, slack="-0.3")
		self.assertNotEqual(status, 0)
		self.assertIn("misses 100 MHz by -0.3 ns", said)
		self.assertFalse(made.exists())
		run_script(BOARDS / "pynq-z2/build.tcl", self.folder)
		self.check_sum_of(made)

	def test_a_cyclone_design_that_misses_its_clock_leaves_no_file(self):
		made = self.folder / "adit.rbf"
		self.assertNotEqual(build_de10_nano(self.folder, "Critical Warning (332148): Timing requirements not met"), 0)
		self.assertFalse(made.exists())
		self.assertEqual(build_de10_nano(self.folder, "Info (332146): Worst-case setup slack is 0.3"), 0)
		self.check_sum_of(made)
		constraints = (self.folder / "design/DE10_NANO_SoC_GHRD.qsf").read_text()
		self.assertEqual(constraints, f"set_global_assignment -name SDC_FILE {BOARDS}/de10-nano/adit.sdc\n")
		calls = [line.split()[0] for line in (self.folder / "calls.txt").read_text().splitlines()]
		self.assertEqual(calls, [*QUARTUS[:3], *QUARTUS])

	@unittest.skipUnless(shutil.which("iverilog"), "iverilog not found: install iverilog")
	def test_tops_elaborate_with_the_parameters_of_the_scripts(self):
		zynq = settings(BOARDS / "pynq-z2/build.tcl")
		cyclone = settings(BOARDS / "de10-nano/add_miner.tcl")
		for path, values in (
			(RTL / "miner_top.v", dict(CORES=zynq["miner_cores"], DEPTH=zynq["miner_depth"], BALANCED=zynq["miner_balanced"])),
			(RTL / "sha256d_axis.v", dict(CORES=zynq["batch_cores"])),
			(BOARDS / "de10-nano/adit_miner.v", dict(CORES=cyclone["miner_cores"], DEPTH=cyclone["miner_depth"])),
		):
			with self.subTest(top=path.stem):
				given = [f"-P{path.stem}.{name}={value}" for name, value in values.items()]
				# -Wno: that an always @* which reads an array waits for all of it is meant
				done = subprocess.run(["iverilog", "-g2005", "-Wall", "-Wno-sensitivity-entire-array", *given, f"-I{RTL}",
					f"-y{RTL}", "-o", "out", path], cwd=self.folder, capture_output=True, text=True)
				self.assertEqual((done.returncode, done.stderr), (0, ""))

	@unittest.skipUnless(shutil.which("yosys"), "yosys not found: install yosys")
	def test_the_hx8k_top_elaborates_with_the_parts_own_pll(self):
		sources = " ".join(map(str, [*RTL.glob("*.v"), *(BOARDS / "hx8k").glob("*.v")]))
		done = subprocess.run(["yosys", "-q", "-p", f"read_verilog -lib +/ice40/cells_sim.v; read_verilog -I{RTL} {sources}; "
			"hierarchy -check -top hx8k; proc; check -assert"], cwd=self.folder, capture_output=True, text=True)
		self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

	def test_hx8k_pins_are_those_of_its_top(self):
		names = set()
		for width, name in re.findall(r"(?:input|output)\s+wire\s+(\[7:0\])?\s*(\w+)", (BOARDS / "hx8k/hx8k.v").read_text()):
			names |= {f"{name}[{i}]" for i in range(8)} if width else {name}
		pins = re.findall(r"^set_io (\S+) +(\w+)$", (BOARDS / "hx8k/hx8k.pcf").read_text(), flags=re.M)
		self.assertEqual({port for port, _ in pins}, names)
		self.assertEqual(len({pin for _, pin in pins}), len(names))

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
