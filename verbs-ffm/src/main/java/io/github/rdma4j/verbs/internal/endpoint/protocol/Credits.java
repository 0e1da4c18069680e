// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

/**
 * Counts how much each side may send. A credit stands for one free receive buffer of the peer. A side spends one for
 * each message, and gets it back when the peer has emptied the buffer. So a receiver is always ready for a message.
 *
 * <p>Credits travel back with messages that go the other way, a quarter of them at a time as long as the peer has half
 * of them left: otherwise a side that answers each message would give each receive buffer to the adapter by a call of
 * its own. Without such messages, credits travel alone once half of them have gathered, or once the peer has none left
 * and this side's program holds all that has come: a program that holds more than half of its buffers would otherwise
 * wait for ever. Such an update costs no credit, or two sides without credits would wait for each other.
 *
 * <p>Updates go into {@link #RESERVE} buffers that each side has beyond those that it gives credits for. They suffice:
 * while the peer has no credits left, it has read all updates; each further one before it reads again carries at least
 * half of all credits. So it has two at most to read, and one buffer is for the message that closes.
 */
public final class Credits {
    /** The receive buffers for updates and the close. */
    public static final int RESERVE = 3;

    private final int buffers;
    private final int peerBuffers;
    private final int updateFrom;
    private final int grantFrom;
    private int available;
    private int owed;
    /** How many messages the peer may send before this side grants more. */
    private int granted;
    /** All that the peer has given back. */
    private long returned;
    /** All that this side has given back. */
    private long grantedAgain;

    /**
     * The state after the handshake: each side may fill all buffers of the other.
     *
     * @param buffers of this side, without the reserve
     * @param peerBuffers of the peer, without the reserve
     */
    public Credits(int buffers, int peerBuffers) {
        this.buffers = buffers;
        this.peerBuffers = peerBuffers;
        this.updateFrom = (buffers + 1) / 2;
        this.grantFrom = (buffers + 3) / 4;
        this.available = peerBuffers;
        this.granted = buffers;
    }

    /** This side's buffers, without the reserve. */
    public int buffers() {
        return buffers;
    }

    /** How many messages may be sent now. */
    public int available() {
        return available;
    }

    /** Spends one. */
    void spend() {
        if (available == 0) {
            throw new AssertionError("a message without a credit");
        }
        available--;
    }

    /** Takes one back that was spent for nothing. */
    void unspend() {
        available++;
    }

    /**
     * A message has come from the peer.
     *
     * @return false if it had no credit for it
     */
    boolean arrive() {
        if (granted == 0) {
            return false;
        }
        granted--;
        return true;
    }

    /**
     * Credits have come from the peer.
     *
     * @return false if it has given more than it can have
     */
    boolean receive(int count) {
        if (count == 0) {
            // Most messages of one direction alone.
            return true;
        }
        available += count;
        returned += count;
        return available <= peerBuffers;
    }

    /** For tests: the credits that were not granted to the peer yet. */
    public int owed() {
        return owed;
    }

    /** A buffer of this side can be filled again. */
    void release() {
        if (owed == buffers) {
            throw new AssertionError("more buffers released than there are");
        }
        owed++;
    }

    /**
     * Whether the next message should grant what is owed. Not if that is little and the peer can go on without: before
     * it has spent what it was granted, this side sees that less than half is left, and grants all with each message.
     */
    boolean isGrantDue() {
        return owed >= grantFrom || owed > 0 && granted < updateFrom;
    }

    /** Grants all that is owed; how much that is. */
    int grant() {
        int count = owed;
        owed = 0;
        granted += count;
        grantedAgain += count;
        return count;
    }

    /** How many messages were sent, without those that are claimed and may be given back. */
    public long sent(int claimed) {
        return returned + peerBuffers - available - claimed;
    }

    /** How many messages the peer's program has taken, as far as the peer has said. */
    public long taken() {
        return returned;
    }

    /** How many messages have come. */
    public long received() {
        return grantedAgain + buffers - granted;
    }

    /** Whether so many credits are owed that they should not wait for a message in the same direction. */
    boolean updateDue() {
        return owed >= updateFrom;
    }

    /** Whether the peer can send nothing before this side grants what is owed, be it little. */
    boolean isPeerOut() {
        return granted == 0 && owed > 0;
    }
}
