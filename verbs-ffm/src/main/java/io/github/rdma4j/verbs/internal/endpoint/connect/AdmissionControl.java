// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.connect;

import io.github.rdma4j.verbs.endpoint.Admission;
import io.github.rdma4j.verbs.endpoint.ServerCounters;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Refusal;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;

/** Decides which clients a server admits, by their hello, and counts them. */
public final class AdmissionControl {
    /** A server answers so many new clients before it continues other handshakes. */
    public static final int MOST_AT_A_TIME = 32;

    /**
     * The most incomplete handshakes at a time. Each holds file descriptors, and over RDMA a queue pair and its
     * buffers, before the client has shown anything.
     */
    public static final int MOST_HANDSHAKES = 1024;

    static final String LATE = "the client did not complete the handshake in time (handshakeTimeout)";
    /** The most memory that incomplete handshakes may hold together, in bytes. */
    private static final long MOST_HANDSHAKE_BYTES = 1L << 29;

    static final String OLDEST_OF_TOO_MANY =
            "too many clients connect at a time (EndpointConfig.handshakeTimeout), and of"
                    + " those that have not completed the handshake this one was the oldest";

    /**
     * The reason of a refusal.
     *
     * @param reason the reason for the client; null for the general one
     * @param words the reason for this side's messages
     */
    record Verdict(Refusal reason, String words) {}

    private final boolean integrity;
    private final Admission admission;
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong notAdmitted = new AtomicLong();
    private final AtomicLong incompatible = new AtomicLong();
    private final AtomicLong gaveUp = new AtomicLong();

    public AdmissionControl(EndpointSettings config) {
        integrity = config.sizes().integrity();
        admission = config.admission();
    }

    /**
     * {@return how many handshakes may be incomplete at a time}
     *
     * @param bytes the memory that each holds, in bytes
     */
    static int mostHandshakes(long bytes) {
        return (int) Math.clamp(MOST_HANDSHAKE_BYTES / Math.max(1, bytes), 2L * MOST_AT_A_TIME, MOST_HANDSHAKES);
    }

    /**
     * Returns how many incomplete handshakes to drop, the oldest first, to leave enough for the clients that connect at
     * a time. A client that completes its handshake at once is hardly ever dropped, and a half-open one does not keep
     * others out.
     *
     * @param most the result of {@link #mostHandshakes}
     */
    static int tooMany(int handshakes, int most) {
        return Math.max(0, handshakes + MOST_AT_A_TIME - most);
    }

    /**
     * Decides on a client.
     *
     * @param hello the client's hello, perhaps with more data behind it
     * @param address the client's address; null if it is unknown
     * @return why it is refused; null if it is admitted
     */
    Verdict judge(byte[] hello, InetSocketAddress address) {
        String problem = Hello.isRefusal(hello) ? "the peer's handshake is damaged" : Hello.problem(hello);
        if (!problem.isEmpty()) {
            incompatible.incrementAndGet();
            return new Verdict(Refusal.ANOTHER_PROTOCOL, problem);
        }
        Hello client = Hello.parse(hello);
        Refusal disagreement = client.disagreement(integrity);
        if (disagreement != null) {
            incompatible.incrementAndGet();
            return new Verdict(
                    disagreement,
                    "one side puts a sum behind each message and the other does not (EndpointConfig.integrity)");
        }
        String refused = admission == null ? null : ask(client, address);
        if (refused != null) {
            notAdmitted.incrementAndGet();
            return new Verdict(Refusal.NOT_ADMITTED, refused);
        }
        return null;
    }

    /** Counts a client that is refused because the two sides have no transport in common. */
    Verdict otherTransport(Refusal reason) {
        incompatible.incrementAndGet();
        return new Verdict(reason, "one side connects over SRD alone, and the other does not use SRD");
    }

    private String ask(Hello client, InetSocketAddress address) {
        try {
            return admission.admits(new Admission.Client(address, client.token(), client.userData()))
                    ? null
                    : "it was not admitted (EndpointConfig.admission)";
        } catch (Throwable e) {
            // Also an Error: a client whose bytes overflow a parser's stack must not end the server's loop.
            return "it was not admitted, since EndpointConfig.admission has thrown " + e;
        }
    }

    void accepted() {
        accepted.incrementAndGet();
    }

    void gaveUp() {
        gaveUp.incrementAndGet();
    }

    public ServerCounters counters() {
        return new ServerCounters(accepted.get(), notAdmitted.get(), incompatible.get(), gaveUp.get());
    }
}
