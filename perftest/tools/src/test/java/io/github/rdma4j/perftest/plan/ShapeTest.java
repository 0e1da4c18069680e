// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.options.ConnectionType;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.wire.SystemData;
import io.github.rdma4j.verbs.QueuePairType;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Which queue pair does what, and where messages lie. */
class ShapeTest {
    private static RunParameters parse(Tool tool, String options) {
        return RunParameters.parse(tool, List.of(options.split(" ")));
    }

    private static Shape shape(ConnectionType connection, boolean bothWays, boolean sends) {
        return new Shape(connection, 3, 100, 8, 8, bothWays, sends, false, null);
    }

    private static List<QueuePairType> types(Shape shape) {
        return IntStream.range(0, shape.queuePairs()).mapToObj(shape::type).toList();
    }

    @Test
    void isWhatTheOptionsAskFor() {
        String options = "-c UD -s 100 -q 5 -t 20 -r 30 -n 1000 -R";
        assertThat(Shape.of(parse(Tool.SEND_BANDWIDTH, options), 2048))
                .isEqualTo(new Shape(ConnectionType.UD, 5, 100, 20, 30, false, false, true, null));
        assertThat(Shape.of(parse(Tool.SEND_BANDWIDTH, options + " server"), 2048))
                .as("a side that only sends receives nothing")
                .isEqualTo(new Shape(ConnectionType.UD, 5, 100, 20, 0, false, true, true, null));
        assertThat(Depth.of(parse(Tool.SEND_BANDWIDTH, "-t 20 -Q 10 -n 1000"))).isEqualTo(new Depth(20, 10, 1));
    }

    @ParameterizedTest
    @EnumSource(names = {"RC", "UC", "UD"})
    void queuePairSendsAndReceivesForItsStream(ConnectionType connection) {
        for (boolean bothWays : new boolean[] {false, true}) {
            Shape shape = shape(connection, bothWays, true);
            assertThat(types(shape)).hasSize(3).containsOnly(QueuePairType.valueOf(connection.name()));
            assertThat(shape.receiver(2)).isEqualTo(2);
            assertThat(shape.peerOf(1)).isEqualTo(1);
        }
    }

    /** The sending queue pairs here are connected to the receiving ones there, and the other way round. */
    @Test
    void ofXrcOneHalfSendsAndTheOtherReceivesWhereBothSidesSend() {
        Shape shape = shape(ConnectionType.XRC, true, true);
        QueuePairType send = QueuePairType.XRC_SEND;
        QueuePairType receive = QueuePairType.XRC_RECV;
        assertThat(types(shape)).containsExactly(send, send, send, receive, receive, receive);
        assertThat(IntStream.range(0, 3).map(shape::receiver)).containsExactly(3, 4, 5);
        assertThat(IntStream.range(0, 6).map(shape::peerOf)).containsExactly(3, 4, 5, 0, 1, 2);
        assertThat(types(shape(ConnectionType.XRC, false, true))).containsExactly(send, send, send);
        Shape receiver = shape(ConnectionType.XRC, false, false);
        assertThat(types(receiver)).containsExactly(receive, receive, receive);
        assertThat(receiver.receiver(2)).isEqualTo(2);
        assertThat(receiver.peerOf(2)).isEqualTo(2);
    }

    @Test
    void localPairIsTwoStreamsBothWays() {
        assertThat(Shape.localPair(ConnectionType.RC, 64, 4, 6))
                .isEqualTo(new Shape(ConnectionType.RC, 2, 64, 4, 6, true, true, false, null));
    }

    /** Forty bytes are before a datagram. */
    @ParameterizedTest
    @CsvSource({
        "RC, 100, 100",
        "UD, 1, 64",
        "UD, 24, 64",
        "UD, 25, 128",
        "UD, 88, 128",
        "UD, 4096, 4160",
        "SRD, 100, 100"
    })
    void datagramTakesItsHeaderInWholeCacheLines(ConnectionType connection, long size, long room) {
        assertThat(new Shape(connection, 1, size, 1, 1, false, false, false, null).room(64))
                .isEqualTo(room);
    }

    /** Through a page of 4096 bytes, as long as two fit into it. */
    @ParameterizedTest
    @CsvSource({
        "1, 64, 64",
        "64, 64, 64",
        "65, 32, 128",
        "1000, 4, 1024",
        "2000, 2, 2048",
        "2048, 2, 2048",
        "2049, 1, 2112",
        "100000, 1, 100032"
    })
    void messagesGoThroughAPageACacheLineOrMoreApart(long size, int count, long step) {
        assertThat(Slots.of(size, new SystemData(4096, 64))).isEqualTo(new Slots(count, step));
    }
}
