// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_wc;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Every status names its usual cause and a remedy. */
class WorkCompletionStatusTest {

    @ParameterizedTest
    @EnumSource(value = WorkCompletionStatus.class, mode = EnumSource.Mode.EXCLUDE, names = "SUCCESS")
    void everyFailureHasACauseAndARemedy(WorkCompletionStatus status) {
        assertThat(status.text()).isNotBlank();
        assertThat(status.usualCause()).isNotBlank().doesNotEndWith(".");
        assertThat(status.remedy()).isNotBlank().doesNotEndWith(".");
        assertThat(status.describe())
                .isEqualToIgnoringCase(
                        status.text() + "; usual cause: " + status.usualCause() + ". " + status.remedy());
    }

    @ParameterizedTest
    @CsvSource({
        "LOC_LEN_ERR, smaller than the message, post receives as long as the longest message",
        "LOC_QP_OP_ERR, smaller than the message, type and sizes",
        "LOC_PROT_ERR, lacks LOCAL_WRITE, keep the region open",
        "WR_FLUSH_ERR, error state, look for the first completion that failed otherwise",
        "MW_BIND_ERR, MW_BIND, bind within the region",
        "REM_INV_REQ_ERR, more reads and atomics, maxDestinationReadAtomic",
        "REM_ACCESS_ERR, remote key is wrong, compare address",
        "RETRY_EXC_ERR, UDP 4791, ping it",
        "RETRY_EXC_ERR, P_Key, ibping",
        "RNR_RETRY_EXC_ERR, too late or too few, set rnrRetry to 7"
    })
    void commonOnesSayWhatMatters(WorkCompletionStatus status, String cause, String remedy) {
        assertThat(status.usualCause()).contains(cause);
        assertThat(status.remedy()).contains(remedy);
    }

    @ParameterizedTest
    @EnumSource(value = WorkCompletionStatus.class, mode = EnumSource.Mode.EXCLUDE, names = "UNKNOWN")
    void codeIsThePlaceInTheHeader(WorkCompletionStatus status) throws ReflectiveOperationException {
        int code = (int) RdmaHeaders.class.getMethod("IBV_WC_" + status).invoke(null);
        assertThat(WorkCompletionStatus.ofCode(code)).isSameAs(status);
    }

    @Test
    void codesOfLaterLibrariesAreUnknown() {
        assertThat(WorkCompletionStatus.ofCode(24)).isSameAs(WorkCompletionStatus.UNKNOWN);
        assertThat(WorkCompletionStatus.ofCode(-1)).isSameAs(WorkCompletionStatus.UNKNOWN);
    }

    @Test
    void completionDescribesItself() {
        MemorySegment memory = ibv_wc.allocate(Arena.ofAuto());
        ibv_wc.wr_id(memory, 0x2a);
        ibv_wc.qp_num(memory, 0x11);
        WorkCompletion completion = new WorkCompletion(memory);
        assertThat(completion.describe())
                .isEqualTo("work request 0x2a on queue pair 0x000011: success (SUCCESS, 0), vendor error 0x0");
        ibv_wc.status(memory, RdmaHeaders.IBV_WC_RNR_RETRY_EXC_ERR());
        ibv_wc.vendor_err(memory, 0x81);
        assertThat(completion)
                .hasToString("work request 0x2a on queue pair 0x000011: receiver-not-ready retry counter exceeded"
                        + " (RNR_RETRY_EXC_ERR, 13), vendor error 0x81; usual cause: the peer posts receives"
                        + " too late or too few. Post receives before the peer may send,"
                        + " post more of them, or set rnrRetry to 7, which waits forever");
        ibv_wc.status(memory, 77);
        assertThat(completion.describe())
                .contains("unknown status (UNKNOWN, 77)")
                .contains("newer than this library");
        assertThat(WorkCompletionStatus.SUCCESS.describe()).isEqualTo("success");
    }
}
