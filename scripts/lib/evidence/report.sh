# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# evidence.json and evidence.md. Reads TITLE, OUT, VERSION, COMMIT, DATE, MACHINE, REHEARSAL and, one element per step that was asked for,
# NUMBERS, NAMES, STATES, SECONDS_TAKEN, REASONS and FILES.

# TEXT as a JSON string. Control characters but tab become spaces: reasons are one line.
json_string() {
    local text=$1
    text=${text//\\/\\\\}
    text=${text//\"/\\\"}
    text=${text//$'\t'/\\t}
    printf '"%s"' "${text//[[:cntrl:]]/ }"
}

write_json() {
    local i comma
    {
        printf '{\n  "format": 1,\n  "rehearsal": %s,\n' "$([[ -n $REHEARSAL ]] && echo true || echo false)"
        [[ -z $REHEARSAL ]] || printf '  "note": %s,\n' "$(json_string "$REHEARSAL")"
        printf '  "version": %s,\n  "commit": %s,\n  "date": %s,\n  "machine": %s,\n  "steps": [\n' "$(json_string "$VERSION")" \
            "$(json_string "$COMMIT")" "$(json_string "$DATE")" "$(json_string "$MACHINE")"
        for i in "${!NUMBERS[@]}"; do
            comma=,
            ((i + 1 < ${#NUMBERS[@]})) || comma=
            printf '    {"number": %d, "name": %s, "state": "%s", "seconds": %d, "reason": %s, "files": [%s]}%s\n' "${NUMBERS[i]}" \
                "$(json_string "${NAMES[i]}")" "${STATES[i]}" "${SECONDS_TAKEN[i]}" "$(json_string "${REASONS[i]}")" \
                "$(json_string "${FILES[i]}")" "$comma"
        done
        printf '  ]\n}\n'
    } >"$OUT/evidence.json"
}

write_page() {
    local i state
    {
        printf '# %s\n\n' "$TITLE"
        [[ -z $REHEARSAL ]] || printf '**%s**\n\n' "$REHEARSAL"
        printf '| step | what | result | seconds | reason |\n|---|---|---|---|---|\n'
        for i in "${!NUMBERS[@]}"; do
            state=${STATES[i]}
            [[ $state != not-possible ]] || state='not possible here'
            printf '| %d | %s | %s | %d | %s |\n' "${NUMBERS[i]}" "${NAMES[i]}" "$state" "${SECONDS_TAKEN[i]}" "${REASONS[i]//|/\\|}"
        done
        printf '\nrdma4j %s, commit %s; %s; %s\n' "$VERSION" "$COMMIT" "$MACHINE" "$DATE"
        for i in "${!NUMBERS[@]}"; do
            printf '\n## %d %s\n\nThe end of [%s](%s):\n\n' "${NUMBERS[i]}" "${NAMES[i]}" "${FILES[i]}" "${FILES[i]}"
            tail -n 25 -- "$OUT/${FILES[i]}" | sed 's/^/    /'
        done
    } >"$OUT/evidence.md"
}
