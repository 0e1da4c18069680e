// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import java.io.Serial;

/** Why a queue uses functions although its device was opened for rings; the message is for users. */
public final class RingRefusal extends Exception {
    @Serial
    private static final long serialVersionUID = 1;

    RingRefusal(String reason) {
        super(reason, null, false, false);
    }
}
