// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static io.github.rdma4j.campaign.Load.BUSY;
import static io.github.rdma4j.campaign.Load.CLOSED;
import static io.github.rdma4j.campaign.Load.CM;
import static io.github.rdma4j.campaign.Load.CM_STEPS;
import static io.github.rdma4j.campaign.Load.CONNECTING;
import static io.github.rdma4j.campaign.Load.CONNECT_FLOOD;
import static io.github.rdma4j.campaign.Load.DATAGRAMS;
import static io.github.rdma4j.campaign.Load.EXTENDED;
import static io.github.rdma4j.campaign.Load.FAILOVER;
import static io.github.rdma4j.campaign.Load.FAILOVER_IDLE;
import static io.github.rdma4j.campaign.Load.FILES;
import static io.github.rdma4j.campaign.Load.GUESSED_KEYS;
import static io.github.rdma4j.campaign.Load.HALF_OPEN_RDMA;
import static io.github.rdma4j.campaign.Load.HALF_OPEN_TCP;
import static io.github.rdma4j.campaign.Load.HTTP;
import static io.github.rdma4j.campaign.Load.IDLE;
import static io.github.rdma4j.campaign.Load.INTERRUPTED;
import static io.github.rdma4j.campaign.Load.LIVES;
import static io.github.rdma4j.campaign.Load.LOCKED;
import static io.github.rdma4j.campaign.Load.NETTY;
import static io.github.rdma4j.campaign.Load.NETTY_CONNECTING;
import static io.github.rdma4j.campaign.Load.NETTY_IDLE;
import static io.github.rdma4j.campaign.Load.PAIRS;
import static io.github.rdma4j.campaign.Load.SOAK;
import static io.github.rdma4j.campaign.Step.Place.BOTH;
import static io.github.rdma4j.campaign.Step.Place.HERE;
import static io.github.rdma4j.campaign.Step.Place.THERE;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** All of them. */
final class Scenarios {
    /** The silence after which an end gives up its peer; the default of 30 s would make the runs long. */
    private static final long SILENCE = 6_000;
    /** {@link #SILENCE} of ends that then move to TCP. */
    private static final long MOVING_SILENCE = 4_000;
    /** The extra time on a busy machine. */
    private static final long SLACK = 1_500;
    /** Three programs of a busy machine run until it panics. */
    private static final long PANIC = 1_000;
    /**
     * A killed process: its kernel reports it, long before the default silence. Ending a process takes a busy machine
     * seconds.
     */
    private static final long KILLED = 5_000;

    private static final long DEFAULT_SILENCE = 30_000;
    /** Two fifths of it are for pending requests. */
    private static final long LONG_SILENCE = 200_000;
    /** A conversation that a fault ends. */
    private static final long ENDLESS = 25_000;

    private Scenarios() {}

    static List<Scenario> all() {
        return Stream.of(
                        ofEndpoints(),
                        ofNetty(),
                        ofPairs(PAIRS),
                        ofPairs(EXTENDED),
                        ofDatagrams(),
                        ofCm(),
                        List.of(arrives(Fault.killedEach(), LIVES, 15_000)),
                        ofMalice(),
                        ofAlone())
                .flatMap(List::stream)
                .toList();
    }

    static Scenario faultless(Load load) {
        return all().stream()
                .filter(scenario ->
                        scenario.load() == load && scenario.fault().steps().isEmpty())
                .findFirst()
                .orElseThrow();
    }

