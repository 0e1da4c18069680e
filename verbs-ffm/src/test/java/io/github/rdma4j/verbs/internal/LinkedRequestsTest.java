// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.bindings.ibv_send_wr;
import org.junit.jupiter.api.Test;

class LinkedRequestsTest {
    @Test
    void sendsBeginWithTheFieldsOfReceives() {
        assertThat(ibv_send_wr.wr_id$offset()).isEqualTo(LinkedRequests.WR_ID);
        assertThat(ibv_send_wr.next$offset()).isEqualTo(LinkedRequests.NEXT);
        assertThat(ibv_send_wr.sg_list$offset()).isEqualTo(LinkedRequests.SG_LIST);
        assertThat(ibv_send_wr.num_sge$offset()).isEqualTo(LinkedRequests.NUM_SGE);
    }
}
