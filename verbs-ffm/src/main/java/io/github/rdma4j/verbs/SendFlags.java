// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * Flags of a send work request ({@code enum ibv_send_flags}), to be combined with {@code |}.
 * Integers and not an enum set, so that posting allocates nothing.
 *
 * @since 0.1.0
 */
public final class SendFlags {
    /** No flag: the request completes silently. */
    public static final int NONE = 0;
    /** The request starts after all earlier reads and atomics of the queue pair have completed. */
    public static final int FENCE = 1;
    /** The request makes a work completion; every send queue needs one now and then, or it fills up for ever. */
    public static final int SIGNALED = 1 << 1;
    /** The peer's completion is a solicited event; for sends, and writes with immediate. */
    public static final int SOLICITED = 1 << 2;
    /**
     * The data is copied while posting, so the buffer is free when the call returns; up to the queue pair's inline
     * limit. The posting thread reads the memory, so it must be allowed to: a confined arena of another thread is
     * refused ({@link WrongThreadException}), and a closed one ({@link IllegalStateException}).
     */
    public static final int INLINE = 1 << 3;

    /**
     * The adapter computes the IPv4, TCP and UDP checksums of a packet ({@code IBV_SEND_IP_CSUM}); for raw packets and,
     * with IP over InfiniBand, datagrams, where the device can do it.
     */
    public static final int IP_CHECKSUM = 1 << 4;

    static final int ALL = FENCE | SIGNALED | SOLICITED | INLINE | IP_CHECKSUM;

    private SendFlags() {}
}
