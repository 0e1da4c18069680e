# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # variables for the files that source this one
#
# softroce --machines N: several machines on one private wire, and the same command in each. Needs common.sh and vm.sh.
#
# Each machine is a child of this script: the script itself, called again with the same arguments and SOFTROCE_MACHINE in its
# environment, with its own machine, pumps, signals and time limit (vm.sh). This file is what goes on between them: the wires, the
# start and the end that all have in common, the prefixes of their output.
#
#   machines_wires ARGUMENT…   makes the wires and becomes this script again, with the same arguments
#   machines_run ARGUMENT…     runs the children, and sets VM_STATUS to the status of the first that failed, else to 0
#   machine_begin              in a child: sets MACHINE to its number, and what the command finds in its environment
#   machine_wire               adds this machine's ends of the wires to VM_COMMAND
#   machine_launched           closes them here: what only a dead machine has open refuses what is sent
#   machine_ready              waits until all machines are up; status 1 if this one is to stop
#   machine_ended STATUS       waits until all commands have ended, because the others may still need this machine's kernel
#
# A wire is a pair of connected sockets without a name; each datagram is a frame. No other process can reach it, and
# neither QEMU nor User-Mode Linux needs a privilege for it. Each pair of machines has its own wire, so that no machine
# reaches another through one that may die. With more than two machines, the guest joins its ends into one interface
# (guest-main).
#
# A child writes "ready K" and "ended K STATUS" to the pipe $MACHINE_TELL. It receives a byte on the pipe $MACHINE_GO
# when its command may start, and another one when its machine may end.

MACHINE='' MACHINE_TELL='' MACHINE_GO='' MACHINE_NET=10.99.0

# A shell cannot create a pair of sockets; every Debian has Perl.
machines_wires() {
    have perl || die "--machines needs the package perl-base, which is not installed" "install it with: $(install_command perl-base)"
    # shellcheck disable=SC2016 # Perl
    exec perl -MSocket -e '
        my $machines = shift;
        $^F = 1023; # they outlive exec
        for my $one (1 .. $machines - 1) {
            for my $two ($one + 1 .. $machines) {
                socketpair(my $a, my $b, AF_UNIX, SOCK_DGRAM, PF_UNSPEC) or die "softroce: no pair of sockets: $!\n";
                push @kept, $a, $b;
                push @wires, join ":", $one, $two, fileno $a, fileno $b;
            }
        }
        $ENV{SOFTROCE_WIRES} = "@wires";
        exec @ARGV or die "softroce: $ARGV[0]: $!\n";' "$MACHINES" "$RDMA4J_ROOT/scripts/softroce" "$@"
}

# machine_ends [K]: prints a line for each end of a wire: the machine, the machine at the other end, the descriptor;
# with K, only the ends of machine K.
machine_ends() {
    local wire one two a b
    for wire in $SOFTROCE_WIRES; do
        IFS=: read -r one two a b <<<"$wire"
        [[ -n ${1:-} && $1 != "$one" ]] || printf '%d %d %d\n' "$one" "$two" "$a"
        [[ -n ${1:-} && $1 != "$two" ]] || printf '%d %d %d\n' "$two" "$one" "$b"
    done
}

# machine_close < ENDS: closes them here.
machine_close() {
    local descriptor
    while read -r _ _ descriptor; do
        exec {descriptor}>&-
    done
}

machine_begin() {
    local n
    read -r MACHINE MACHINE_TELL MACHINE_GO <<<"$SOFTROCE_MACHINE"
    machine_close < <(machine_ends | grep -v "^$MACHINE ")
    RDMA4J_QUIET=1
    [[ -z $DUMP ]] || DUMP+=.$MACHINE
    export RDMA4J_MACHINE=$MACHINE RDMA4J_MACHINES=$MACHINES
    for ((n = 1; n <= MACHINES; n++)); do
        export "RDMA4J_ADDRESS_$n=$MACHINE_NET.$n"
    done
}

machine_wire() {
    [[ -n $MACHINE ]] || return 0
    local machine other descriptor n=0 mac
    while read -r machine other descriptor; do
        mac=$(printf '52:54:00:99:%02x:%02x' "$machine" "$other")
        if [[ $ACCEL == uml ]]; then
            VM_COMMAND+=("vec$n:transport=fd,fd=$descriptor,mac=$mac,mtu=${WIRE_MTU:-4200}")
        else
            VM_COMMAND+=(-netdev "socket,id=wire$n,fd=$descriptor" -device "virtio-net-pci,netdev=wire$n,mac=$mac,romfile=")
        fi
        n=$((n + 1))
    done < <(machine_ends "$MACHINE")
}

