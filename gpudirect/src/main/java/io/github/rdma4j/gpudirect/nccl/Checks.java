// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.DeviceSlice;

/** Checks arguments before a call of NCCL, which would detect the errors late or never. */
final class Checks {
    private Checks() {}

    static void primary(CudaContext context) {
        if (!context.isPrimary()) {
            throw new IllegalArgumentException(context + " is not the primary context of its device, and NCCL uses that"
                    + " one, as all of CUDA's runtime. Use device.retainPrimaryContext() instead of"
                    + " createContext()");
        }
    }

    static void rank(String name, int rank, int ranks) {
        if (rank < 0 || rank >= ranks) {
            throw new IllegalArgumentException("%s %d: 0 to %d".formatted(name, rank, ranks - 1));
        }
    }

    /** Returns the number of elements of a slice, after checking that the communicator can use it. */
    static long elements(NcclCommunicator communicator, String name, DeviceSlice slice, NcclDataType type) {
        if (slice.length() % type.size() != 0) {
            throw new IllegalArgumentException("%s: %d bytes are no whole number of %s, of %d bytes each"
                    .formatted(name, slice.length(), type, type.size()));
        }
        requireDevice(communicator, name, slice);
        return slice.length() / type.size();
    }

    private static void requireDevice(NcclCommunicator communicator, String name, DeviceSlice slice) {
        CudaContext context = slice.memory().context();
        if (context != communicator.context()
                && context.handle() != communicator.context().handle()) {
            throw new IllegalArgumentException("%s: %s is not of the communicator's context, %s"
                    .formatted(name, slice.memory(), communicator.context()));
        }
    }

    static void length(String name, DeviceSlice slice, long wanted, String because) {
        if (slice.length() != wanted) {
            throw new IllegalArgumentException(
                    "%s has %d bytes and must have %d: %s".formatted(name, slice.length(), wanted, because));
        }
    }

    /**
     * Throws if slices overlap, unless they are identical parts and the operation can be in place.
     *
     * @param inPlace the part of the larger slice that may equal the smaller one
     */
    static void overlap(DeviceSlice send, DeviceSlice receive, DeviceSlice inPlace, DeviceSlice smaller) {
        if (send.length() == 0 || receive.length() == 0) {
            return;
        }
        boolean apart = send.address() + send.length() <= receive.address()
                || receive.address() + receive.length() <= send.address();
        boolean same = inPlace != null && inPlace.address() == smaller.address();
        if (!apart && !same) {
            throw new IllegalArgumentException("%s and %s overlap: pass separate memory%s"
                    .formatted(send, receive, inPlace == null ? "" : ", or for an in-place call " + inPlace));
        }
    }
}
