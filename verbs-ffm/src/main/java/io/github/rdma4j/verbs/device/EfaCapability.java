// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

import io.github.rdma4j.verbs.internal.Flags;
import java.util.Set;

/**
 * A capability of an Elastic Fabric Adapter ({@code EFADV_DEVICE_ATTR_CAPS_…}). An older rdma-core does not report the
 * newer capabilities, even if the adapter has them.
 *
 * @experimental It has been run on a stand-in for the adapter, but not on an EFA.
 * @since 0.1.0
 */
public enum EfaCapability {
    /** RDMA reads; reported since rdma-core 27. */
    RDMA_READ(0, 27),
    /** The number of retries can be set for a peer without a posted receive; reported since rdma-core 32. */
    RNR_RETRY(1, 32),
    /** Completions can have the sender's GID; reported since rdma-core 43. */
    SENDER_GID(2, 43),
    /** RDMA writes, with immediate or without; reported since rdma-core 46. */
    RDMA_WRITE(3, 46),
    /** Writes with immediate can complete without a posted receive; reported since rdma-core 52. */
    UNSOLICITED_WRITE_RECEIVE(4, 52),
    /** Writes can carry inline data, which libefa supports since rdma-core 63 but reports in no bit. */
    INLINE_WRITE(Integer.SIZE, 63);

    private final long bit;
    private final int version;

    EfaCapability(int bit, int version) {
        this.bit = 1L << bit;
        this.version = version;
    }

    /** {@return the version of rdma-core that first reported it} */
    public int rdmaCoreVersion() {
        return version;
    }

    /**
     * Returns the capabilities of a mask.
     *
     * @param mask {@code device_caps} of {@code struct efadv_device_attr}
     * @return the capabilities; bits without a constant are left out
     */
    public static Set<EfaCapability> ofMask(int mask) {
        return Flags.of(EfaCapability.class, capability -> capability.bit, Integer.toUnsignedLong(mask));
    }
}
