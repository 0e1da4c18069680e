// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.doctor.pair.Failure;
import io.github.rdma4j.perftest.doctor.pair.PeerMachine;
import io.github.rdma4j.perftest.doctor.pair.PeerPort;
import io.github.rdma4j.perftest.doctor.pair.Transport;
import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.perftest.talk.Limits;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.QueuePairEndpoint;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmEventType;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.device.Mtu;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Carries out the other end's orders. A failure becomes the answer; only hostile input throws an exception. At most one
 * connection and one queue pair for datagrams are open at a time. Closing this closes both.
 */
final class Orders implements AutoCloseable {
    /** After this long without a datagram, no further one is expected. */
    private static final Duration QUIET = Duration.ofSeconds(1);

    private final PeerMachine machine;
    private final Function<PeerPort, Map<String, Long>> counters;
    private final Limits limits;
    private PeerPort port;
    private DeviceContext context;
    private SynchronousId listening;
    private WireEnd end;
    private RemoteMemory theirMemory;
    private DatagramEnd datagrams;
    private QueuePairEndpoint theirDatagrams;

    /**
     * Creates the executor of a serving end.
     *
     * @param machine this machine, as the other end has received it
     * @param counters reads the counters of a port
     */
    Orders(PeerMachine machine, Function<PeerPort, Map<String, Long>> counters, Limits limits) {
        this.machine = machine;
        this.counters = counters;
        this.limits = limits;
    }

