# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Starts the microVM and carries one command's input, output, signals and exit status. Needs common.sh, request.sh, a
# kernel and an initrd; of several machines on one wire, this is one (machines.sh). guest-main describes the ports and their protocol.
#
#   vm_probe ACCEL              true when a guest of this kernel really starts with that accelerator
#   vm_run ACCEL COMMAND ARG…   runs the command; sets VM_STATUS to its exit status
#
# The machine is QEMU, or User-Mode Linux (uml.sh), whose ports are serial lines.
# No temporary files: everything travels through pipes. A pipe with both ends in this shell is `exec {p}<> <(:)`; a
# process that must see its end closed opens /proc/self/fd/$p again, for reading only.
# Machine and pumps are in a session of their own (Ctrl-C is this script's business) and die with this script, however
# it dies (setpriv --pdeathsig).

# vm_machine ACCEL: prints the part of QEMU's command line that describes the machine, for the architecture $ARCH.
vm_machine() {
    local accel=$1
    local machine=$ARCH_MACHINE kernel_arguments=("${ARCH_KERNEL_ARGUMENTS[@]}" quiet panic=-1 mitigations=off nokaslr
        random.trust_cpu=on nowatchdog audit=0 cryptomgr.notests ${NO_IPV6:+ipv6.disable=1})
    VM_PORTS=()
    if [[ $accel == uml ]]; then
        uml_launch_line
        VM_COMMAND+=("mem=${MEMORY}M" "initrd=$INITRD" con=null "con0=null,fd:1" ssl=null stderr=1 quiet loglevel=1 panic=-1 ${NO_IPV6:+ipv6.disable=1})
        return
    fi
    [[ $accel != kvm ]] || machine=$ARCH_KVM_MACHINE
    VM_COMMAND=("$ARCH_QEMU" -no-user-config -nodefaults -display none -no-reboot -machine "$machine")
    case $accel in
        kvm) VM_COMMAND+=(-accel kvm -cpu host -smp "$CPUS") ;;
        icount) # it keeps the processor that its figures were counted with
            VM_COMMAND+=(-accel 'tcg,thread=single' -cpu max -smp 1 -icount shift=0)
            if [[ -n $COUNT ]]; then
                VM_COMMAND+=(-plugin "file=${COUNT_PLUGIN//,/,,},out=${COUNT//,/,,}")
                kernel_arguments+=(norandmaps) # a block is known by its address, in the next process, too
            else
                # While the guest is idle, its clock follows this machine's clock, so each sleep is as late as a loaded
                # machine makes it, by milliseconds. Not if instructions are counted: the count would include
                # instructions of waiting.
                kernel_arguments+=(idle=poll)
            fi
            ;;
        tcg)
            VM_COMMAND+=(-accel 'tcg,thread=multi,tb-size=512' -cpu "$ARCH_CPU" -smp "$CPUS")
            # Debian's kernel clears memory when it allocates it, and calls its security modules at each system call
            # that opens something. The guest needs neither.
            kernel_arguments+=(init_on_alloc=0 lsm=)
            # The kernel patches its own code while it starts, and a second CPU can see half of a patch, as with a JVM's
            # code: then it panics ("Oops: int3") or hangs. So the other CPUs start when everything is loaded
            # (guest-main).
            kernel_arguments+=(maxcpus=1)
            ;;
    esac
    VM_COMMAND+=(-m "$MEMORY" -kernel "$KERNEL_DIR/vmlinux" -initrd "$INITRD"
        -append "${kernel_arguments[*]}${VM_KERNEL_ARGUMENTS:+ $VM_KERNEL_ARGUMENTS}"
        -device virtio-serial-pci)
    [[ $DEVICE != pvrdma ]] || pvrdma_machine
}

# vm_port NUMBER in|out PIPE: the guest's port NUMBER (guest-main), which the machine reads from that pipe, or writes to it. An input
# pipe is opened when it starts, and closed when the pipe has no other end.
vm_port() {
    local kind=file
    if [[ $ACCEL == uml ]]; then
        VM_PORTS+=("$*")
        return
    fi
    [[ $2 == out ]] || kind=pipe
    VM_COMMAND+=(-chardev "$kind,path=/proc/self/fd/$3,id=c$1" -device "virtserialport,nr=$1,chardev=c$1")
}

