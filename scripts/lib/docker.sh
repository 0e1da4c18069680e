# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # work and log: once.sh sets them
#
# A Docker engine, and a base image where no registry can be reached. Needs common.sh, packages.sh and,
# for the image, once.sh.
#
#   docker_check               dies with the remedy when no engine answers, or one that is too old
#   docker_start               makes an engine answer: the one that runs, else (as root) one of our own, installed if it is
#                              missing and started by hand; exports DOCKER_HOST. It stays until docker_stop. Call that in
#                              the trap of EXIT; the engine also ends with this script, however that ends
#   docker_stop                ends the engine that docker_start has started, if it did
#   docker_base_image NAME     makes the image NAME, a Debian, with debootstrap (as root), unless the engine has it

# The API of Docker 20.10, the oldest engine that a distribution still supports.
DOCKER_API_LOWEST=1.41
DOCKER_ENGINE_PID='' DOCKER_ENGINE_FOLDER='' DOCKER_LOCK=''

# docker_answers: true when an engine does, within a minute.
docker_answers() {
    timeout 60 docker version --format '{{.Server.APIVersion}}' >/dev/null 2>&1
}

docker_check() {
    local answer version
    have docker || die 'Docker is not installed (no docker on the PATH)' \
        "install it with $(install_command docker.io) (Debian, Ubuntu), or see https://docs.docker.com/engine/install/"
    if ! answer=$(timeout 60 docker version --format '{{.Server.APIVersion}}' 2>&1); then
        die "no Docker engine answers${DOCKER_HOST:+ at DOCKER_HOST=$DOCKER_HOST}:" "$(tail -n 2 <<<"$answer")" \
            'start it (systemctl start docker), join the group docker, or set DOCKER_HOST'
    fi
    version=$(tail -n 1 <<<"$answer")
    if [[ $(printf '%s\n' "$DOCKER_API_LOWEST" "$version" | sort -V | head -n 1) != "$DOCKER_API_LOWEST" ]]; then
        die "the Docker engine is too old: it has API $version, but $DOCKER_API_LOWEST is needed" \
            'install Docker 20.10 or later'
    fi
}

docker_start() {
    local folder log n
    if have docker && docker_answers; then
        docker_check
        return
    fi
    ensure_packages docker.io || return 1
    # Perhaps only the client was missing.
    if docker_answers; then
        docker_check
        return
    fi
    ((EUID == 0)) || die 'no Docker engine answers, and only root can start one' 'start it, as root, with systemctl start docker'
    folder=$(cache_dir docker) || return 1
    log=$folder/log
    # Its data are for one engine at a time.
    exec {DOCKER_LOCK}>"$folder/.lock"
    if ! flock -n "$DOCKER_LOCK"; then
        say "waiting for another script, whose Docker engine uses the same folder, $folder"
        flock -w 3600 "$DOCKER_LOCK" || die "another script has used the Docker engine of $folder for an hour" \
            "end that script; fuser -v $folder/.lock shows its process"
    fi
    # The path of the socket must be short, and only root may access its folder.
    DOCKER_ENGINE_FOLDER=/run/rdma4j.docker.$(sha256sum <<<"$folder" | cut -c 1-8)
    docker_sweep # of one that was killed
    mkdir -m 700 -- "$DOCKER_ENGINE_FOLDER"
    # The engine also holds the lock: if this script is killed, it takes a moment to end. Containers get no network,
    # which leaves this machine's firewall unchanged; builds that need one use this machine's network.
    export DOCKER_HOST=unix://$DOCKER_ENGINE_FOLDER/docker.sock
    say "starting a Docker engine; its data is in $folder"
    setsid setpriv --pdeathsig TERM dockerd --host "$DOCKER_HOST" --data-root "$folder/data" --exec-root "$DOCKER_ENGINE_FOLDER/exec" \
        --pidfile "$DOCKER_ENGINE_FOLDER/pid" --iptables=false --bridge=none \
        </dev/null >"$log" 2>&1 &
    DOCKER_ENGINE_PID=$!
    for ((n = 0; n < 600; n++)); do
        docker_answers && return
        kill -0 "$DOCKER_ENGINE_PID" 2>/dev/null || break
        sleep 0.5
    done
    warn 'the Docker engine did not start within five minutes; the last lines of its log:'
    tail -n 20 -- "$log" | sed 's/^/    /' >&2
    docker_stop
    return 1
}

