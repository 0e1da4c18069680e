# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The language of a JVM that is to be started. Without one, as in containers, by cron and by ssh, and with one that this machine does
# not have, as ssh brings it from another one, a JVM finds no file whose name is beyond ASCII, its jar included, and prints ? for what
# it cannot say. Needs nothing, and starts no process.

# These two bytes are a letter of UTF-8, and letters of most older codes; of no language they are nothing.
locale_letters=$'\xc3\xa4'
if [[ ${#locale_letters} != 1 && $locale_letters != *[[:alpha:]]* ]]; then
    export LC_CTYPE=C.UTF-8
    [[ -z ${LC_ALL:-} ]] || export LC_ALL=C.UTF-8
fi 2>/dev/null # where there is no such locale either
unset locale_letters