    /**
     * Carries out an order.
     *
     * @return the answer
     * @throws BadMessageException if it is not an order
     */
    Fields carryOut(Fields order) {
        String name = order.text("order");
        Order which = Arrays.stream(Order.values())
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new BadMessageException("the other end sent the unknown request " + name));
        try {
            return carryOut(which, order);
        } catch (VerbsException | IllegalArgumentException | IllegalStateException failure) {
            return Remote.Answer.of(Failures.of(failure));
        }
    }

    private Fields carryOut(Order which, Fields order) {
        return switch (which) {
            case TIME -> new Fields().with("nanoseconds", nanosecondsNow());
            case USE_PORT -> usePort(order);
            case COUNTERS -> counters();
            case CM_LISTEN -> listen();
            case CM_ACCEPT -> accept(order);
            case CONNECT -> connect(order);
            case RECEIVE -> receive(order);
            case SEND -> transfer(order, (length, seed) -> connected().send(length, seed, limits.step()));
            case WRITE ->
                transfer(order, (length, seed) -> connected().write(length, seed, requireMemory(), limits.step()));
            case CHECK -> transfer(order, (length, seed) -> connected().check(length, seed));
            case FILL ->
                transfer(order, (length, seed) -> {
                    connected().fill(length, seed);
                    return Optional.empty();
                });
            case NUMBER -> number(order);
            case CLOSE -> closeConnection();
            case DATAGRAMS_OPEN -> openDatagrams(order);
            case DATAGRAMS_COUNT ->
                new Fields().with("count", requireDatagrams().received(QUIET));
            case DATAGRAMS_SEND -> {
                requireDatagrams().send(theirDatagrams, limits.step());
                yield new Fields();
            }
            case DATAGRAMS_CLOSE -> closeDatagrams();
        };
    }

    static long nanosecondsNow() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000 + now.getNano();
    }

    private Fields usePort(Fields order) {
        String name = order.text("port");
        PeerPort wanted = machine.ports().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new BadMessageException(
                        "the other end asks for port " + name + ", which this machine" + " does not have"));
        closeAll();
        port = wanted;
        context = DeviceContext.open(port.device());
        return new Fields();
    }

    private Fields counters() {
        Fields fields = new Fields();
        requirePort();
        Map<String, Long> found = counters.apply(port);
        int number = 0;
        for (Map.Entry<String, Long> entry : found.entrySet()) {
            fields.with("counter." + number + ".name", entry.getKey())
                    .with("counter." + number + ".value", entry.getValue());
            number++;
        }
        return fields.with("counters", number);
    }

    private Fields listen() {
        closeListening();
        listening = SynchronousId.create(PortSpace.TCP);
        // Listens on all addresses, because the other end chooses one.
        listening.listen(new InetSocketAddress(0), 1);
        return new Fields()
                .with("port", listening.id().localAddress().orElseThrow().getPort());
    }

    private Fields accept(Fields order) {
        RemoteMemory memory = WireValues.memory(order);
        if (listening == null) {
            throw new BadMessageException("the other end connects, but this end does not listen");
        }
        closeConnection();
        Optional<SynchronousId> request = listening.getRequest(limits.step());
        if (request.isEmpty()) {
            return Remote.Answer.of(new Failure(
                    Failure.Kind.CONNECTION,
                    CmEventType.UNREACHABLE.name(),
                    "no connection request arrived by rdma_cm within " + Limits.STEP.toSeconds() + " s",
                    ""));
        }
        closeListening();
        WireEnd accepted = WireEnd.of(request.get());
        try {
            request.get().accept(config -> config.rnrRetryCount(WireEnd.RETRIES), limits.step());
        } catch (VerbsException failure) {
            accepted.close();
            return Remote.Answer.of(Failures.of(failure, CmEventType.UNREACHABLE));
        } catch (RuntimeException | Error failure) {
            accepted.close();
            throw failure;
        }
        end = accepted;
        theirMemory = memory;
        return WireValues.memory(new Fields(), end.memory())
                .with(
                        "device",
                        request.get().id().device().orElseThrow().device().name())
                .with("writes", end.hasWrites())
                .with("reads", end.hasReads())
                .with("atomics", end.hasAtomics());
    }

    private Fields connect(Fields order) {
        requirePort();
        QueuePairEndpoint theirs = WireValues.endpoint(order);
        theirMemory = WireValues.memory(order);
        Mtu mtu = mtu(order);
        closeConnection();
        WireEnd made = WireEnd.prepare(context, port);
        try {
            made.connect(theirs, mtu);
        } catch (RuntimeException | Error failure) {
            made.close();
            throw failure;
        }
        end = made;
        return WireValues.memory(WireValues.endpoint(made.endpoint()), made.memory())
                .with("writes", made.hasWrites())
                .with("reads", made.hasReads())
                .with("atomics", made.hasAtomics());
    }

    private static Mtu mtu(Fields order) {
        int bytes = order.integer("mtu", 256, 4096);
        if (Integer.bitCount(bytes) != 1) {
            throw new BadMessageException("the other end asks for the invalid path MTU " + bytes);
        }
        return Mtu.ofBytes(bytes);
    }

    private Fields receive(Fields order) {
        return transfer(order, (length, seed) -> {
            Optional<Failure> failure = connected().receive(length, seed, limits.step());
            if (failure.isEmpty()) {
                // For the next one.
                connected().expect();
            }
            return failure;
        });
    }

    private static Fields transfer(Fields order, BiFunction<Integer, Integer, Optional<Failure>> action) {
        int length = order.integer("length", 1, WireEnd.ROOM);
        int seed = order.integer("seed", 0, Integer.MAX_VALUE);
        return action.apply(length, seed).map(Remote.Answer::of).orElseGet(Fields::new);
    }

    private Fields number(Fields order) {
        connected().number(order.number("value", Long.MIN_VALUE, Long.MAX_VALUE));
        return new Fields();
    }

    private Fields openDatagrams(Fields order) {
        requirePort();
        if (port.transport() == Transport.IWARP) {
            throw new BadMessageException("the other end asks for datagrams, which iWARP does not have");
        }
        theirDatagrams = WireValues.endpoint(order);
        closeDatagrams();
        datagrams = new DatagramEnd(context, port);
        return WireValues.endpoint(datagrams.endpoint());
    }

    private void requirePort() {
        if (context == null) {
            throw new BadMessageException("the other end has not named a port");
        }
    }

    private WireEnd connected() {
        if (end == null) {
            throw new BadMessageException("the other end refers to a connection that does not exist");
        }
        return end;
    }

    private RemoteMemory requireMemory() {
        if (theirMemory == null) {
            throw new BadMessageException("the other end asks for a write, but has not named its memory");
        }
        return theirMemory;
    }

    private DatagramEnd requireDatagrams() {
        if (datagrams == null) {
            throw new BadMessageException("the other end refers to a queue pair that does not exist");
        }
        return datagrams;
    }

    private void closeListening() {
        if (listening != null) {
            listening.close();
            listening = null;
        }
    }

    private Fields closeConnection() {
        if (end != null) {
            end.close();
            end = null;
        }
        return new Fields();
    }

    private Fields closeDatagrams() {
        if (datagrams != null) {
            datagrams.close();
            datagrams = null;
        }
        return new Fields();
    }

    private void closeAll() {
        closeListening();
        closeConnection();
        closeDatagrams();
        if (context != null) {
            context.close();
            context = null;
        }
    }

    @Override
    public void close() {
        closeAll();
    }
}
