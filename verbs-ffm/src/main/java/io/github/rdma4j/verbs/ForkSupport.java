// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.NativeLibraries;

/**
 * Registered memory and fork(2) (ibv_fork_init(3)). On kernels before 5.12, a fork makes the pages of registered memory
 * copy-on-write: the next write of the parent goes to a copy, and the adapter keeps working on the original. With
 * support enabled, libibverbs takes every registered page out of the child (madvise(2), MADV_DONTFORK); a child that
 * touches such a page is killed.
 *
 * <p>Support is for native code in the process that forks. Java's own {@link ProcessBuilder} needs none of this: it
 * starts programs without duplicating the address space, unless {@code -Djdk.lang.Process.launchMechanism=FORK} is set.
 * If you set it and enable support, register whole pages only. Otherwise the child may touch other data in a page that
 * it no longer has: it crashes, and {@link ProcessBuilder#start()} does not return.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class ForkSupport {
    private ForkSupport() {}

    /**
     * Returns whether registered memory survives a fork (ibv_is_fork_initialized(3)).
     *
     * @return the status now
     * @throws UnsupportedVerbException before rdma-core 35
     * @throws NativeLibraryException if libibverbs is missing
     */
    public static ForkStatus status() {
        NativeLibraries.requireVerbs();
        return ForkStatus.ofCode(ExportedVerb.IS_FORK_INITIALIZED.number());
    }

    /**
     * Makes registered memory survive a fork (ibv_fork_init(3)). Call it before anything is registered. Does nothing if
     * support is enabled already, or if the kernel does not need it. It cannot be undone. The environment variable
     * {@code RDMAV_HUGEPAGES_SAFE} must be set before if huge pages will be registered.
     *
     * @throws VerbsException if something has been registered in this process before, or the kernel cannot do it
     * @throws NativeLibraryException if libibverbs is missing
     */
    public static void enable() {
        NativeLibraries.requireVerbs();
        // Some versions of the function report that it is too late although there is nothing to do.
        if (!ExportedVerb.IS_FORK_INITIALIZED.isPresent() || status() == ForkStatus.DISABLED) {
            check(ExportedVerb.FORK_INIT.number());
        }
    }

    static void check(int errno) {
        if (errno == Errno.EINVAL) {
            throw Failures.of(
                    "ibv_fork_init()",
                    errno,
                    "something has been registered in this process already: a memory region, or the queues of a device",
                    "call ForkSupport.enable() before the first device is opened, or set the environment variable"
                            + " RDMAV_FORK_SAFE=1");
        }
        Failures.check("ibv_fork_init()", errno);
    }
}