# The same, and the machine's standard input is the pipe.
vm_input_port() {
    if [[ $ACCEL == uml ]]; then
        vm_port "$1" in "$VM_INPUT"
    else
        VM_COMMAND+=(-chardev "stdio,signal=off,id=c$1" -device "virtserialport,nr=$1,chardev=c$1")
    fi
}

# vm_share TAG FOLDER OPTIONS: a folder of the host (a comma in QEMU's options is doubled).
vm_share() {
    [[ $ACCEL != uml ]] || return 0 # it sees all (guest-main)
    VM_COMMAND+=(-fsdev "local,id=$1,path=${2//,/,,},security_model=none,multidevs=remap$3"
        -device "virtio-9p-pci,fsdev=$1,mount_tag=$1")
}

# vm_launch: starts the machine, with the console and its own messages going to the pipe $VM_CONSOLE, and sets VM_PID.
# Its standard input is the pipe $VM_INPUT, or empty.
vm_launch() {
    exec {VM_CONSOLE}<> <(:)
    if [[ $ACCEL == uml ]]; then
        vm_launch_uml &
        VM_PID=$!
        [[ -n $UML_NAMESPACE ]] || uml_reaper "$BASHPID" "$VM_PID" &
        return
    fi
    VM_COMMAND+=(-chardev "file,id=console,path=/proc/self/fd/$VM_CONSOLE" -serial chardev:console)
    if [[ -n ${VM_INPUT:-} ]]; then
        setsid setpriv --pdeathsig KILL "${VM_COMMAND[@]}" \
            <"/proc/self/fd/$VM_INPUT" >/dev/null 2>&"$VM_CONSOLE" {VM_INPUT}>&- &
    else
        setsid setpriv --pdeathsig KILL "${VM_COMMAND[@]}" </dev/null >/dev/null 2>&"$VM_CONSOLE" &
    fi
    VM_PID=$!
}

# The lines of User-Mode Linux are descriptors. It changes their modes, so each is opened again.
vm_launch_uml() {
    local port number way pipe descriptor
    for port in "${VM_PORTS[@]}"; do
        read -r number way pipe <<<"$port"
        if [[ $way == in ]]; then
            exec {descriptor}<"/proc/self/fd/$pipe"
            VM_COMMAND+=("ssl$number=fd:$descriptor,null")
        else
            exec {descriptor}>"/proc/self/fd/$pipe"
            VM_COMMAND+=("ssl$number=null,fd:$descriptor")
        fi
    done
    exec setsid setpriv --pdeathsig KILL "${VM_COMMAND[@]}" </dev/null >&"$VM_CONSOLE" 2>&1
}

# vm_end: kills the machine at once; its file systems have been synchronised, or cannot be trusted anyway.
vm_end() {
    [[ -n ${VM_PID:-} ]] || return 0
    kill -KILL "$VM_PID" 2>/dev/null || true
    # User-Mode Linux is more than one process, where it could not have a namespace of its own.
    [[ $ACCEL != uml ]] || kill -KILL -- "-$VM_PID" 2>/dev/null || true
    wait "$VM_PID" 2>/dev/null || true
    VM_PID=''
}

vm_console() {
    local text=''
    # No other process has read the pipe, so it contains everything that was written.
    IFS= read -r -d '' -t 0.2 text <&"$VM_CONSOLE" || true
    # Leaves out entries that User-Mode Linux finds on the stack and is not sure of: dozens of lines after the reason of
    # a panic.
    printf '%s\n' "$text" | tr -d '\r' | sed '/^ \[<[0-9a-f]*>\] ? /d' | tail -n 30 | sed 's/^/    /' >&2
}

