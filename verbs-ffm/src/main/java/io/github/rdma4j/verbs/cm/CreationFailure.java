// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.CharacterDevice;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.KernelDevices;
import java.nio.file.Path;
import java.util.Optional;

/** rdma_cm itself cannot be used: why, and what to do. */
final class CreationFailure {
    private static final int ENOENT = 2;
    private static final int ENODEV = 19;
    private static final int EMFILE = 24;

    private static final Path FILE = Path.of("/dev/infiniband/rdma_cm");

    private CreationFailure() {}

    static VerbsException of(String operation, int errno) {
        if (CharacterDevice.of(FILE) == CharacterDevice.FORBIDDEN) {
            return Failures.of(
                    operation, errno, CharacterDevice.FORBIDDEN.cause(FILE), CharacterDevice.giveAccess(FILE));
        }
        return withAccess(operation, errno);
    }

    /** Where this user's rights are not the reason. */
    static VerbsException withAccess(String operation, int errno) {
        Optional<String> withoutFiles =
                errno == ENODEV ? KernelDevices.withoutFiles(KernelDevices.names()) : Optional.empty();
        if (withoutFiles.isPresent()) {
            return Failures.of(operation, errno, withoutFiles.get(), KernelDevices.PASS_IN);
        }
        String cause = errno == ENODEV
                ? "this machine has no RDMA device ('rdma link'), or the module rdma_ucm is not loaded"
                : "";
        return Failures.of(operation, errno, cause, remedy(errno));
    }

    private static String remedy(int errno) {
        return switch (errno) {
            case ENOENT ->
                "load the kernel module rdma_ucm ('modprobe rdma_ucm'), which makes /dev/infiniband/rdma_cm; in a"
                        + " container, pass the devices in (docker run --device=/dev/infiniband ...)";
            case ENODEV ->
                "load the adapter's driver, and rdma_ucm ('modprobe rdma_ucm'); without an adapter make a SoftRoCE"
                        + " device (rdma link add rxe0 type rxe netdev eth0), or run the program under"
                        + " scripts/softroce; without RDMA, endpoints that have the transport RDMA_OR_TCP take TCP";
            case EMFILE -> "raise the limit of open files ('ulimit -n'), or let connections share an event channel";
            default -> "";
        };
    }
}
