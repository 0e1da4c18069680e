// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

/** The severity of a finding. */
public enum FindingState {
    /** As it should be. */
    OK,
    /** Worth knowing; nothing to repair. */
    NOTE,
    /** It works, but slower or not by the best path. */
    WARNING,
    /** It does not work. */
    FAIL,
    /** It is unknown; the finding contains the reason. */
    UNKNOWN
}
