// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.CharacterDevice;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.explain.Explanation;
import io.github.rdma4j.verbs.internal.explain.KernelDevices;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Explains why rdma_cm itself cannot be used, and what to do. */
final class CreationFailure {

    private static final Path FILE = Path.of("/dev/infiniband/rdma_cm");
    private static final Path LOADED = Path.of("/sys/class/misc/rdma_cm");

    private CreationFailure() {}

    static VerbsException of(String operation, int errno) {
        CharacterDevice state = CharacterDevice.of(FILE);
        if (state == CharacterDevice.FORBIDDEN || state == CharacterDevice.REFUSED) {
            return Failures.of(operation, errno, state.cause(FILE), state.remedy(FILE));
        }
        return withAccess(operation, errno, KernelDevices.names());
    }

    /** For a user whose rights are not the cause. */
    static VerbsException withAccess(String operation, int errno, List<String> ofKernel) {
        Explanation explanation = switch (errno) {
            case Errno.ENODEV -> noDevice(ofKernel);
            case Errno.ENOENT -> withoutFile();
            case Errno.EMFILE ->
                new Explanation()
                        .add(
                                "an event channel is a file descriptor",
                                "raise the limit of open files ('ulimit -n'), or let connections share an event"
                                        + " channel");
            default -> new Explanation();
        };
        return Failures.of(operation, errno, explanation.cause(), explanation.remedy());
    }

    /** librdmacm reports ENODEV if libibverbs lists no device, for whatever reason. */
    private static Explanation noDevice(List<String> ofKernel) {
        if (ofKernel.isEmpty()) {
            Explanation absent = KernelDevices.absent();
            return new Explanation()
                    .add(
                            absent.cause(),
                            absent.remedy() + "; without RDMA, endpoints that have the transport RDMA_OR_TCP take TCP");
        }
        List<String> unlisted = unlisted();
        if (!unlisted.isEmpty()) {
            return KernelDevices.unlisted(unlisted);
        }
        Explanation refused = refused(Device.list());
        return refused.isEmpty() ? notLoaded() : refused;
    }

    /**
     * Finds out why librdmacm cannot use devices: it reports ENODEV if libibverbs does not open one, or refuses a
     * protection domain, for whatever reason.
     *
     * @return why libibverbs refuses the first of them that it refuses; empty if it refuses none
     */
    static Explanation refused(List<Device> devices) {
        for (Device device : devices) {
            try (DeviceContext context = DeviceContext.open(device)) {
                context.allocateProtectionDomain().close();
            } catch (VerbsException e) {
                return new Explanation().add(e.problem(), e.remedy());
            }
        }
        return new Explanation();
    }

    /** The same for the devices of a network interface. */
    static Explanation refused(String networkInterface) {
        return refused(Device.list().stream()
                .filter(device -> KernelDevices.serves(device.sysfsPath(), networkInterface))
                .toList());
    }

    /** {@return the devices that neither libibverbs nor librdmacm can use} */
    static List<String> unlisted() {
        return KernelDevices.besides(Device.list().stream().map(Device::name).toList());
    }

    private static Explanation withoutFile() {
        return Files.exists(LOADED)
                ? new Explanation().add(CharacterDevice.MISSING.cause(FILE), KernelDevices.PASS_IN)
                : notLoaded();
    }

    private static Explanation notLoaded() {
        return new Explanation()
                .add("the kernel module rdma_ucm is not loaded, which makes " + FILE, "load it ('modprobe rdma_ucm')");
    }
}
