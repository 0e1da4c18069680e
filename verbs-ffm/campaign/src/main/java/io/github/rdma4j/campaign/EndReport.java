// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What one end of a connection has seen.
 *
 * @param side the side
 * @param sent messages that were accepted
 * @param received messages that arrived, each in order and correct
 * @param transfers writes, reads and additions in the other's memory that were done and right
 * @param whole whether all of both directions arrived
 * @param failure the exception that the last of its threads got if something did not arrive, or empty
 * @param failedAtMillis the time of the exception, since the conversation began
 * @param wrong what arrived wrong, or nothing
 * @param hung which threads waited beyond the limit, or nothing
 * @param moves of an endpoint with failover
 * @param remark further remarks, or empty
 */
record EndReport(
        String side,
        long sent,
        long received,
        long transfers,
        boolean whole,
        String failure,
        long failedAtMillis,
        String wrong,
        String hung,
        List<Moves.Move> moves,
        String remark) {
    EndReport(
            String side,
            long sent,
            long received,
            long transfers,
            boolean whole,
            String failure,
            long failedAtMillis,
            String wrong,
            String hung,
            List<Moves.Move> moves) {
        this(side, sent, received, transfers, whole, failure, failedAtMillis, wrong, hung, moves, "");
    }

    String line() {
        return String.join(
                "\t",
                side,
                Long.toString(sent),
                Long.toString(received),
                Long.toString(transfers),
                Boolean.toString(whole),
                clean(failure),
                Long.toString(failedAtMillis),
                clean(wrong),
                clean(hung),
                moves.stream().map(Moves.Move::word).collect(Collectors.joining("|")),
                clean(remark));
    }

    static EndReport ofLine(String line) {
        String[] words = line.split("\t", -1);
        return new EndReport(
                words[0],
                Long.parseLong(words[1]),
                Long.parseLong(words[2]),
                Long.parseLong(words[3]),
                Boolean.parseBoolean(words[4]),
                words[5],
                Long.parseLong(words[6]),
                words[7],
                words[8],
                words[9].isEmpty()
                        ? List.of()
                        : Arrays.stream(words[9].split("\\|"))
                                .map(Moves.Move::ofWord)
                                .toList(),
                words[10]);
    }

    EndReport withWrong(String more) {
        String all = wrong.isEmpty() ? more : wrong + "; " + more;
        return new EndReport(side, sent, received, transfers, whole, failure, failedAtMillis, all, hung, moves, remark);
    }

    EndReport withHung(String more) {
        String all = hung.isEmpty() ? more : hung + "; " + more;
        return new EndReport(
                side, sent, received, transfers, whole, failure, failedAtMillis, wrong, all, moves, remark);
    }

    private static String clean(String text) {
        return text.replaceAll("\\s+", " ");
    }
}
