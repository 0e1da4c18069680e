// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.pair.Failure;
import io.github.rdma4j.perftest.doctor.peer.Remote.Answer;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.verbs.RemoteMemory;
import java.util.Optional;

/**
 * A connection to the other end, of either kind, and the tests over it. Closing it closes both ends.
 */
final class Connection implements AutoCloseable {
    private final Remote remote;
    private final WireEnd end;
    private final Answer opened;
    private final int mtu;

    /**
     * A connection.
     *
     * @param end this end, with a receive posted; the connection closes it
     * @param opened the other end's answer about its own end
     * @param mtu the path MTU in bytes
     */
    Connection(Remote remote, WireEnd end, Answer opened, int mtu) {
        this.remote = remote;
        this.end = end;
        this.opened = opened;
        this.mtu = mtu;
    }

    /** Returns the largest size of a packet, in bytes. */
    int mtu() {
        return mtu;
    }

    /** This end. */
    WireEnd end() {
        return end;
    }

    /** Returns the other end's memory that this end may write and read. */
    RemoteMemory theirMemory() {
        return WireValues.memory(opened.fields());
    }

    /** Returns whether both devices have atomic operations. */
    boolean hasAtomics() {
        return end.hasAtomics() && opened.fields().yes("atomics");
    }

    /** Returns whether both devices have RDMA writes. */
    boolean hasWrites() {
        return end.hasWrites() && opened.fields().yes("writes");
    }

    /** Returns whether both devices have RDMA reads. */
    boolean hasReads() {
        return end.hasReads() && opened.fields().yes("reads");
    }

    /** Sends a message to the other end, which checks it. Returns whether both succeeded, and adds a finding if not. */
    boolean sendThere(Check check, int length, Findings findings) {
        int seed = length;
        Optional<Failure> mine = end.send(length, seed, remote.limits().step());
        if (mine.isPresent()) {
            findings.failedHere(check, findings.there(), mine.get(), mtu);
            return false;
        }
        return good(check, findings.there(), remote.order(Order.RECEIVE, transfer(length, seed)), findings);
    }

    /** Has the other end send a message, and checks it. */
    boolean sendBack(Check check, int length, Findings findings) {
        int seed = length + 1;
        if (!good(check, findings.back(), remote.order(Order.SEND, transfer(length, seed)), findings)) {
            return false;
        }
        Optional<Failure> mine = end.receive(length, seed, remote.limits().step());
        mine.ifPresent(failure -> findings.failedHere(check, findings.back(), failure, mtu));
        if (mine.isEmpty()) {
            // For the next one.
            end.expect();
        }
        return mine.isEmpty();
    }

    /** Returns whether the other end carried out the order, and adds a finding if not. */
    boolean good(Check check, String subject, Answer answer, Findings findings) {
        if (!answer.isGood()) {
            findings.failedThere(check, subject, answer.failure(), mtu);
        }
        return answer.isGood();
    }

    /** Returns whether this end succeeded, and adds a finding if not. */
    boolean good(Check check, String subject, Optional<Failure> failure, Findings findings) {
        failure.ifPresent(each -> findings.failedHere(check, subject, each, mtu));
        return failure.isEmpty();
    }

    static Fields transfer(int length, int seed) {
        return new Fields().with("length", length).with("seed", seed);
    }

    /** Closes this end, and then the other one if that still exists. */
    @Override
    public void close() {
        end.close();
        remote.order(Order.CLOSE);
    }
}