docker_stop() {
    local n
    [[ -n $DOCKER_ENGINE_PID ]] || return 0
    kill -TERM "$DOCKER_ENGINE_PID" 2>/dev/null || true
    for ((n = 0; n < 60; n++)); do
        kill -0 "$DOCKER_ENGINE_PID" 2>/dev/null || break
        sleep 0.5
    done
    kill -KILL "$DOCKER_ENGINE_PID" 2>/dev/null || true
    wait "$DOCKER_ENGINE_PID" 2>/dev/null || true
    DOCKER_ENGINE_PID=''
    docker_sweep
    exec {DOCKER_LOCK}>&-
    unset DOCKER_HOST
}

docker_sweep() {
    # The network of containers without a network stays mounted.
    umount -- "$DOCKER_ENGINE_FOLDER"/exec/netns/* 2>/dev/null || true
    rm -rf -- "$DOCKER_ENGINE_FOLDER" || warn "$DOCKER_ENGINE_FOLDER could not be removed"
}

# docker_space MIB WHAT: dies when the engine's disk has less, if the engine is this machine's.
docker_space() {
    local folder free
    folder=$(docker info --format '{{.DockerRootDir}}' 2>/dev/null) || return 0
    [[ -d $folder ]] || return 0
    free=$(room "$folder") || return 0
    ((free >= $1)) || die "$2 needs $1 MiB of disk space, but $folder has only $free MiB" \
        'make room, with: docker system prune, or move the data of the engine (dockerd --data-root)'
}

# debian_mirror CODENAME: prints the mirror from which this machine gets that release; nothing if there is none.
debian_mirror() {
    # shellcheck disable=SC2016 # fields of apt's, not the shell's variables
    apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' 'Component: main' 2>/dev/null |
        awk -v wanted="$1" '$1 == wanted { print $2; exit }'
}

docker_base_image() {
    local name=$1 codename=bookworm mirror
    if docker image inspect "$name" >/dev/null 2>&1; then
        return 0
    fi
    [[ $name =~ ^debian:(12|bookworm)(-slim)?$ ]] || die "only the base image debian:12 can be made here, not $name" 'leave out --base or --debootstrap'
    ensure_packages debootstrap || return 1
    ((EUID == 0)) || die 'only root can make a base image' 'run as root, or leave out --debootstrap to pull it from a registry'
    mirror=$(debian_mirror "$codename")
    make_debian "$codename" "$name" ${mirror:+"$mirror"}
}

# debootstrap ARGUMENT…: removes what an earlier attempt has left. debootstrap mounts the kernel's file systems in its
# folder while it runs.
debootstrap() {
    umount -- "$work"/tree/{proc,sys} 2>/dev/null || true
    rm -rf --one-file-system -- "$work/tree"
    command debootstrap "$@"
}

# make_debian CODENAME IMAGE [MIRROR]
make_debian() (
    cache=$(cache_dir debootstrap) || exit 1
    once_begin "$cache"
    say "making $2 with debootstrap"
    trap 'status=$?; umount -- "$work"/tree/{proc,sys} 2>/dev/null || true; once_end "$status"' EXIT
    if ! fetched debootstrap --variant=minbase "$1" "$work/tree" ${3:+"$3"} >"$work/log"; then
        warn 'debootstrap failed; the last lines of its output:'
        tail -n 10 -- "$work/log" | sed 's/^/    /' >&2
        exit 1
    fi
    # Removed as in the registries' image of that name.
    rm -rf -- "$work"/tree/usr/share/{doc,man,locale,info}/* "$work"/tree/var/cache/apt/* "$work"/tree/var/lib/apt/lists/* \
        "$work"/tree/var/log/* "$work/tree/var/cache/ldconfig/aux-cache"
    tar -C "$work/tree" --one-file-system --sort=name -c . | docker import - "$2" >/dev/null ||
        die "Docker could not import the image $2"
)
