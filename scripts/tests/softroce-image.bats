# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2154  # code for other shells in quotes; $stderr is set by `run`
#
# scripts/softroce image and scripts/lib/docker.sh without a Docker engine: a program plays docker. container-tests has the
# tests that need an engine.
#
# Nothing here needs a build:
# bats file_tags=no-build

bats_require_minimum_version 1.5.0

setup() {
    SOFTROCE=$BATS_TEST_DIRNAME/../softroce
    mkdir -p "$BATS_TEST_TMPDIR/bin"
    PATH=$BATS_TEST_TMPDIR/bin:$PATH
    unset DOCKER_HOST
}

# docker_is SCRIPT: what `docker` does.
docker_is() {
    printf '#!/bin/bash\n%s\n' "$1" >"$BATS_TEST_TMPDIR/bin/docker"
    chmod +x "$BATS_TEST_TMPDIR/bin/docker"
}

@test "no engine answers: what it said, and the remedy" {
    docker_is 'echo "Cannot connect to the Docker daemon at unix:///nowhere. Is it running?" >&2; exit 1'
    DOCKER_HOST=unix:///nowhere run -1 "$SOFTROCE" image
    [[ $output == *'no Docker engine answers at DOCKER_HOST=unix:///nowhere:'*'Cannot connect'*'systemctl start docker'* ]]
}

@test "an engine that is too old" {
    docker_is 'echo 1.38'
    run -1 "$SOFTROCE" image
    [[ $output == *'the Docker engine is too old: it has API 1.38, but 1.41 is needed'*'install Docker 20.10'* ]]
}

@test "an image that cannot be built: Docker's last lines, and what may help" {
    docker_is 'case $1 in
        version) echo 1.41 ;;
        info) echo /no/such/folder ;;
        build) cat >/dev/null; echo "pull access denied for debian"; exit 1 ;;
        esac'
    run -1 "$SOFTROCE" image
    [[ $output == *'pull access denied for debian'*'the image rdma4j/softroce:latest was not built'*'--debootstrap'*'docker system prune'* ]]
}

@test "no disk: refused before anything is made" {
    docker_is 'case $1 in version) echo 1.41 ;; info) echo / ;; esac'
    printf '#!/bin/sh\necho head; echo "fs 100 90 10 90%% /"\n' >"$BATS_TEST_TMPDIR/bin/df"
    chmod +x "$BATS_TEST_TMPDIR/bin/df"
    run -1 "$SOFTROCE" image
    [[ $output == *'building the image needs 2500 MiB of disk space, but / has only 10 MiB'*'docker system prune'* ]]
}

@test "an engine of ours ends with the script that has started it, also when that is killed" {
    ((EUID == 0))
    docker_is 'exit 1'
    for program in dpkg-query dockerd; do
        printf '#!/bin/sh\ncase $0 in *dockerd) exec sleep %s ;; *) echo "install ok installed" ;; esac\n' "30404.$$" >"$BATS_TEST_TMPDIR/bin/$program"
        chmod +x "$BATS_TEST_TMPDIR/bin/$program"
    done
    local signal pid n
    for signal in KILL INT; do
        # Ctrl-C, which a background job of this shell would ignore.
        RDMA4J_CACHE=$BATS_TEST_TMPDIR/cache setsid env --default-signal=INT bash -c 'set -euo pipefail
            for part in common packages docker; do source "$1/$part.sh"; done
            trap docker_stop EXIT
            docker_start' - "$BATS_TEST_DIRNAME/../lib" >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
        pid=$!
        # The limits are for one that never does; a busy machine may take long.
        for ((n = 0; n < 2400; n++)); do
            [[ -z $(pgrep -f "sleep 30404.$$") ]] || break
            sleep 0.05
        done
        [[ -n $(pgrep -f "sleep 30404.$$") ]]
        kill "-$signal" -- "-$pid"
        wait "$pid" || true
        for ((n = 0; n < 2400; n++)); do
            [[ -n $(pgrep -f "sleep 30404.$$") ]] || break
            sleep 0.05
        done
        [[ -z $(pgrep -f "sleep 30404.$$") ]]
    done
    [[ ! -e /run/rdma4j.docker.$(sha256sum <<<"$BATS_TEST_TMPDIR/cache/docker" | cut -c 1-8) ]]
}

