// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.FindingState;
import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests how failures between two ends are explained. */
class FailureExplanationTest {
    private static final PortPair ROCE =
            new PortPair(Machines.roce("mlx5_0", "0a63:0001"), Machines.roce("mlx5_1", "0a63:0002"));
    private static final String GID = "fe80:0000:0000:0000:0000:0000:0000:0001";
    private static final PortPair INFINIBAND =
            new PortPair(Machines.infiniBand(GID, "0xffff"), Machines.infiniBand(GID, "0xffff"));

    private static Failure status(String name) {
        return new Failure(Failure.Kind.STATUS, name, "a send of 64 bytes: " + name, "");
    }

    private static Finding words(PortPair ports, boolean byCm, Check check, Failure failure) {
        return new FailureExplanation(ports, "beta", byCm).finding(check, "here -> beta", failure, 4096, "beta says: ");
    }

    /** None is without words, nor without advice. */
    @ParameterizedTest
    @EnumSource(
            value = WorkCompletionStatus.class,
            names = {"SUCCESS"},
            mode = EnumSource.Mode.EXCLUDE)
    void eachStatusHasItsWords(WorkCompletionStatus status) {
        for (Check check : new Check[] {Check.RC_CONNECTION, Check.PATH_MTU, Check.LOAD}) {
            Finding finding = words(ROCE, false, check, status(status.name()));
            assertThat(finding.state()).isEqualTo(FindingState.FAIL);
            assertThat(finding.seen()).isEqualTo("beta says: a send of 64 bytes: " + status.name());
            assertThat(finding.meaning()).isNotEmpty();
            assertThat(finding.remedy()).isNotEmpty();
            assertThat(finding.source()).isEqualTo("ibv_poll_cq: IBV_WC_" + status.name());
        }
    }

    @Test
    void retriesExceededIsTheFirewallIfNothingPasses() {
        for (Failure failure : new Failure[] {status("RETRY_EXC_ERR"), Failure.silence("nothing")}) {
            Finding finding = words(ROCE, false, Check.RC_CONNECTION, failure);
            assertThat(finding.meaning()).contains("drops UDP port 4791", "GIDs", "VLAN");
            assertThat(finding.remedy()).contains("--dport 4791 -j ACCEPT", "nft");
        }
    }

    @Test
    void itIsTheGidIfRdmaCmConnects() {
        Finding finding = words(ROCE, true, Check.RC_CONNECTION, status("RETRY_EXC_ERR"));
        assertThat(finding.meaning())
                .contains("mlx5_0/1 (GID index 1)", "mlx5_1/1 (GID index 1)")
                .doesNotContain("firewall");
        assertThat(finding.remedy()).contains("--gid-index");
    }

    @Test
    void itIsThePathsMtuIfSmallerPacketsPass() {
        Finding finding = words(ROCE, true, Check.PATH_MTU, status("RETRY_EXC_ERR"));
        assertThat(finding.meaning()).contains("smaller ones arrive", "switch");
        assertThat(finding.remedy()).contains("ping -M do -s 4126 10.99.0.2");
        assertThat(words(INFINIBAND, true, Check.PATH_MTU, status("RETRY_EXC_ERR"))
                        .remedy())
                .contains("iblinkinfo")
                .doesNotContain("ping");
    }

    @Test
    void itIsLossIfSinglePacketsPass() {
        assertThat(words(ROCE, true, Check.LOAD, status("RETRY_EXC_ERR")).meaning())
                .contains("under load");
    }

    @Test
    void infiniBandHasPartitionsAndNoFirewall() {
        Finding finding = words(INFINIBAND, false, Check.RC_CONNECTION, status("RETRY_EXC_ERR"));
        assertThat(finding.meaning()).contains("partition", "subnet manager").doesNotContain("4791");
        PortPair iwarp = new PortPair(Machines.iwarp(), Machines.iwarp());
        assertThat(words(iwarp, false, Check.CM_CONNECTION, status("RETRY_EXC_ERR"))
                        .meaning())
                .contains("connection broke");
    }

    @Test
    void notReadyIsNoFaultOfTheNetwork() {
        assertThat(words(ROCE, true, Check.RDMA_WRITE, status("RNR_RETRY_EXC_ERR"))
                        .meaning())
                .contains("posted no receive", "the network is not the cause");
    }

    @Test
    void invalidRequestIsThePathMtuOfTheQueuePairs() {
        assertThat(words(ROCE, true, Check.PATH_MTU, status("REM_INV_REQ_ERR")).meaning())
                .contains("the same path MTU, here 4096");
    }

    @Test
    void rdmaCmHasItsOwnWords() {
        Failure unreachable = new Failure(Failure.Kind.CONNECTION, "UNREACHABLE", "no event arrived", "wait");
        assertThat(words(ROCE, false, Check.CM_CONNECTION, unreachable).remedy())
                .contains("--dport 4791");
        assertThat(words(INFINIBAND, false, Check.CM_CONNECTION, unreachable).remedy())
                .isEqualTo("wait");
        assertThat(words(INFINIBAND, false, Check.CM_CONNECTION, unreachable).meaning())
                .doesNotContain("4791");
        for (String name : new String[] {"ADDR_ERROR", "ROUTE_ERROR", "INVALID_SERVICE_ID", "DISCONNECTED", "X", ""}) {
            Finding finding =
                    words(ROCE, false, Check.CM_ADDRESS, new Failure(Failure.Kind.CONNECTION, name, "it failed", ""));
            assertThat(finding.meaning()).isNotEmpty();
            assertThat(finding.remedy()).isNotEmpty();
        }
    }

    @Test
    void refusalsAndContentHaveTheirs() {
        Failure noNeighbour = new Failure(Failure.Kind.REFUSED, "ETIMEDOUT", "ibv_modify_qp failed", "ping it");
        assertThat(words(ROCE, true, Check.RC_CONNECTION, noNeighbour).meaning())
                .contains("cannot find the other end's GID");
        Failure refused = new Failure(Failure.Kind.REFUSED, "EINVAL", "ibv_modify_qp failed", "ping it");
        assertThat(words(ROCE, true, Check.RC_CONNECTION, refused).remedy()).isEqualTo("ping it");
        assertThat(words(ROCE, true, Check.RDMA_WRITE, Failure.content("byte 7"))
                        .meaning())
                .contains("data was changed");
        assertThat(words(ROCE, true, Check.RDMA_WRITE, status("A_LATER_ONE")).meaning())
                .contains("has no explanation");
    }

    @Test
    void failuresTravel() {
        Failure failure = new Failure(Failure.Kind.STATUS, "RETRY_EXC_ERR", "a text", "a remedy");
        assertThat(Failure.of(failure.fields())).isEqualTo(failure);
        assertThatThrownBy(() -> Failure.of(failure.fields().with("kind", "WORSE")))
                .isInstanceOf(BadMessageException.class);
    }
}
