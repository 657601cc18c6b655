#!/usr/bin/env python3
"""What a kernel asks of a CPU's ports: its instructions per hash by kind, and the cycles that no CPU can do them in less.

The counts are exact and the same on every run: of tests/kernel_calls.c under valgrind (x86-64), or under qemu-user one
instruction at a time (ARM). valgrind knows no SHA instructions; that kernel is counted in its code, which has no loop.
Nor does it know AVX-512, whose kernels are stepped through, on a CPU that has it.
It needs the GNU binutils and one of the two, and `make kernel_calls`.
"""
import argparse
import collections
import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile

CALLS = 16
KINDS = ('logic', 'shift', 'shuffle', 'rnds2', 'msg1', 'msg2', 'load', 'store', 'move', 'other')
VECTOR = ('logic', 'shift', 'shuffle')

# Instructions of a kind started per cycle, (kinds together, how many), and instructions of any kind.
PORTS = {
    'Zen 3': ([(VECTOR, 4), (('shift', 'shuffle'), 2), (('rnds2',), 1), (('msg2',), 1 / 2)], 6),
    'Golden Cove': ([(VECTOR, 3), (('shift',), 2), (('shuffle',), 2), (('rnds2',), 1 / 3)], 6),
}
# The same of 512-bit instructions. Golden Cove joins two of its three ports for them.
PORTS_512 = {'Golden Cove': ([(VECTOR, 2), (('shift',), 1), (('shuffle',), 1)], 6)}

# Of an algorithm, what kernel_calls.c is asked for, and the row's name.
FORMS = {
    'sha256d': {'nonces': 'sha256d {}', 'versions': 'sha256d {}, versions'},
    'lyra2rev2': {'nonces': 'lyra2rev2 {}', 'header': '- header', '0': '- keccak256', '1': '- cubehash256, each of two',
                  '2': '- lyra2_1_4_4', '3': '- skein256', '5': '- bmw256'},
}


def x86_kinds(name, operands):
    """Of one instruction; what reads memory is a load as well."""
    name = name[1:] if name.startswith('v') else name
    to_memory = operands.endswith(')')
    kinds = ['load'] if '(' in operands and not to_memory else []
    if 'mm' not in operands:
        return ['other']
    if re.match(r'(mov|movdq|lddqu|extract)', name) and to_memory:
        return ['store']
    if re.match(r'(mov[a-z]*\d*|pbroadcast.|broadcast.*)$', name) and kinds:
        return kinds
    if re.match(r'(mov[adu][pqd].|movdq.)\d*$', name):
        return ['move']
    if name.startswith('sha256'):
        return kinds + [name[6:]]
    if re.match(r'(padd|psub|pxor|por[dq]?$|pand|pternlog|xorp|orp|andp|pcmp|pblendd|pmin|pmax)', name) or \
            name.startswith('inserti') and kinds:
        return kinds + ['logic']
    if re.match(r'(ps(ll|rl)|pro[lr])[wdq]$', name):
        return kinds + ['shift']
    return kinds + ['shuffle']


def arm_kinds(name, operands):
    name = name.split('.')[0]
    if re.match(r'(ldr|ldp|ld1|ldur|vldr|vldm|vld1)$', name):
        return ['load']
    if re.match(r'(str|stp|st1|stur|vstr|vstm|vst1)$', name):
        return ['store']
    if not re.search(r'\b[vqd]\d', operands):
        return ['other']
    if re.match(r'(shl|sri|ushr|sli|vshl|vsri|vshr|vsli)$', name):
        return ['shift']
    if re.match(r'(rev64|rev32|ext|tbl|zip|uzp|trn|dup|ins|vext|vrev|vdup|vzip|vuzp|vtrn|vtbl|vswp)', name):
        return ['shuffle']
    if re.match(r'(mov|vmov)$', name):
        return ['move']
    return [{'sha256h': 'rnds2', 'sha256h2': 'rnds2', 'sha256su0': 'msg1', 'sha256su1': 'msg2'}.get(name, 'logic')]


def disassembly(objdump, binary):
    """All code: (function, address, instruction, operands)."""
    out = subprocess.run([objdump, '-d', '--no-show-raw-insn', binary], check=True, stdout=subprocess.PIPE, text=True).stdout
    code, function = [], None
    for line in out.splitlines():
        head = re.match(r'[0-9a-f]+ <(.*)>:$', line)
        found = re.match(r'\s*([0-9a-f]+):\s+(\S+)\s*([^#<;]*)', line)
        if head:
            function = head[1]
        elif found:
            code.append((function, int(found[1], 16), found[2], found[3].strip()))
    return code


def under_valgrind(command):
    """Executions by address, between entering and leaving kernel_calls()."""
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, 'kernel_calls')     # old valgrinds read no debug information of new compilers
        subprocess.run(['objcopy', '--strip-debug', command[0], stripped], check=True)
        subprocess.run(['valgrind', '-q', '--tool=callgrind', '--dump-instr=yes', '--compress-pos=no',
                        '--callgrind-out-file=' + folder + '/out', '--toggle-collect=kernel_calls', stripped] + command[1:],
                       check=True, stdout=subprocess.DEVNULL)
        counts, called = collections.Counter(), False
        with open(folder + '/out', encoding='ascii') as out:
            for line in out:
                cost = re.match(r'0x([0-9a-f]+) \S+ (\d+)', line)
                if cost and not called:
                    counts[int(cost[1], 16)] += int(cost[2])
                called = line.startswith('calls=')          # the next line is the callee's sum
    return counts


