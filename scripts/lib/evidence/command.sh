# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What scripts/gpu-evidence and scripts/adapter-evidence do: pack a folder, and run it or leave it there. Needs common.sh, jdk.sh,
# packages.sh, setup.sh, pack-folder.sh, options.sh and of a kind, beside what options.sh needs, kind_build, which builds and sets JDK,
# and kind_pack FOLDER, which fills the folder.
#
#   evidence_command ARG…

readonly LIMIT_MIB=64

command_usage() {
    usage "scripts/$NAME [--no-build] [--pack DIR]"
    cat <<TEXT

From a checkout only:
  --pack DIR      runs nothing, and makes the folder for $TARGET without a network, and DIR.tar.gz of it; run $NAME in it there
  --no-build      takes what is compiled already
TEXT
}

evidence_command() {
    local pack='' no_build='' options=() folder mebibytes
    while (($# > 0)); do
        case $1 in
            --pack)
                pack=${2:-} pack=${pack%/}
                [[ -n $pack ]] || die -2 '--pack needs a folder' "see scripts/$NAME --help"
                shift
                ;;
            --no-build) no_build=1 ;;
            --help | -h)
                command_usage
                exit 0
                ;;
            *)
                evidence_option "$@"
                options+=("${@:1:taken}")
                shift $((taken - 1))
                ;;
        esac
        shift
    done
    [[ -z $pack || ${#options[@]} == 0 ]] || die -2 "--pack runs nothing: not with ${options[0]}" "give $NAME that option there"
    [[ -z $pack ]] || pack_refuse "$pack"

    if [[ -z $no_build ]]; then kind_build; else JDK=$(find_jdk 25) || exit 1; fi

    folder=${pack:-$RDMA4J_ROOT/target/$NAME}
    pack_begin "$folder"
    mkdir -- "$folder/evidence"
    kind_pack "$folder"
    cp -- "$RDMA4J_ROOT/scripts/lib/evidence/run" "$folder/$NAME"
    cp -r -- "$RDMA4J_ROOT"/scripts/lib/{locale,evidence/{options,report,privacy}}.sh "$RDMA4J_ROOT/scripts/lib/$NAME"/{kind.sh,steps} \
        "$folder/evidence/"
    {
        sed -n 's|^    <version>\(.*\)</version>$|\1|p' "$RDMA4J_ROOT/pom.xml" | head -n 1
        git -C "$RDMA4J_ROOT" rev-parse HEAD 2>/dev/null || echo unknown
    } >"$folder/evidence/version"

    if [[ -n $pack ]]; then
        pack_jdk "$folder"
        mebibytes=$(pack_archive "$folder")
        pack_end
        say "packed: $mebibytes MiB; copy $pack.tar.gz to $TARGET, and there: tar xzf ${pack##*/}.tar.gz, and run $NAME in ${pack##*/}"
        ((mebibytes < LIMIT_MIB)) || say "to split it: split -b ${LIMIT_MIB}m $pack.tar.gz pack. ; there: cat pack.* | tar xz"
    else
        pack_end
        RDMA4J_EVIDENCE_JAVA_HOME=$JDK exec "$folder/$NAME" ${options[@]+"${options[@]}"}
    fi
}