    /** Of queue pairs without endpoints, by either interface. */
    private static List<Scenario> ofPairs(Load load) {
        Oracle lost = Oracle.lostWithin(Pairs.SILENCE_MILLIS + SLACK);
        Oracle either = Oracle.eitherWithin(6_000 + Pairs.SILENCE_MILLIS + SLACK);
        List<Scenario> both = List.of(
                arrives(Fault.none(), load, 2_000),
                arrives(Fault.wire("loss 5 %", "loss 5%"), load, 3_000),
                new Scenario(Fault.cut("cut for 1 s", BOTH, 1_000), load, Oracle.allArrives(), 5_000, 0),
                new Scenario(Fault.cut("cut for good", BOTH, 12_000), load, lost, ENDLESS, 0),
                new Scenario(Fault.killed(), load, lost, ENDLESS, 0));
        if (load == EXTENDED) {
            return both; // from the adapter on the same
        }
        return Stream.concat(
                        both.stream(),
                        Stream.of(
                                arrives(Fault.wire("loss 1 %", "loss 1%"), load, 3_000),
                                arrives(Fault.wire("duplicates 5 %", "duplicate 5%"), load, 3_000),
                                new Scenario(
                                        Fault.wire("reordered 25 %, delay 1 ms", "delay 1ms reorder 25%"),
                                        load,
                                        Oracle.eitherWithin(3_000 + Pairs.SILENCE_MILLIS + SLACK),
                                        3_000,
                                        0),
                                arrives(Fault.wire("corrupted 1 %", "corrupt 1%"), load, 3_000),
                                arrives(Fault.wire("delay 50 ms", "delay 50ms"), load, 3_000),
                                new Scenario(Fault.cut("cut one way", HERE, 12_000), load, lost, ENDLESS, 0),
                                new Scenario(Fault.flaps(6), load, either, 9_000, 0),
                                new Scenario(
                                        Fault.addressRemoved("address of the peer removed for 3 s", THERE, 3_000),
                                        load,
                                        either,
                                        6_000,
                                        0),
                                new Scenario(Fault.smallerMtu("MTU 1500 for 3 s", BOTH, 3_000), load, either, 6_000, 0),
                                new Scenario(
                                        Fault.deviceRemoved("device of the peer removed for 3 s", 3_000),
                                        load,
                                        either,
                                        6_000,
                                        0),
                                new Scenario(
                                        Fault.stopped("peer stopped for 5 s", 5_000),
                                        load,
                                        Oracle.allArrives(),
                                        6_000,
                                        0)))
                .toList();
    }

    private static List<Scenario> ofDatagrams() {
        Oracle either = Oracle.eitherWithin(6_000 + SLACK);
        return List.of(
                arrives(Fault.none(), DATAGRAMS, 2_000),
                arrives(Fault.wire("loss 5 %", "loss 5%"), DATAGRAMS, 3_000),
                arrives(Fault.wire("duplicates 5 %", "duplicate 5%"), DATAGRAMS, 3_000),
                arrives(Fault.wire("reordered 25 %, delay 1 ms", "delay 1ms reorder 25%"), DATAGRAMS, 3_000),
                arrives(Fault.wire("corrupted 1 %", "corrupt 1%"), DATAGRAMS, 3_000),
                arrives(Fault.wire("delay 50 ms", "delay 50ms"), DATAGRAMS, 3_000),
                arrives(Fault.cut("cut for 5 s", BOTH, 5_000), DATAGRAMS, 8_000),
                arrives(Fault.cut("cut one way for 5 s", HERE, 5_000), DATAGRAMS, 8_000),
                new Scenario(Fault.flaps(6), DATAGRAMS, either, 9_000, 0),
                new Scenario(
                        Fault.addressRemoved("address of the peer removed for 3 s", THERE, 3_000),
                        DATAGRAMS,
                        either,
                        6_000,
                        0),
                new Scenario(Fault.addressRemoved("address removed for 3 s", HERE, 3_000), DATAGRAMS, either, 6_000, 0),
                arrives(Fault.smallerMtu("MTU 1500 for 3 s", BOTH, 3_000), DATAGRAMS, 6_000),
                arrives(Fault.deviceRemoved("device of the peer removed for 3 s", 3_000), DATAGRAMS, 6_000),
                arrives(Fault.stopped("peer stopped for 5 s", 5_000), DATAGRAMS, 6_000));
    }

    /** {@return the scenario that runs for a given time, if its name is among these} */
    static Optional<Scenario> soak(List<String> names, long millis) {
        return Optional.of(arrives(Fault.none(), SOAK, millis)).filter(soak -> names.contains(SOAK.label()));
    }

    private static List<Scenario> ofMalice() {
        return List.of(
                arrives(Fault.none(), HALF_OPEN_TCP, 20_000),
                arrives(Fault.none(), HALF_OPEN_RDMA, 40_000),
                arrives(Fault.none(), CONNECT_FLOOD, 8_000),
                arrives(Fault.none(), GUESSED_KEYS, 8_000));
    }

    private static List<Scenario> ofAlone() {
        return List.of(
                arrives(Fault.none(), FILES, 0),
                arrives(Fault.none(), LOCKED, 0),
                arrives(Fault.none(), INTERRUPTED, 20_000),
                arrives(Fault.none(), CLOSED, 20_000));
    }