def stepped(command, address):
    """Executions by address of the function there, and of what it calls, one step at a time on this CPU (ptrace(2))."""
    TRACEME, PEEK, PEEKUSER, POKE, POKEUSER, CONTINUE, STEP = 0, 1, 3, 4, 6, 7, 9
    RIP, RSP = 8 * 16, 8 * 19       # in struct user_regs_struct
    BREAKPOINT = 0xcc
    libc = ctypes.CDLL(None)
    libc.ptrace.argtypes, libc.ptrace.restype = [ctypes.c_long] * 4, ctypes.c_long

    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        libc.ptrace(TRACEME, 0, 0, 0)
        os.execv(command[0], command)

    def go_on(how):
        libc.ptrace(how, child, 0, 0)
        return os.WIFSTOPPED(os.waitpid(child, 0)[1])

    os.waitpid(child, 0)            # the program is there, and has not begun
    old = libc.ptrace(PEEK, child, address, 0)
    libc.ptrace(POKE, child, address, old & ~0xff | BREAKPOINT)
    if not go_on(CONTINUE):
        sys.exit(f'ports.py: {" ".join(command)} ends before it comes to {address:x}')
    libc.ptrace(POKE, child, address, old)
    libc.ptrace(POKEUSER, child, RIP, address)
    counts, stack = collections.Counter(), libc.ptrace(PEEKUSER, child, RSP, 0)
    while libc.ptrace(PEEKUSER, child, RSP, 0) <= stack:        # it has not returned
        counts[libc.ptrace(PEEKUSER, child, RIP, 0)] += 1
        go_on(STEP)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return counts


def under_qemu(qemu, command):
    """The same of a whole run: the caller takes the difference of two."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(qemu + ['-singlestep', '-d', 'exec,nochain', '-D', folder + '/log'] + command, check=True,
                       stdout=subprocess.DEVNULL)
        with open(folder + '/log', encoding='ascii', errors='replace') as log:
            return collections.Counter(int(line.split('/')[1], 16) for line in log if line.startswith('Trace'))


def count(args, disassembled, algo, backend, form):
    """Instructions of each kind per hash, None when this machine cannot run that kernel."""
    command = [args.kernel_calls, algo, backend, form]
    lanes = subprocess.run(args.qemu + command + ['0'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if lanes.returncode != 0:
        return None
    hashes = int(lanes.stdout)
    kinds_of = arm_kinds if args.qemu else x86_kinds
    code = {address: (name, operands) for _, address, name, operands in disassembled}
    if backend == 'sha-ni':
        kernel = 'sha256d_candidates' + ('_versions' if form == 'versions' else '') + '_shani'
        executed = collections.Counter(address for function, address, _, _ in disassembled if function == kernel)
    elif args.qemu:
        executed = under_qemu(args.qemu, command + ['3'])
        executed.subtract(under_qemu(args.qemu, command + ['1']))
        hashes *= 2
    elif backend == 'avx512':
        calls = CALLS if form == 'versions' else 1      # every so many have a message schedule to make
        executed = stepped(command + [str(calls)], min(a for function, a, _, _ in disassembled if function == 'kernel_calls'))
        hashes *= calls
    else:
        executed = under_valgrind(command + [str(CALLS)])
        hashes *= CALLS
    per_hash = collections.Counter()
    for address, times in executed.items():
        if address in code:
            per_hash['instructions'] += times / hashes
            for kind in kinds_of(*code[address]):
                per_hash[kind] += times / hashes
    return per_hash


def floor(per_hash, ports):
    limits, width = ports
    return max([per_hash['instructions'] / width] + [sum(per_hash[k] for k in kinds) / rate for kinds, rate in limits])


def row(cells):
    return '| ' + ' | '.join(cells) + ' |'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('kernel_calls', help='the program, linked without -pie')
    parser.add_argument('--qemu', default='', help='how to run it when it is for ARM: "qemu-aarch64 -L ROOT"')
    parser.add_argument('--objdump', default='objdump', help='of its architecture')
    parser.add_argument('--backend', nargs='*', default=['sse2', 'avx2', 'avx512', 'sha-ni', 'neon', 'armv8-sha2'])
    args = parser.parse_args()
    args.qemu = args.qemu.split()
    disassembled = disassembly(args.objdump, args.kernel_calls)
    floors = [] if args.qemu else list(PORTS)

    print(row(['kernel', 'instructions', *KINDS, *('floor, ' + name for name in floors)]))
    print(row(['---'] + ['---:'] * (1 + len(KINDS) + len(floors))))
    found = False
    for algo, forms in FORMS.items():
        for backend in args.backend:
            for form, label in forms.items():
                per_hash = count(args, disassembled, algo, backend, form)
                if per_hash is None:
                    continue
                found = True
                ports = PORTS_512 if backend == 'avx512' else PORTS
                print(row([label.format(backend),
                           *(f'{per_hash[k]:,.0f}' for k in ('instructions', *KINDS)),
                           *(f'{floor(per_hash, ports[name]):,.0f}' if name in ports else '-' for name in floors)]), flush=True)
    if not found:
        sys.exit('ports.py: none of these kernels runs here')


if __name__ == '__main__':
    main()
