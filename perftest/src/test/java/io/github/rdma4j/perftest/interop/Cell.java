// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import java.util.List;
import java.util.Objects;

/**
 * A test of the matrix: both sides run the same tool with the same options.
 *
 * @param row the options, for any peer
 * @param server who is the server
 * @param client who is the client
 */
record Cell(Row row, Peer server, Peer client) {

    /** A line of the list: one tool with certain options. */
    record Row(String tool, String options, List<Cell> cells) {
        private static final int ALL_SIZES = 23;
        private static final int DATAGRAM_SIZES = 12;

        boolean has(String option) {
            return (" " + options + " ").contains(" " + option + " ");
        }

        /** Its cells refer to it, so equality does not include them. */
        @Override
        public boolean equals(Object other) {
            return other instanceof Row row && tool.equals(row.tool) && options.equals(row.options);
        }

        @Override
        public int hashCode() {
            return Objects.hash(tool, options);
        }

        boolean bandwidth() {
            return tool.endsWith("_bw");
        }

        private int sizes() {
            return !has("-a") ? 1 : has("-c UD") ? DATAGRAM_SIZES : ALL_SIZES;
        }

        /**
         * How long it takes, against a run of one size. Where both sides look at their memory or queue all the time, a
         * machine of one CPU gives each its turns: all sizes took 17 to 26 s there.
         */
        double cost() {
            boolean bothLook = tool.equals("ib_write_lat") || tool.equals("ib_send_lat");
            return has("-a") ? bothLook ? 20 : 4 : has("-D ") ? 2 : 1;
        }

        /** Lines of results on the client. */
        int clientRows() {
            return sizes();
        }

        /** Lines of results on the server: one that takes no part in the data path has none, or the client's last. */
        int serverRows() {
            if (tool.equals("ib_send_bw") || tool.equals("ib_send_lat") || tool.equals("ib_write_lat") || has("-b")) {
                return sizes();
            }
            return bandwidth() ? 1 : 0;
        }
    }

    @Override
    public String toString() {
        return row.tool() + " " + row.options() + ": " + side(client) + " client, " + side(server) + " server";
    }

    private static String side(Peer peer) {
        return peer == Peer.JAVA ? "Java" : "C " + peer.word();
    }
}
