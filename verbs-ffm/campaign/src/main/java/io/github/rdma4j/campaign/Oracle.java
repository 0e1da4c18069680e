// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The required result of a run. In each case, no received byte may be wrong, no message lost, duplicated or out of
 * order among the received ones, no thread may wait beyond its timeout, and nothing may be left.
 *
 * @param mayArrive whether all may arrive
 * @param mayBeLost whether the connection may be lost, if all survivors get an exception
 * @param withinMillis after the beginning of the fault for an exception, or for a move
 * @param mustMove whether each end must move to TCP
 */
record Oracle(boolean mayArrive, boolean mayBeLost, long withinMillis, boolean mustMove) {
    static Oracle allArrives() {
        return new Oracle(true, false, 0, false);
    }

    static Oracle lostWithin(long millis) {
        return new Oracle(false, true, millis, false);
    }

    /** Everything arrives, over TCP after the failure. */
    static Oracle movesWithin(long millis) {
        return new Oracle(true, false, millis, true);
    }

    static Oracle eitherWithin(long millis) {
        return new Oracle(true, true, millis, false);
    }

    /**
     * {@return complaints about messages that one end's adapter has reported as sent, and the other end has not seen}
     * Datagrams may be lost, and say so themselves.
     */
    static List<String> lostSilently(Load load, List<EndReport> ends) {
        if (load == Load.DATAGRAMS || ends.size() < 2) {
            return List.of();
        }
        List<String> complaints = new ArrayList<>();
        for (int n = 0; n < 2; n++) {
            EndReport from = ends.get(n);
            EndReport to = ends.get(1 - n);
            if (from.sent() > to.received()) {
                complaints.add(from.side() + " saw " + from.sent() + " messages acknowledged, and " + to.received()
                        + " arrived");
            }
        }
        return complaints;
    }

    /**
     * @param faultAtMillis when the fault began, on the clock of the reports
     * @param ends of the processes that survived
     * @return the errors; empty if everything is as required
     */
    List<String> complaints(long faultAtMillis, List<EndReport> ends) {
        List<String> complaints = new ArrayList<>();
        for (EndReport end : ends) {
            if (!end.wrong().isEmpty()) {
                complaints.add(end.side() + ": " + end.wrong());
            }
            if (!end.hung().isEmpty()) {
                complaints.add(end.side() + " hangs: " + end.hung());
            } else if (end.whole()) {
                if (!mayArrive) {
                    complaints.add(end.side() + " got no exception");
                }
                if (mustMove) {
                    OptionalLong move = Moves.toTcp(end.moves(), faultAtMillis);
                    if (move.isEmpty() || move.getAsLong() - faultAtMillis > withinMillis) {
                        complaints.add(end.side() + " did not move within " + withinMillis + " ms of " + faultAtMillis
                                + ": " + end.moves());
                    }
                }
            } else if (!mayBeLost) {
                complaints.add(end.side() + " got " + end.failure());
            } else if (end.failedAtMillis() - faultAtMillis > withinMillis) {
                complaints.add(end.side() + " got its exception after " + (end.failedAtMillis() - faultAtMillis)
                        + " ms and not " + withinMillis);
            }
        }
        return complaints;
    }
}