machine_launched() {
    [[ -z $MACHINE ]] || machine_close < <(machine_ends "$MACHINE")
}

machine_ready() {
    [[ -n $MACHINE ]] || return 0
    local booted=$SECONDS
    # Repeated until it is answered. The others may take as long to start as this machine may.
    until printf 'ready %d\n' "$MACHINE" >&"$MACHINE_TELL" && machine_may_go; do
        [[ $VM_STATE == booting ]] && kill -0 "$VM_PID" 2>/dev/null && ((SECONDS - booted < BOOT_TIMEOUT)) || return 1
    done
}

machine_ended() {
    [[ -n $MACHINE ]] || return 0
    # The machine stays available for the others, at most as long as their commands may run.
    until printf 'ended %d %d\n' "$MACHINE" "$1" >&"$MACHINE_TELL" && machine_may_go; do
        [[ $VM_STATE == running ]] && ((TIMEOUT == 0 || SECONDS < VM_STOP_AT + 15)) || return 0
    done
}

# A read whose timeout passes when it has read the byte reports that there was none.
machine_may_go() {
    local byte=''
    read -r -N 1 -t 0.5 byte <&"$MACHINE_GO" || [[ -n $byte ]]
}

# Prints a machine's output line by line, with its number before each line.
machines_prefix() {
    trap '' INT TERM HUP QUIT
    exec sed -u "s/^/[$1] /"
}

# machines_say WORD: sends a byte to each machine.
machines_say() {
    local n
    for ((n = 1; n <= MACHINES; n++)); do printf . >&"${MACHINES_GO[n]}"; done
}

machines_signal() {
    local n
    for n in "${!MACHINES_PID[@]}"; do kill "-$1" "${MACHINES_PID[n]}" 2>/dev/null || true; done
}

# machines_failed MACHINE STATUS: the first failure is the status of all, and ends all, unless --keep-going is given.
machines_failed() {
    (($2 != 0 && VM_STATUS == 0)) || return 0
    VM_STATUS=$2
    say "machine $1 ended with status $2"
    [[ -n $KEEP_GOING && -n $started ]] || machines_signal TERM
}

machines_run() {
    local n go out err prefixes=() started='' released='' LINE word machine status
    declare -ga MACHINES_PID=() MACHINES_GO=()
    local -a is_ready=() has_ended=()
    VM_STATUS=0
    exec {MACHINES_TELL}<> <(:)
    trap 'machines_signal INT' INT
    trap 'machines_signal TERM' TERM
    trap 'machines_signal HUP' HUP
    for ((n = 1; n <= MACHINES; n++)); do
        exec {go}<> <(:) {out}<> <(:) {err}<> <(:)
        MACHINES_GO[n]=$go
        machines_prefix "$n" <"/proc/self/fd/$out" {out}>&- {err}>&- &
        prefixes+=("$!")
        machines_prefix "$n" <"/proc/self/fd/$err" >&2 {out}>&- {err}>&- &
        prefixes+=("$!")
        # A terminal's Ctrl-C arrives once, from here. A background job of a shell would ignore it.
        SOFTROCE_MACHINE="$n $MACHINES_TELL $go" setsid env --default-signal=INT,QUIT setpriv --pdeathsig KILL \
            "$RDMA4J_ROOT/scripts/softroce" "$@" </dev/null >&"$out" 2>&"$err" {out}>&- {err}>&- &
        MACHINES_PID[n]=$!
        exec {out}>&- {err}>&-
    done
    machine_close < <(machine_ends)
    while ((${#MACHINES_PID[@]} > 0)); do
        if whole_line 0.3 "$MACHINES_TELL"; then
            read -r word machine status <<<"$LINE"
            case $word in
                ready)
                    is_ready[machine]=1
                    [[ -n $started ]] || ((${#is_ready[@]} < MACHINES)) || { started=1 && machines_say; }
                    ;;
                ended)
                    has_ended[machine]=1
                    machines_failed "$machine" "$status"
                    ;;
            esac
        fi
        for n in "${!MACHINES_PID[@]}"; do
            ! kill -0 "${MACHINES_PID[n]}" 2>/dev/null || continue
            status=0
            wait "${MACHINES_PID[n]}" || status=$?
            unset "MACHINES_PID[n]"
            has_ended[n]=1
            machines_failed "$n" "$status"
        done
        if [[ -z $released ]] && ((${#has_ended[@]} == MACHINES)); then
            released=1
            machines_say
        fi
    done
    wait "${prefixes[@]}" || true
    trap - INT TERM HUP
}
