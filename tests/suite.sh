#!/bin/sh
# The whole test suite, in steps that run side by side, each in a build of its own under
# build/check/. The last line is the totals: unit tests, facts of the scripts, and one for
# each other test program. A step that breaks off counts as a failure.
#
# Usage: suite.sh [STEP...]		(all of them when none is named)
set -u
source=$(cd "$(dirname "$0")/.." && pwd)
checks=$source/build/check
tests=$source/tests
export RIG_NPM="$checks/npm"	# what tests/check_rig.py installs, once for all steps

all_steps='sanitizers rtl synth gcc fuzz arm64 armhf clang gcc_O2 clang_O2 dist configure'

# CFLAGS CONFIGURE ARGUMENT...: build everything in the current folder, without a warning.
build() {
	flags=$1
	shift
	"$source/configure" --quiet "$@" || return
	make -s -j 2 CFLAGS="$flags -Werror" check TESTS= >/dev/null
}

# MAKE ARGUMENT...: run the tests of the current folder's build and count what each program
# reports: cmocka, unittest and tests in cases say how many they were, any other is one. One
# that hangs is stopped.
run_tests() {
	find . -name '*.trs' -exec rm {} +
	make -s -k -j 2 check LOG_COMPILER='timeout 300' PY_LOG_COMPILER='timeout 300 python3' "$@" >make-check.log 2>&1
	status=$?
	results=$(find . -name '*.trs' | sort)
	[ -n "$results" ] || { tail -n 50 make-check.log; return 1; }
	for result in $results; do
		log=${result%.trs}.log
		awk -v program="$(basename "${result%.trs}")" '
			FILENAME ~ /\.trs$/ { if ($1 == ":test-result:") verdict = $2; next }
			match($0, /\[  (PASSED|FAILED|SKIPPED) *\] [0-9]+ test/) {
				split(substr($0, RSTART), word, " ")
				count[word[2]] += word[4]
			}
			/^[0-9]+ cases, [0-9]+ failed$/ { count["PASSED"] += $1 - $3; count["FAILED"] += $3 }
			/^Ran [0-9]+ tests? in/ { count["PASSED"] += $2 }
			/^(OK|FAILED) \(.*\)$/ {
				n = split($0, part, /[(,)]/)
				for (i = 2; i < n; i++) {
					number = part[i]; sub(/.*=/, "", number)
					count["PASSED"] -= number
					count[part[i] ~ /skipped/ ? "SKIPPED" : "FAILED"] += number
				}
			}
			END {
				if (verdict == "PASS")
					count["PASSED"] += !(count["PASSED"] + count["SKIPPED"])
				else if (verdict == "SKIP")
					count["SKIPPED"] += !count["SKIPPED"]
				else
					count["FAILED"] += !count["FAILED"]
				printf "%s: %d passed, %d failed, %d skipped\n", program,
					count["PASSED"], count["FAILED"], count["SKIPPED"]
			}' "$result" "$log"
		grep -q '^:test-result: PASS' "$result" || tail -n 60 "$log" | sed 's/^/    /'
	done
	return $status
}

# Every kernel again where the CPU has less and less, then half a minute of faulty pools, plain and over TLS.
step_gcc() {
	build '-O3 -g' || return
	run_tests rtl_tests=
	status=$?
	for mask in -avx512 -sha,-avx512 -sha,-avx2 -sha,-avx2,-sse2 -avx; do
		for program in backend cpu kernels scan selftest; do
			if ADIT_CPU_MASK=$mask srcdir=$source "./check_$program" >masked.log 2>&1; then
				echo "ok ${program}_without$mask"
			else
				echo "FAILED ${program}_without$mask"
				tail -n 20 masked.log
				status=1
			fi
		done
	done
	if ADIT=./adit DEVPOOL=./devpool python3 "$tests/soak.py" --both >soak.log 2>&1; then
		echo "ok a_soak_on_faulty_pools_loses_and_repeats_nothing"
	else
		echo "FAILED soak"
		tail -n 60 soak.log
		status=1
	fi
	return $status
}
step_clang() { build '-O3 -g' CC=clang --disable-fpga-sim && run_tests TESTS='$(unit_tests)'; }
step_sanitizers() { build '-O2 -g' --enable-sanitizers && run_tests rtl_tests=; }
step_gcc_O2() { build '-O2 -g' --disable-fpga-sim && "$tests/dispatch.sh" ./adit; }
step_clang_O2() { build '-O2 -g' CC=clang --disable-fpga-sim && echo "ok clang_O2_builds_without_a_warning"; }
step_arm64() { "$tests/cross.sh" arm64 "$source" .; }
step_armhf() { "$tests/cross.sh" armhf "$source" .; }

