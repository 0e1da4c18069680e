// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

/** Shows bytes that were not understood, for messages. */
final class Garbage {
    private static final int SHOWN = 24;

    private Garbage() {}

    /** Returns the first bytes in quotation marks, with anything except printable ASCII as {@code \xNN}. */
    static String show(byte[] bytes) {
        StringBuilder text = new StringBuilder("\"");
        for (int i = 0; i < Math.min(bytes.length, SHOWN); i++) {
            char c = (char) (bytes[i] & 0xff);
            if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
                text.append(c);
            } else {
                text.append(String.format("\\x%02x", (int) c));
            }
        }
        return text.append(bytes.length > SHOWN ? "…\"" : "\"").toString();
    }
}
