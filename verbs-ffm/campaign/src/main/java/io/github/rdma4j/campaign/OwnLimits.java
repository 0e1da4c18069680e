// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.endpoint.ClosedByPeerException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointSelector;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A process that reaches a limit of its own at each possible point: each action is tried with no resources left, then
 * with a little more, until it succeeds. Each failure must be an exception that names the limit, or the other end's
 * message, and a remedy. Nothing may be left, and with the original limit the same action must work.
 */
final class OwnLimits {
    private static final Duration CONNECT = Duration.ofSeconds(2);
    private static final int IN_A_ROW = 3;
    private static final int MOST_TRIES = 400;

    /** An action under the limit. */
    private interface Action {
        void run();
    }

    private final Map<String, Action> actions = new LinkedHashMap<>();
    private final Map<String, Integer> reasons = new LinkedHashMap<>();
    private final List<String> complaints = new ArrayList<>();
    private final InetSocketAddress address;
    private long tries;
    private long successes;

    private OwnLimits(InetSocketAddress address, Load load) {
        this.address = address;
        actions.put("a device", () -> {
            try (DeviceContext device =
                    DeviceContext.open(Device.list().getFirst().name())) {
                device.createCompletionChannel();
                device.allocateProtectionDomain().allocateMemory(1 << 16);
            }
        });
        if (load == Load.FILES) {
            actions.put("an id", () -> SynchronousId.create(PortSpace.TCP).close());
            actions.put("a selector", () -> EndpointSelector.open().close());
        }
        for (Transport transport : Transport.values()) {
            actions.put("a server over " + transport, () -> bind(transport).close());
            actions.put("a connection over " + transport, () -> connect(transport));
        }
    }

    private EndpointServer bind(Transport transport) {
        return EndpointServer.bind(address, config -> {
            Connects.configure(config);
            config.transport(transport);
        });
    }

    /** Both ends are in this process, each with its own exception. */
    private void connect(Transport transport) {
        try (EndpointServer server = bind(transport)) {
            RuntimeException[] thrown = new RuntimeException[1];
            Thread other = Thread.ofPlatform().start(() -> {
                try {
                    serve(server);
                } catch (VerbsException | IllegalStateException e) {
                    thrown[0] = e;
                }
            });
            try {
                client(server.address(), transport);
            } finally {
                server.close();
                join(other);
            }
            if (thrown[0] != null && !(thrown[0] instanceof IllegalStateException)) {
                throw thrown[0];
            }
        }
    }

    private static void serve(EndpointServer server) {
        Optional<Endpoint> accepted = server.accept(CONNECT);
        if (accepted.isPresent()) {
            try (Endpoint endpoint = accepted.get()) {
                endpoint.receive(CONNECT).ifPresent(word -> endpoint.send(word, CONNECT));
                endpoint.receive(CONNECT);
            } catch (ClosedByPeerException e) {
                // The other end has its answer.
            }
        }
    }

    private static void client(InetSocketAddress server, Transport transport) {
        byte[] word = {1, 2, 3};
        try (Endpoint endpoint = Endpoint.connect(
                server,
                config -> {
                    Connects.configure(config);
                    config.transport(transport);
                },
                CONNECT)) {
            endpoint.send(word, CONNECT);
            byte[] answer = endpoint.receive(CONNECT).orElseThrow(() -> new Wrong("no answer"));
            if (!Arrays.equals(answer, word)) {
                throw new Wrong("another word came back");
            }
        }
    }

    private static void join(Thread thread) {
        try {
            if (!thread.join(Duration.ofSeconds(20))) {
                throw new Wrong("the server hangs at " + Arrays.toString(thread.getStackTrace()));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Arguments: the load, the address of this machine. Prints a report. */
    public static void main(String... arguments) throws Exception {
        Load load = Load.valueOf(arguments[0]);
        OwnLimits limits = new OwnLimits(new InetSocketAddress(arguments[1], 0), load);
        Leftovers.openJars();
        for (Action action : limits.actions.values()) {
            action.run(); // loads classes, opens what stays open
            action.run();
        }
        for (Map.Entry<String, Action> action : limits.actions.entrySet()) {
            limits.sweep(load, action.getKey(), action.getValue());
        }
        limits.reasons.forEach((reason, times) -> System.err.println(times + " x " + reason));
        System.out.println(new EndReport(
                        "machine 1",
                        limits.tries,
                        limits.successes,
                        limits.tries - limits.successes,
                        limits.complaints.isEmpty(),
                        "",
                        0,
                        String.join("; ", limits.complaints),
                        "",
                        List.of(),
                        limits.reasons.size() + " kinds of messages")
                .line());
        System.exit(0);
    }

    private static ResourceLimit limit(Load load, Map<String, Integer> before) {
        return load == Load.FILES
                ? ResourceLimit.files(before.get("file handles") - 1) // one was for counting
                : ResourceLimit.lockedMemory();
    }

    private void sweep(Load load, String name, Action action) throws InterruptedException {
        Map<String, Integer> before = Leftovers.now(true);
        ResourceLimit limit = limit(load, before);
        long more = 0;
        int inARow = 0;
        for (int n = 0; n < MOST_TRIES && inARow < IN_A_ROW; n++) {
            Throwable thrown = null;
            limit.set(more);
            try {
                action.run();
            } catch (Throwable e) { // whatever it is, it is what the program would see
                thrown = e;
            } finally {
                limit.release();
            }
            tries++;
            inARow = thrown == null ? inARow + 1 : 0;
            successes += thrown == null ? 1 : 0;
            String where = name + ", " + more + " more: ";
            judge(where, thrown);
            Map<String, Integer> left = Leftovers.since(before, true);
            if (!left.isEmpty()) {
                complaints.add(where + "left " + left);
                before = Leftovers.now(true);
            }
            more = limit.next(more);
        }
        if (inARow < IN_A_ROW) {
            complaints.add(name + " never succeeded");
        }
        action.run();
    }

    /** {@return the message of an exception without the parts that differ each time} */
    private static String kind(String text) {
        return text.replaceAll("0x[0-9a-f]+|\\d{2,}", "N");
    }

    private void judge(String where, Throwable thrown) {
        if (thrown == null) {
            return;
        }
        String text = thrown.getClass().getSimpleName() + ": " + thrown.getMessage();
        boolean isClear = thrown instanceof VerbsException verbs
                && !verbs.remedy().isEmpty()
                && (!text.contains("ibv_reg_mr(") || text.contains("RLIMIT_MEMLOCK"));
        if (!isClear) {
            complaints.add(where + text);
            thrown.printStackTrace();
        }
        reasons.merge(kind(text), 1, Integer::sum);
    }
}
