# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Takes out of files what belongs to a person or to one machine only.
#
#   strip_personal HOST USER HOME FILE…   replaces, in place: the host's and the user's name, the home folder; UUIDs, serial and board numbers,
#                                         hardware addresses, GUIDs and GIDs of adapters, IPv4 and IPv6 addresses
#
# A name of fewer than three letters, root and localhost identify nobody, and would be found in other words.

strip_personal() {
    local host=$1 user=$2 home=$3 rules=()
    shift 3
    # Longer texts first: a home folder contains the user's name.
    if ((${#home} > 3)) && [[ $home != /root ]]; then rules+=(-e "s|$(quoted "$home")|<home>|g"); fi
    if ((${#host} > 2)) && [[ $host != localhost ]]; then rules+=(-e "s|\b$(quoted "$host")\b|<host>|g"); fi
    if [[ $host == *.* ]] && ((${#host} > 5)); then rules+=(-e "s|\b$(quoted "${host%%.*}")\b|<host>|g"); fi
    if ((${#user} > 2)) && [[ $user != root ]]; then rules+=(-e "s|\b$(quoted "$user")\b|<user>|g"); fi
    rules+=(
        -e 's/(GPU-|MIG-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/<uuid>/gI'
        -e 's/((serial( number)?|board id|board part number|gpu part number|chassis serial number|gpu pdi|host id|module id)"? *[:=] *).+/\1<removed>/I'
        -e 's/\b([0-9a-f]{4}:){7}[0-9a-f]{4}\b/<gid>/gI'
        -e 's/\b([0-9]{2,3}:){15}[0-9]{2,3}\b/<gid>/g' # as the tools print it
        -e 's/\b([0-9a-f]{4}:){3}[0-9a-f]{4}\b/<guid>/gI'
        -e 's/\b([0-9a-f]{2}:){5,19}[0-9a-f]{2}\b/<hardware address>/gI'
        -e 's/\b([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}\b/<address>/gI'
        -e 's/\b([0-9a-f]{1,4}:){1,6}(:[0-9a-f]{1,4}){1,6}\b/<address>/gI'
        # Not the version of a library, such as libibverbs.so.1.14.50.0.
        -e 's/(\.so\.)(([0-9]+\.){3}[0-9]+)\b/\1<version \2>/g; s/(<version [0-9]+\.[0-9]+)\.([0-9]+\.[0-9]+>)/\1 \2/g'
        -e 's/\b(([1-9]?[0-9]|1[0-9]{2}|2[0-5][0-9])\.){3}([1-9]?[0-9]|1[0-9]{2}|2[0-5][0-9])\b/<address>/g'
        -e 's/<version ([0-9]+\.[0-9]+) ([0-9]+\.[0-9]+)>/\1.\2/g'
    )
    local file programs
    for file; do
        programs=()
        # The programs of a page are ours; a browser would not run them if a word were replaced.
        if [[ $file == *.html ]]; then programs=(-e '/^<script>.*<\/script>$/b' -e '/^<script>/,/<\/script>$/b'); fi
        sed -i -E ${programs[@]+"${programs[@]}"} "${rules[@]}" -- "$file"
    done
}

# TEXT as a pattern of sed -E that matches only itself.
quoted() {
    printf '%s' "$1" | sed 's/[][\\.*^$+?(){}|]/\\&/g'
}
