// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

/** What to do when rdma_cm itself cannot be used. */
final class CreationRemedy {
    private static final int ENOENT = 2;
    private static final int EACCES = 13;
    private static final int ENODEV = 19;
    private static final int EMFILE = 24;

    private CreationRemedy() {}

    static String of(int errno) {
        return switch (errno) {
            case ENOENT -> "load the kernel module rdma_ucm ('modprobe rdma_ucm'), which makes /dev/infiniband/rdma_cm";
            case EACCES -> "let this user read and write /dev/infiniband/rdma_cm";
            case ENODEV ->
                "this machine has no RDMA device ('rdma link'), or the module rdma_ucm is not loaded ('modprobe"
                        + " rdma_ucm')";
            case EMFILE -> "raise the limit of open files ('ulimit -n'), or let connections share an event channel";
            default -> "";
        };
    }
}
