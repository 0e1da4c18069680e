// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.bindings.ibv_send_wr;
import io.github.rdma4j.verbs.bindings.ibv_sge;
import io.github.rdma4j.verbs.internal.SendRequests;

/** The offsets of fields of {@code struct ibv_send_wr} and {@code struct ibv_sge} that rings read, in bytes. */
final class SendRequestLayout {
    static final long NEXT = ibv_send_wr.next$offset();
    static final long WR_ID = ibv_send_wr.wr_id$offset();
    static final long ENTRIES_AND_OPCODE = ibv_send_wr.num_sge$offset();
    static final long FLAGS_AND_IMMEDIATE = ibv_send_wr.send_flags$offset();
    private static final long RDMA = ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma$offset();
    static final long RDMA_ADDRESS = RDMA + ibv_send_wr.wr.rdma.remote_addr$offset();
    static final long RDMA_KEY = RDMA + ibv_send_wr.wr.rdma.rkey$offset();
    private static final long ATOMIC = ibv_send_wr.wr$offset() + ibv_send_wr.wr.atomic$offset();
    static final long ATOMIC_ADDRESS = ATOMIC + ibv_send_wr.wr.atomic.remote_addr$offset();
    static final long ATOMIC_COMPARE_ADD = ATOMIC + ibv_send_wr.wr.atomic.compare_add$offset();
    static final long ATOMIC_SWAP = ATOMIC + ibv_send_wr.wr.atomic.swap$offset();
    static final long ATOMIC_KEY = ATOMIC + ibv_send_wr.wr.atomic.rkey$offset();
    private static final long DATAGRAM = ibv_send_wr.wr$offset() + ibv_send_wr.wr.ud$offset();
    /** The queue pair's number and the key after it. */
    static final long DATAGRAM_PEER_AND_KEY = DATAGRAM + ibv_send_wr.wr.ud.remote_qpn$offset();

    static final long DATAGRAM_HANDLE_NUMBER = SendRequests.DATAGRAM_HANDLE_NUMBER;
    static final long SGE_ADDRESS = ibv_sge.addr$offset();
    static final long SGE_LENGTH = ibv_sge.length$offset();
    static final long SGE_BYTES = ibv_sge.sizeof();

    private SendRequestLayout() {}
}
