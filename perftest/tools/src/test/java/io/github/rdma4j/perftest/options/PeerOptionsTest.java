// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.wire.MeetingPoint;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where and how the sides meet: rdma_cm, addresses. */
class PeerOptionsTest {
    private static RunParameters parse(String arguments) {
        return RunParameters.parse(Tool.WRITE_BANDWIDTH, List.of(arguments.split(" +")));
    }

    @Test
    void sidesMeetOverTcpByDefault() {
        PeerOptions peer = parse("host").peer();
        assertThat(peer.meetingPoint()).isEqualTo(new MeetingPoint("host", 18515, null, false, false));
        assertThat(peer.rdmaCm()).isFalse();
        assertThat(peer.typeOfService()).isEqualTo(-1);
        assertThat(peer.retryCount()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-z", "--com_rdma_cm", "--comm_rdma_cm"})
    void conversationCanGoByRdmaCmUnderBothSpellingsOfC(String option) {
        PeerOptions peer = parse(option + " -p 4444 host").peer();
        assertThat(peer.meetingPoint()).isEqualTo(new MeetingPoint("host", 4444, null, false, true));
        assertThat(peer.rdmaCm()).isFalse();
    }

    @Test
    void whereRdmaCmConnectsTheQueuePairsTheConversationGoesByItToo() {
        PeerOptions peer = parse("-R -T 32 --retry_count=3 -u 18 host").peer();
        assertThat(peer.meetingPoint().overRdma()).isTrue();
        assertThat(peer.rdmaCm()).isTrue();
        assertThat(peer.typeOfService()).isEqualTo(32);
        assertThat(peer.retryCount()).isEqualTo(3);
        assertThat(parse("--rdma_cm").peer().rdmaCm()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--bind_source_ip", "--source_ip"})
    void localAddressHasTheNamesOfBothVersionsOfC(String option) {
        assertThat(parse(option + " 10.99.0.1 --ipv6-addr").peer().meetingPoint())
                .isEqualTo(new MeetingPoint(null, 18515, "10.99.0.1", true, false));
    }

    @Test
    void ipv6GidCanBeAskedFor() {
        assertThat(parse("--ipv6").path().ipv6()).isTrue();
        assertThat(parse("host").path().ipv6()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-T 256 -R          | -T/--tos: 256 is out of range; allowed is 0 to 255",
                "-T 8               | -T/--tos: only rdma_cm sets a type of service; also give -R/--rdma_cm",
                "-T 8 -z            | -T/--tos: only rdma_cm sets a type of service",
                "--retry_count 8 -R | --retry_count: 8 is out of range; allowed is 0 to 7",
                "-R -L 3            | -L/--hop_limit: not together with -R/--rdma_cm, where rdma_cm sets it",
                "-R -c UC           | -c/--connection: rdma_cm (-R) connects RC and UD; leave -R out for UC",
            })
    void optionsThatCRefusesWithRdmaCmAreRefused(String arguments, String message) {
        assertThatThrownBy(() -> parse(arguments))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessageStartingWith(message);
    }
}