    private static List<Scenario> ofCm() {
        return List.of(
                arrives(Fault.none(), CM, 3_000),
                arrives(Fault.none(), CM_STEPS, 0),
                arrives(Fault.wire("loss 5 %", "loss 5%"), CM, 5_000),
                arrives(Fault.wire("duplicates 5 %", "duplicate 5%"), CM, 5_000),
                arrives(Fault.wire("reordered 25 %, delay 1 ms", "delay 1ms reorder 25%"), CM, 5_000),
                arrives(Fault.wire("corrupted 1 %", "corrupt 1%"), CM, 5_000),
                arrives(Fault.wire("delay 50 ms", "delay 50ms"), CM, 5_000),
                arrives(Fault.cut("cut for 5 s", BOTH, 5_000), CM, 8_000),
                arrives(Fault.cut("cut one way for 5 s", HERE, 5_000), CM, 8_000),
                arrives(Fault.flaps(4), CM, 9_000),
                arrives(Fault.addressRemoved("address of the peer removed for 3 s", THERE, 3_000), CM, 8_000),
                arrives(Fault.smallerMtu("MTU 1500 for 3 s", BOTH, 3_000), CM, 6_000),
                arrives(Fault.deviceRemoved("device of the peer removed for 3 s", 3_000), CM, 8_000),
                arrives(Fault.stopped("peer stopped for 5 s", 5_000), CM, 8_000));
    }

    private static List<Scenario> ofNetty() {
        Oracle lost = Oracle.lostWithin(SILENCE + SLACK);
        return List.of(
                arrives(Fault.none(), HTTP, 2_000),
                arrives(Fault.none(), NETTY, 2_000),
                arrives(Fault.wire("loss 1 %", "loss 1%"), NETTY, 3_000),
                arrives(Fault.wire("loss 1 %", "loss 1%"), HTTP, 3_000),
                arrives(Fault.wire("reordered 25 %, delay 1 ms", "delay 1ms reorder 25%"), NETTY, 3_000),
                arrives(Fault.wire("corrupted 1 %", "corrupt 1%"), NETTY, 3_000),
                new Scenario(Fault.cut("cut for 5 s", BOTH, 5_000), NETTY, Oracle.allArrives(), 8_000, 30_000),
                new Scenario(Fault.cut("cut for 60 s", BOTH, 60_000), NETTY, Oracle.allArrives(), 64_000, LONG_SILENCE),
                new Scenario(Fault.cut("cut for good", BOTH, 12_000), NETTY, lost, ENDLESS, SILENCE),
                new Scenario(Fault.cut("cut for good", BOTH, 12_000), NETTY_IDLE, lost, ENDLESS, SILENCE),
                new Scenario(Fault.cut("cut for good", BOTH, 12_000), HTTP, lost, ENDLESS, SILENCE),
                new Scenario(Fault.cut("cut one way", HERE, 12_000), NETTY, lost, ENDLESS, SILENCE),
                killed(NETTY),
                killed(NETTY_IDLE),
                killed(HTTP),
                new Scenario(Fault.stopped("peer stopped for 5 s", 5_000), NETTY, Oracle.allArrives(), 6_000, SILENCE),
                new Scenario(
                        Fault.stopped("peer stopped for 60 s", 60_000), NETTY, Oracle.allArrives(), 4_000, SILENCE),
                new Scenario(Fault.stopped("peer stopped for 12 s", 12_000), HTTP, Oracle.allArrives(), 4_000, SILENCE),
                connecting(Fault.none(), NETTY_CONNECTING, 3_000),
                connecting(Fault.wire("loss 5 %", "loss 5%"), NETTY_CONNECTING, 5_000),
                connecting(Fault.cut("cut for 5 s", BOTH, 5_000), NETTY_CONNECTING, 8_000),
                connecting(Fault.cut("cut one way for 5 s", HERE, 5_000), NETTY_CONNECTING, 8_000),
                connecting(Fault.stopped("peer stopped for 5 s", 5_000), NETTY_CONNECTING, 8_000),
                connecting(Fault.deviceRemoved("device of the peer removed for 3 s", 3_000), NETTY_CONNECTING, 8_000),
                // The next client is refused.
                new Scenario(Fault.killed(), NETTY_CONNECTING, Oracle.lostWithin(KILLED), ENDLESS, 0),
                new Scenario(Fault.poweredOff(), NETTY, lost, ENDLESS, SILENCE),
                new Scenario(Fault.panicked(), NETTY, Oracle.lostWithin(PANIC + SILENCE + SLACK), ENDLESS, SILENCE));
    }