# The RTL's own benches, which other steps leave out: rtl_tests of Makefile.am.
step_rtl() {
	"$tests/check_rtl.sh" >rtl.log 2>&1
	status=$?
	if [ $status = 77 ]; then
		echo "skipped rtl: $(tail -n 1 rtl.log)"
		return 0
	fi
	sed -n 's/^\([0-9]* passed, [0-9]* failed\)$/rtl: \1, 0 skipped/p' rtl.log
	[ $status = 0 ] || tail -n 60 rtl.log
	return $status
}

# Place and route for the one family that the tools here know, and the smaller of the other rows of doc/FPGA.md and doc/OFFLOAD.md.
step_synth() {
	for tool in yosys nextpnr-ice40; do
		command -v $tool >/dev/null || { echo "skipped synth: no $tool"; return 0; }
	done
	"$source/fpga/synth/synth.sh" small && "$source/fpga/synth/report.py" . --check "$source/doc/FPGA.md" &&
		"$source/fpga/synth/offload.py" offload --check "$source/doc/OFFLOAD.md" chacha20_block cubehash256_block secp256k1_mod
}
step_fuzz() { "$source/configure" --quiet CC=clang && make -s fuzz FUZZ_SECONDS=20; }
step_configure() { "$tests/check_configure.sh" "$source"; }

# The tarball holds all that is needed to build, install and remove it, in any folder, and to
# test it as the repository is tested: every file of that.
step_dist() {
	"$source/configure" --quiet || return
	make -s distcheck AM_DISTCHECK_CONFIGURE_FLAGS='--quiet --disable-fpga-sim CFLAGS=-O1' TESTS= >distcheck.log 2>&1 ||
		{ tail -n 50 distcheck.log; return 1; }
	echo "ok the_tarball_builds_and_installs_in_any_folder"
	git -C "$source" ls-files >repository.txt 2>/dev/null || return 0	# this is from a tarball itself
	tar -tzf adit-*.tar.gz | sed 's|^[^/]*/||' | sort >tarball.txt
	missing=$(sort repository.txt | comm -23 - tarball.txt)
	if [ -n "$missing" ]; then
		echo "FAILED the_tarball_has_every_file_of_the_repository"
		echo "$missing"
		return 1
	fi
	echo "ok the_tarball_has_every_file_of_the_repository"
}

if [ "${1-}" = --step ]; then
	step=$2
	mkdir -p "$checks/$step"
	cd "$checks/$step" || exit 1
	log=$checks/$step.log
	start=$(date +%s)
	("step_$step") >"$log" 2>&1 </dev/null
	status=$?
	if [ $status != 0 ] && ! grep -qE '^FAILED | [1-9][0-9]* failed' "$log"; then
		echo "FAILED $step" >>"$log"
	fi
	echo "== $step: $(($(date +%s) - start)) s"
	if [ $status = 0 ]; then
		grep -E '^(ok|FAILED|skipped) |: [0-9]+ passed, ' "$log"
	else
		tail -n 400 "$log"
	fi
	exit 0	# the log has the outcome; others go on
fi

steps=${*:-$all_steps}
mkdir -p "$checks"
rm -f "$checks"/*.log
echo "$steps" | xargs -n 1 -P "$(nproc)" "$0" --step
for step in $steps; do
	cat "$checks/$step.log" 2>/dev/null || echo "FAILED $step"
done | awk '
	/^ok / { passed++ }
	/^FAILED / { failed++ }
	/^skipped / { skipped++ }
	/^[a-z_0-9.]+: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { passed += $2; failed += $4; skipped += $6 }
	END {
		printf "%d passed, %d failed%s\n", passed, failed, skipped ? ", " skipped " skipped" : ""
		exit failed > 0 || passed == 0
	}'