@test "a base image is made in spite of a package server's hiccup, and nothing that it was made in is left" {
    ((EUID == 0))
    docker_is 'case "$1 $2" in "image inspect") exit 1 ;; "import -") cat >/dev/null ;; esac'
    printf '#!/bin/sh\necho install ok installed\n' >"$BATS_TEST_TMPDIR/bin/dpkg-query"
    # The second try finds nothing of the first.
    printf '#!/bin/sh\nmkdir -p "$3/var/cache" && mkdir "$3/proc" "$3/sys" "$3/var/cache/ldconfig" || exit 3\n%s\n' \
        'echo try >>"$BATS_TEST_TMPDIR/tries"; [ "$(grep -c try "$BATS_TEST_TMPDIR/tries")" = 2 ] || { echo "E: Connection reset"; exit 1; }' \
        >"$BATS_TEST_TMPDIR/bin/debootstrap"
    chmod +x "$BATS_TEST_TMPDIR"/bin/*
    RDMA4J_FETCH_PAUSES=0 RDMA4J_CACHE=$BATS_TEST_TMPDIR/cache run -0 bash -c 'set -euo pipefail
        for part in common packages once docker; do source "$1/$part.sh"; done
        docker_base_image debian:12-slim || exit 1' - "$BATS_TEST_DIRNAME/../lib"
    [[ $output == *'making debian:12-slim with debootstrap'*'debootstrap failed (E: Connection reset), trying again in 0 s' ]]
    [[ -z $(find "$BATS_TEST_TMPDIR/cache/debootstrap" -name '.new*') ]]
}

@test "the context is the same each time, and holds the scripts as they are and a Java that starts" {
    run -0 "$SOFTROCE" image --context "$BATS_TEST_TMPDIR/a"
    run -0 "$SOFTROCE" image --context "$BATS_TEST_TMPDIR/b"
    local first second
    first=$(tar -C "$BATS_TEST_TMPDIR/a" --sort=name -c . | sha256sum)
    second=$(tar -C "$BATS_TEST_TMPDIR/b" --sort=name -c . | sha256sum)
    [[ $first == "$second" ]]
    diff -r "$BATS_TEST_DIRNAME/../lib/softroce" "$BATS_TEST_TMPDIR/a/scripts/lib/softroce"
    # With all that it sources.
    run -0 "$BATS_TEST_TMPDIR/a/scripts/softroce" --help
    run -0 "$BATS_TEST_TMPDIR/a/jre/bin/java" -Xshare:on -version
    # Without a locale Java decodes names of files and arguments as ASCII.
    grep -qx 'ENV LANG=C.UTF-8 .*' "$BATS_TEST_TMPDIR/a/Dockerfile"
    run -1 "$SOFTROCE" image --context "$BATS_TEST_TMPDIR/a"
    [[ $output == *'must be an empty or a new folder'* ]]
}

@test "an aarch64 machine builds it, a machine of another architecture does not" {
    docker_is 'exit 1'
    local machine
    for machine in x86_64 aarch64 riscv64; do
        printf '#!/bin/sh\necho %s\n' "$machine" >"$BATS_TEST_TMPDIR/bin/uname"
        chmod +x "$BATS_TEST_TMPDIR/bin/uname"
        run -1 "$SOFTROCE" image
        case $machine in
            riscv64) [[ $output == *'the image exists for x86-64 and aarch64, but this machine is riscv64'* ]] ;;
            *) [[ $output == *'no Docker engine answers'* ]] ;;
        esac
    done
}

@test "bad options: status 2 and the reason" {
    run -2 "$SOFTROCE" image --nonsense
    [[ $output == *'unknown option --nonsense'* ]]
    run -2 "$SOFTROCE" image --tag
    [[ $output == *'--tag needs a value'* ]]
    run -0 "$SOFTROCE" image --help
    [[ $output == *'Usage:'* ]]
}