vm_probe() {
    # shellcheck disable=SC2034  # of whole_line: the next machine says nothing of this one's
    local reply LINE='' LINE_BEGUN=''
    exec {reply}<> <(:)
    VM_KERNEL_ARGUMENTS=softroce.probe
    vm_machine "$1"
    VM_KERNEL_ARGUMENTS=''
    vm_port 2 out "$reply"
    vm_launch
    local deadline=$((SECONDS + VM_PROBE_LIMIT))
    while ((SECONDS < deadline)) && kill -0 "$VM_PID" 2>/dev/null; do
        ! whole_line 0.5 "$reply" || [[ $LINE != hello ]] || break
    done
    vm_end
    exec {reply}>&- {VM_CONSOLE}>&-
    [[ $LINE == hello ]]
}

VM_PROBE_LIMIT=8

# vm_pump [PREFIX…]: copies standard input to output, and survives signals to this script's process group. It uses dd,
# because dd uses read(2) in every implementation, so that /proc shows how many bytes it has read.
vm_pump() {
    trap '' INT TERM HUP QUIT TTIN TTOU
    exec "$@" dd bs=65536 status=none 2>/dev/null
}

# vm_frames: the same to a line of User-Mode Linux, which has no end: pieces behind their lengths, and at the end a 0. The pipe
# between holds a piece.
vm_frames() {
    local piece copied bytes=1
    trap '' INT TERM HUP QUIT TTIN TTOU
    exec {piece}<> <(:)
    while ((bytes > 0)); do
        copied=$(LC_ALL=C exec setpriv --pdeathsig KILL dd bs=32768 count=1 of="/proc/self/fd/$piece" 2>&1) || copied=0
        [[ $copied =~ ([0-9]+)\ bytes ]] && bytes=${BASH_REMATCH[1]} || bytes=0
        printf '%d\n' "$bytes" && head -c "$bytes" <&"$piece" || return
    done 2>/dev/null
}

# Bytes that the pump with process id $1 has read; empty when that cannot be known.
vm_pumped() {
    sed -n 's/^rchar: //p' "/proc/$1/io" 2>/dev/null || true
}

vm_run() {
    local accel=$1 stdin request out err
    shift
    exec {request}<> <(:) {VM_REPLY}<> <(:) {VM_INPUT}<> <(:) {out}<> <(:) {err}<> <(:)
    { exec {stdin}<&0; } 2>/dev/null || exec {stdin}</dev/null

    exec {VM_DUMP}<> <(:)
    vm_machine "$accel"
    # For scripts/softroce on.
    [[ -z $MACHINE ]] || VM_COMMAND=(env "SOFTROCE_ON=$MACHINE $BASHPID $request $VM_DUMP${ARCH_FOREIGN:+ $ARM64_JDK}" "${VM_COMMAND[@]}")
    machine_wire
    vm_port 1 in "$request"
    vm_port 2 out "$VM_REPLY"
    vm_input_port 3
    vm_port 4 out "$out"
    vm_port 5 out "$err"
    vm_port 6 out "$VM_DUMP"
    if [[ -n $ARCH_FOREIGN ]]; then
        vm_share root "$ARM64_ROOT" ,readonly=on
        vm_share host / ,readonly=on
    else
        vm_share root / ,readonly=on
    fi
    local tag=0 folder
    for folder in "${WRITABLE[@]}"; do
        vm_share "share$tag" "$folder" ''
        tag=$((tag + 1))
    done
    vm_launch
    machine_launched
    if [[ -n $VERBOSE ]]; then
        vm_pump <"/proc/self/fd/$VM_CONSOLE" >&2 {VM_CONSOLE}>&- {VM_INPUT}>&- {request}>&- {out}>&- {err}>&- &
    fi
    trap vm_end EXIT
    trap 'vm_signal INT 2' INT
    trap 'vm_signal TERM 15' TERM
    trap 'vm_signal HUP 1' HUP

    # This pump ends only if its input ends.
    exec {VM_LINES}<> <(:)
    vm_input_pump <&"$stdin" >"/proc/self/fd/$VM_INPUT" {VM_INPUT}>&- {request}>&- {out}>&- {err}>&- &
    VM_STDIN_PUMP=$!
    vm_pump <"/proc/self/fd/$out" {out}>&- {err}>&- {VM_INPUT}>&- &
    VM_STDOUT_PUMP=$!
    vm_pump <"/proc/self/fd/$err" >&2 {out}>&- {err}>&- {VM_INPUT}>&- &
    VM_STDERR_PUMP=$!
    exec {VM_INPUT}>&- {out}>&- {err}>&- {stdin}<&-
    VM_REQUEST=$request
    # In the background, because a long one waits for the guest to read.
    vm_when_open request_text "$accel" "$@" >&"$request" &

    vm_wait
    # It ends with its input, long before a long command ends, and another process may have its number by then.
    [[ $'\n'$(jobs -pr)$'\n' != *$'\n'$VM_STDIN_PUMP$'\n'* ]] || kill -KILL "$VM_STDIN_PUMP" 2>/dev/null || true
    vm_end
    wait "$VM_STDOUT_PUMP" "$VM_STDERR_PUMP" "$VM_STDIN_PUMP" 2>/dev/null || true
    trap - EXIT INT TERM HUP
}

