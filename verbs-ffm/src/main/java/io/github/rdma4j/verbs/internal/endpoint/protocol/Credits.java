// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

/**
 * Counts the credits of both sides. A credit stands for one free receive buffer of the peer. A side spends a credit for
 * each message, and gets it back when the peer has read the message. So a receiver always has a buffer for a message.
 *
 * <p>Messages in the other direction carry credits back: a quarter of all credits at a time, as long as the peer has
 * half of them left. Otherwise a side that answers each message would post each receive buffer by a call of its own.
 * Without such messages, a credit update carries them: once half of all credits are owed, or once the peer has none
 * left and this side's program holds everything that has arrived. Otherwise a program that holds more than half of its
 * buffers would wait forever. An update costs no credit; otherwise two sides without credits would wait for each other.
 *
 * <p>Updates use the {@link #RESERVE} buffers that each side has beyond those that it grants credits for. They are
 * enough: when the peer has no credits left, it has read all updates, and each further update before it reads again
 * carries at least half of all credits. So at most two updates are unread, and one buffer is for the close message.
 */
public final class Credits {
    /** The number of receive buffers for updates and the close message. */
    public static final int RESERVE = 3;

    private final int buffers;
    private final int peerBuffers;
    private final int updateFrom;
    private final int grantFrom;
    private int available;
    private int owed;
    /** The number of messages that the peer may send before this side grants more. */
    private int granted;
    /** The number of credits that the peer has returned. */
    private long returned;
    /** The number of credits that this side has returned. */
    private long grantedAgain;

    /**
     * Creates the state after the handshake: each side may fill all buffers of the other.
     *
     * @param buffers the number of this side's buffers, without the reserve
     * @param peerBuffers the number of the peer's buffers, without the reserve
     */
    public Credits(int buffers, int peerBuffers) {
        this.buffers = buffers;
        this.peerBuffers = peerBuffers;
        this.updateFrom = (buffers + 1) / 2;
        this.grantFrom = (buffers + 3) / 4;
        this.available = peerBuffers;
        this.granted = buffers;
    }

    /** {@return the number of this side's buffers, without the reserve} */
    public int buffers() {
        return buffers;
    }

    /** {@return how many messages can be sent now} */
    public int available() {
        return available;
    }

    /** Spends a credit. */
    void spend() {
        if (available == 0) {
            throw new AssertionError("a message without a credit");
        }
        available--;
    }

    /** Takes back a credit whose message was not sent. */
    void unspend() {
        available++;
    }

    /**
     * Counts a message of the peer.
     *
     * @return false if the peer had no credit for it
     */
    boolean arrive() {
        if (granted == 0) {
            return false;
        }
        granted--;
        return true;
    }

    /**
     * Adds credits that the peer has returned.
     *
     * @return false if the peer has returned more than there are
     */
    boolean receive(int count) {
        if (count == 0) {
            // As in most messages if one side only sends.
            return true;
        }
        available += count;
        returned += count;
        return available <= peerBuffers;
    }

    /** For tests: the number of owed credits. */
    public int owed() {
        return owed;
    }

    /** Counts a buffer of this side that is free again. */
    void release() {
        if (owed == buffers) {
            throw new AssertionError("more buffers released than there are");
        }
        owed++;
    }

    /**
     * Whether the next message should grant the owed credits. It should not if they are few and the peer has enough:
     * before the peer runs out, this side sees that less than half is left, and grants all owed credits with each
     * message.
     */
    boolean isGrantDue() {
        return owed >= grantFrom || owed > 0 && granted < updateFrom;
    }

    /** Grants all owed credits. Returns how many. */
    int grant() {
        int count = owed;
        owed = 0;
        granted += count;
        grantedAgain += count;
        return count;
    }

    /** {@return how many messages were sent, without claimed ones, which may be returned} */
    public long sent(int claimed) {
        return returned + peerBuffers - available - claimed;
    }

    /** {@return how many messages the peer's program has read, as far as the peer has reported} */
    public long taken() {
        return returned;
    }

    /** {@return how many messages have arrived} */
    public long received() {
        return grantedAgain + buffers - granted;
    }

    /** Whether so many credits are owed that they should not wait for a message. */
    boolean updateDue() {
        return owed >= updateFrom;
    }

    /** Whether the peer cannot send before this side grants credits. */
    boolean isPeerOut() {
        return granted == 0 && owed > 0;
    }
}