    private static List<Scenario> ofEndpoints() {
        Oracle moves = Oracle.movesWithin(MOVING_SILENCE + SLACK);
        Oracle lost = Oracle.lostWithin(SILENCE + SLACK);
        return List.of(
                arrives(Fault.none(), BUSY, 2_000),
                arrives(Fault.wire("loss 1 %", "loss 1%"), BUSY, 3_000),
                arrives(Fault.wire("loss 5 %", "loss 5%"), BUSY, 3_000),
                arrives(Fault.wire("duplicates 5 %", "duplicate 5%"), BUSY, 3_000),
                // SoftRoCE of Linux 6.1 completes atomic operations without their value then (src/main/c/atomics.c).
                new Scenario(
                        Fault.wire("reordered 25 %, delay 1 ms", "delay 1ms reorder 25%"),
                        BUSY,
                        Oracle.eitherWithin(3_000 + SLACK),
                        3_000,
                        30_000),
                arrives(Fault.wire("corrupted 1 %", "corrupt 1%"), BUSY, 3_000),
                arrives(Fault.wire("delay 1 ms", "delay 1ms"), BUSY, 3_000),
                arrives(Fault.wire("delay 50 ms", "delay 50ms"), BUSY, 3_000),
                arrives(Fault.cut("cut for 1 s", BOTH, 1_000), BUSY, 4_000),
                new Scenario(Fault.cut("cut for 5 s", BOTH, 5_000), BUSY, Oracle.allArrives(), 8_000, 30_000),
                new Scenario(Fault.cut("cut for 60 s", BOTH, 60_000), BUSY, Oracle.allArrives(), 64_000, LONG_SILENCE),
                new Scenario(Fault.cut("cut for 60 s", BOTH, 60_000), IDLE, Oracle.allArrives(), 64_000, LONG_SILENCE),
                new Scenario(
                        Fault.cut("cut for 60 s, default silence", BOTH, 60_000),
                        BUSY,
                        Oracle.lostWithin(DEFAULT_SILENCE + SLACK),
                        50_000,
                        DEFAULT_SILENCE),
                new Scenario(Fault.cut("cut for 5 s", BOTH, 5_000), IDLE, Oracle.allArrives(), 8_000, 30_000),
                new Scenario(Fault.cut("cut for good", BOTH, 12_000), BUSY, lost, ENDLESS, SILENCE),
                new Scenario(Fault.cut("cut for good", BOTH, 12_000), IDLE, lost, ENDLESS, SILENCE),
                new Scenario(Fault.cut("cut one way", HERE, 12_000), BUSY, lost, ENDLESS, SILENCE),
                either(Fault.linkDown("link down for 5 s", 5_000), 8_000),
                new Scenario(Fault.flaps(6), BUSY, Oracle.eitherWithin(6_000 + SILENCE + SLACK), 9_000, SILENCE),
                either(Fault.addressRemoved("address of the peer removed for 3 s", THERE, 3_000), 6_000),
                either(Fault.addressRemoved("address removed for 3 s", HERE, 3_000), 6_000),
                either(Fault.smallerMtu("MTU 1500 for 3 s", BOTH, 3_000), 6_000),
                // The kernel removes a SoftRoCE device when no program has it open.
                either(Fault.deviceRemoved("device of the peer removed for 3 s", 3_000), 6_000),
                killed(BUSY),
                killed(IDLE),
                new Scenario(Fault.stopped("peer stopped for 5 s", 5_000), BUSY, Oracle.allArrives(), 6_000, SILENCE),
                new Scenario(Fault.stopped("peer stopped for 12 s", 12_000), BUSY, Oracle.allArrives(), 4_000, SILENCE),
                new Scenario(Fault.stopped("peer stopped for 60 s", 60_000), BUSY, Oracle.allArrives(), 4_000, SILENCE),
                new Scenario(Fault.stopped("peer stopped for 60 s", 60_000), IDLE, Oracle.allArrives(), 4_000, SILENCE),
                connecting(Fault.none(), CONNECTING, 3_000),
                connecting(Fault.wire("loss 5 %", "loss 5%"), CONNECTING, 5_000),
                connecting(Fault.wire("duplicates 5 %", "duplicate 5%"), CONNECTING, 5_000),
                connecting(Fault.wire("corrupted 1 %", "corrupt 1%"), CONNECTING, 5_000),
                connecting(Fault.cut("cut for 5 s", BOTH, 5_000), CONNECTING, 8_000),
                connecting(Fault.cut("cut one way for 5 s", HERE, 5_000), CONNECTING, 8_000),
                connecting(Fault.stopped("peer stopped for 5 s", 5_000), CONNECTING, 8_000),
                connecting(Fault.flaps(4), CONNECTING, 9_000),
                connecting(
                        Fault.addressRemoved("address of the peer removed for 3 s", THERE, 3_000), CONNECTING, 8_000),
                connecting(Fault.deviceRemoved("device of the peer removed for 3 s", 3_000), CONNECTING, 8_000),
                moving(Fault.none(), Oracle.allArrives(), 3_000),
                moving(Fault.portClosed("RoCE's port closed for 6 s", BOTH, 6_000), moves, 14_000),
                moving(Fault.portClosed("RoCE's port closed one way for 6 s", HERE, 6_000), moves, 14_000),
                moving(Fault.portClosed("RoCE's port closed for good", BOTH, ENDLESS), moves, 14_000),
                new Scenario(Fault.none(), FAILOVER_IDLE, Oracle.allArrives(), 5_000, MOVING_SILENCE),
                moving(Fault.cut("cut for 1 s", BOTH, 1_000), Oracle.allArrives(), 5_000),
                moving(Fault.linkDown("link down for 1 s", 1_000), moves, 8_000),
                moving(Fault.flaps(6), moves, 12_000),
                moving(Fault.wire("loss 1 %", "loss 1%"), Oracle.allArrives(), 5_000),
                moving(Fault.addressRemoved("address removed for 1 s", HERE, 1_000), moves, 8_000),
                moving(Fault.deviceRemoved("device of the peer removed for 3 s", 3_000), Oracle.allArrives(), 8_000),
                moving(Fault.cut("cut for good", BOTH, 12_000), Oracle.lostWithin(MOVING_SILENCE + SLACK), ENDLESS),
                killed(FAILOVER),
                moving(Fault.stopped("peer stopped for 5 s", 5_000), Oracle.allArrives(), 6_000),
                moving(Fault.stopped("peer stopped for 60 s", 60_000), Oracle.allArrives(), 4_000),
                new Scenario(Fault.poweredOff(), BUSY, lost, ENDLESS, SILENCE),
                new Scenario(Fault.poweredOff(), IDLE, lost, ENDLESS, SILENCE),
                new Scenario(Fault.panicked(), BUSY, Oracle.lostWithin(PANIC + SILENCE + SLACK), ENDLESS, SILENCE),
                new Scenario(Fault.panicked(), IDLE, Oracle.lostWithin(PANIC + SILENCE + SLACK), ENDLESS, SILENCE),
                moving(Fault.panicked(), Oracle.lostWithin(PANIC + MOVING_SILENCE + SLACK), ENDLESS));
    }

    private static Scenario arrives(Fault fault, Load load, long lengthMillis) {
        return new Scenario(fault, load, Oracle.allArrives(), lengthMillis, 30_000);
    }

    /** Everything arrives, or both ends get an exception. */
    private static Scenario either(Fault fault, long lengthMillis) {
        return new Scenario(fault, BUSY, Oracle.eitherWithin(SILENCE + SLACK), lengthMillis, SILENCE);
    }

    private static Scenario killed(Load load) {
        return new Scenario(Fault.killed(), load, Oracle.lostWithin(KILLED), ENDLESS, DEFAULT_SILENCE);
    }

    private static Scenario moving(Fault fault, Oracle oracle, long lengthMillis) {
        return new Scenario(fault, FAILOVER, oracle, lengthMillis, MOVING_SILENCE);
    }

    /** Some attempts may fail; the last must not. */
    private static Scenario connecting(Fault fault, Load load, long lengthMillis) {
        return new Scenario(fault, load, Oracle.allArrives(), lengthMillis, 0);
    }
}
