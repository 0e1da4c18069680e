// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * Flags of a send work request ({@code enum ibv_send_flags}); combine them with {@code |}. They are integers, not an
 * enum set, so that posting allocates nothing.
 *
 * @since 0.1.0
 */
public final class SendFlags {
    /** No flag: the request makes no completion if it succeeds. */
    public static final int NONE = 0;
    /** The request starts after all earlier reads and atomics of the queue pair have completed. */
    public static final int FENCE = 1;
    /**
     * The request makes a work completion. Without a signaled request now and then, the send queue fills up for good.
     */
    public static final int SIGNALED = 1 << 1;
    /** The peer's completion is a solicited event; for sends, and writes with immediate. */
    public static final int SOLICITED = 1 << 2;
    /**
     * The data is copied during the post, up to the queue pair's inline limit, so the buffer can be reused when the
     * call returns. The posting thread reads the memory, so a confined arena of another thread is refused
     * ({@link WrongThreadException}), as is a closed arena ({@link IllegalStateException}).
     */
    public static final int INLINE = 1 << 3;

    /**
     * The adapter computes the IPv4, TCP and UDP checksums of a packet ({@code IBV_SEND_IP_CSUM}); for raw packets and,
     * with IP over InfiniBand, datagrams, if the device supports it.
     */
    public static final int IP_CHECKSUM = 1 << 4;

    static final int ALL = FENCE | SIGNALED | SOLICITED | INLINE | IP_CHECKSUM;

    private SendFlags() {}
}