vm_input_pump() {
    if [[ $ACCEL == uml ]]; then
        vm_when_open vm_frames
        # The kernel of a guest held an end back until more data arrived, or lost it (seen once): it is repeated until
        # the machine ends.
        local never
        exec {never}<> <(:)
        while printf '0\n'; do read -r -t 1 <&"$never" || true; done 2>/dev/null
    else
        vm_pump setpriv --pdeathsig KILL
    fi
}

# vm_when_open COMMAND…: runs COMMAND once the machine's ports can be written to, in a separate process.
vm_when_open() {
    if [[ $ACCEL == uml ]]; then
        until read -r -t 1 <&"$VM_LINES"; do
            kill -0 "$VM_PID" 2>/dev/null || return 0
        done
    fi
    "$@"
}

# Handles a signal for the command: the first is passed on and gives it ten seconds; the second ends the machine.
vm_signal() {
    VM_SIGNAL=$2
    if [[ $VM_STATE == running && -z ${VM_KILL_AT:-} ]]; then
        printf '%s\n' "$1" >&"$VM_REQUEST"
        VM_KILL_AT=$((SECONDS + 10))
    else
        VM_STATE=stopped
    fi
}

# Follows the machine until the command has ended and its output has arrived.
vm_wait() {
    local LINE word='' status output error booted=$SECONDS base_output base_error
    VM_STATE=booting VM_STATUS=''
    while [[ $VM_STATE != stopped ]]; do
        if whole_line 0.5 "$VM_REPLY"; then
            read -r word status output error <<<"$LINE"
            case $word in
                hello) vm_mark 'kernel started' ;;
                # Two processes wait, and each may lose a line to a timeout; remaining lines are never read.
                lines) printf '\n\n\n\n' >&"$VM_LINES" ;;
                ready)
                    # It is repeated until it is answered.
                    if [[ $VM_STATE == booting ]] && machine_ready; then
                        vm_mark 'command starts'
                        VM_STATE=running
                        VM_STOP_AT=$((SECONDS + TIMEOUT))
                        base_output=$(vm_pumped "$VM_STDOUT_PUMP")
                        base_error=$(vm_pumped "$VM_STDERR_PUMP")
                        printf 'GO\n' >&"$VM_REQUEST"
                    fi
                    ;;
                failed) vm_broken "the guest reports: ${LINE#failed }" ;;
                exit)
                    vm_mark 'command ended'
                    VM_STATUS=${VM_STATUS:-$status}
                    vm_drain "$VM_STDOUT_PUMP" "$base_output" "$output"
                    vm_drain "$VM_STDERR_PUMP" "$base_error" "$error"
                    machine_ended "$VM_STATUS"
                    return
                    ;;
            esac
        elif ! kill -0 "$VM_PID" 2>/dev/null; then
            vm_broken 'the microVM ended unexpectedly'
        fi
        if [[ $VM_STATE == booting ]]; then
            ((SECONDS - booted < BOOT_TIMEOUT)) || {
                warn "the guest's last message: ${word:-none}"
                vm_broken "the microVM did not start within $BOOT_TIMEOUT s"
            }
        elif [[ $VM_STATE == running ]]; then
            vm_watch
        fi
    done
    VM_STATUS=${VM_STATUS:-$((128 + VM_SIGNAL))}
}

# Monitors the command: the time limit, a command that ignores its signal, and a reader that has gone.
vm_watch() {
    if [[ -z ${VM_KILL_AT:-} ]] && ((TIMEOUT > 0 && SECONDS >= VM_STOP_AT)); then
        warn "the time limit of $TIMEOUT s is over; ending the command"
        VM_STATUS=124
        if [[ -n $DUMP ]]; then vm_dump; fi
        printf 'TERM\n' >&"$VM_REQUEST"
        VM_KILL_AT=$((SECONDS + 10))
    fi
    if [[ -n ${VM_KILL_AT:-} ]] && ((SECONDS >= VM_KILL_AT)); then
        VM_STATE=stopped
    fi
    if [[ -n $VM_STDOUT_PUMP ]] && ! kill -0 "$VM_STDOUT_PUMP" 2>/dev/null; then
        VM_STDOUT_PUMP=''
        printf 'CLOSE-1\n' >&"$VM_REQUEST"
    fi
    if [[ -n $VM_STDERR_PUMP ]] && ! kill -0 "$VM_STDERR_PUMP" 2>/dev/null; then
        VM_STDERR_PUMP=''
        printf 'CLOSE-2\n' >&"$VM_REQUEST"
    fi
}

# Makes the guest write what it is doing to the file $DUMP, and its JVMs to their output. A kernel that hangs does not
# answer: then the file contains the end of its console, and says so.
vm_dump() {
    local dumped='' until=$((SECONDS + 30)) pump
    vm_pump <"/proc/self/fd/$VM_DUMP" >"$DUMP" {VM_DUMP}>&- &
    pump=$!
    printf 'DUMP\n' >&"$VM_REQUEST"
    while [[ -z $dumped ]] && ((SECONDS < until)) && kill -0 "$VM_PID" 2>/dev/null; do
        whole_line 0.5 "$VM_REPLY" || continue
        case $LINE in
            dumped) dumped=1 ;;
            # The command has ended just now.
            exit*)
                VM_STATE=stopped
                break
                ;;
        esac
    done
    sleep 1 # the pump and the JVMs' output
    kill -KILL "$pump" 2>/dev/null || true
    [[ -n $dumped ]] || {
        printf '\nthe guest did not answer within 30 s; its console:\n'
        vm_console 2>&1
    } >>"$DUMP"
    warn "the state of the machine is in $DUMP"
}

# vm_drain PUMP BASE BYTES: QEMU may still hold output for a reader that is slow; waits until the pump has taken BYTES
# since it had read BASE, or has waited for more in vain for two seconds. User-Mode Linux has written all to the pipe, which
# outlives it, before it reports the end (guest-main).
vm_drain() {
    local pump=$1 base=$2 bytes=$3 now idle=0
    [[ $ACCEL != uml ]] || return 0
    while [[ $VM_STATE != stopped && -n $pump ]] && kill -0 "$pump" 2>/dev/null; do
        now=$(vm_pumped "$pump")
        if [[ -z $now || -z $bytes ]]; then
            sleep 0.3 # a kernel that does not count: leave it at a good chance
            return
        fi
        ((now - base < bytes && idle < 100)) || return 0
        # It is inside read(2), so its own reader does not block the pump.
        if [[ $(cut -d ' ' -f 1 "/proc/$pump/syscall" 2>/dev/null) == "$HOST_READ" ]]; then
            idle=$((idle + 1))
        else
            idle=0
        fi
        vm_watch
        sleep 0.02
    done
}

vm_broken() {
    warn "$1; the last lines of its console:"
    vm_console
    exit 125
}

vm_mark() {
    [[ -n $VERBOSE ]] || return 0
    if [[ -z $STARTED ]]; then
        warn "$1 after $SECONDS s"
        return
    fi
    local now=${EPOCHREALTIME/[.,]/}
    warn "$1 after $(((now - STARTED) / 1000)) ms"
}
