// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.bindings.ibv_device;
import io.github.rdma4j.verbs.device.NodeType;
import io.github.rdma4j.verbs.device.TransportType;
import io.github.rdma4j.verbs.internal.ByteOrders;
import io.github.rdma4j.verbs.internal.CharacterDevice;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.NativeLibraries;
import io.github.rdma4j.verbs.internal.NativeMemory;
import io.github.rdma4j.verbs.internal.explain.Explanation;
import io.github.rdma4j.verbs.internal.explain.KernelDevices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * An RDMA device of this machine, as ibv_get_device_list(3) names it. A plain value: {@link DeviceContext#open} opens
 * it.
 *
 * @param name such as {@code mlx5_0} or {@code rxe0}
 * @param uverbsName the character device below {@code /dev/infiniband}, such as {@code uverbs0}
 * @param sysfsPath the device's directory, {@code /sys/class/infiniband/NAME}
 * @param guid the node GUID
 * @param nodeType the kind of node
 * @param transportType its transport
 * @param index the kernel's number of the device (ibv_get_device_index(3)), which does not change when the device is
 *     renamed; -1 if the kernel does not report it
 * @since 0.1.0
 */
public record Device(
        String name,
        String uverbsName,
        Path sysfsPath,
        long guid,
        NodeType nodeType,
        TransportType transportType,
        int index) {

    /**
     * Lists the devices of this machine, in libibverbs's order (ibv_get_device_list(3)).
     *
     * @return the devices; empty if there are none
     * @throws NativeLibraryException if libibverbs is missing
     * @throws VerbsException if the list cannot be read
     */
    public static List<Device> list() {
        return withNativeList(Device::describe);
    }

    /**
     * Finds a device by name.
     *
     * @param name such as {@code mlx5_0}
     * @return the device
     * @throws NoSuchDeviceException if there is none; the message lists the devices that are there
     * @throws NativeLibraryException if libibverbs is missing
     */
    public static Device find(String name) {
        List<Device> devices = list();
        return devices.stream()
                .filter(device -> device.name().equals(name))
                .findFirst()
                .orElseThrow(() -> notFound(name, devices));
    }

    /**
     * Opens the native device of that name. The list lives no longer than this call; an open context keeps its device.
     */
    static MemorySegment openNative(String name) {
        MemorySegment context = withNativeList(devices -> {
            for (MemorySegment device : devices) {
                if (nameOf(device).equals(name)) {
                    MemorySegment opened = ExportedVerb.OPEN_DEVICE.pointer(device);
                    if (opened.address() == 0) {
                        throw cannotOpen(device);
                    }
                    return opened;
                }
            }
            return null;
        });
        if (context == null) {
            throw notFound(name, list());
        }
        return context;
    }

    /** Returns the device of an open native context, which contains its name. */
    static Device ofNative(MemorySegment context) {
        NativeLibraries.requireVerbs();
        return describe(
                NativeMemory.pointer(context, ibv_context.device$offset()).reinterpret(ibv_device.sizeof()));
    }

    private static <T> T withNativeList(Function<List<MemorySegment>, T> use) {
        NativeLibraries.requireVerbs();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
            MemorySegment list = ExportedVerb.GET_DEVICE_LIST.pointer(count);
            if (list.address() == 0) {
                int errno = NativeCalls.lastErrno();
                if (errno == Errno.ENOSYS || errno == Errno.ENOENT) {
                    return use.apply(List.of());
                }
                throw Failures.of("ibv_get_device_list()", errno);
            }
            try {
                int size = count.get(ValueLayout.JAVA_INT, 0);
                MemorySegment array = list.reinterpret(ValueLayout.ADDRESS.byteSize() * size);
                List<MemorySegment> devices = new ArrayList<>();
                for (int i = 0; i < size; i++) {
                    devices.add(NativeMemory.pointer(array, i * ValueLayout.ADDRESS.byteSize())
                            .reinterpret(ibv_device.sizeof()));
                }
                return use.apply(devices);
            } finally {
                ExportedVerb.FREE_DEVICE_LIST.call(list);
            }
        }
    }

    private static List<Device> describe(List<MemorySegment> devices) {
        return devices.stream().map(Device::describe).toList();
    }

    private static Device describe(MemorySegment device) {
        return new Device(
                nameOf(device),
                ibv_device.dev_name(device).getString(0),
                Path.of(ibv_device.ibdev_path(device).getString(0)),
                ByteOrders.fromNetwork(ExportedVerb.GET_DEVICE_GUID.call(device)),
                NodeType.ofCode(ibv_device.node_type(device)),
                TransportType.ofCode(ibv_device.transport_type(device)),
                ExportedVerb.GET_DEVICE_INDEX.number(device));
    }

    private static String nameOf(MemorySegment device) {
        return ExportedVerb.GET_DEVICE_NAME
                .pointer(device)
                .reinterpret(ibv_device.name$layout().byteSize())
                .getString(0);
    }

    static NoSuchDeviceException notFound(String name, List<Device> present) {
        return notFound(name, present, KernelDevices.names());
    }

    /** The kernel can have devices that libibverbs has no driver for and does not list. */
    static NoSuchDeviceException notFound(String name, List<Device> present, List<String> ofKernel) {
        // A program that accepts any device and finds none has no name to report.
        String operation = name.isEmpty() && present.isEmpty()
                ? "looking for an RDMA device"
                : "opening RDMA device '" + name + "'";
        List<String> unusable = new ArrayList<>(ofKernel);
        unusable.removeAll(present.stream().map(Device::name).toList());
        if (unusable.contains(name) || present.isEmpty() && !unusable.isEmpty()) {
            return notFound(operation, KernelDevices.unlisted(unusable));
        }
        if (!present.isEmpty()) {
            String names = present.stream().map(Device::name).collect(Collectors.joining(", "));
            return new NoSuchDeviceException(
                    operation,
                    "there is no such device; present: " + names,
                    "use one of these; names change when adapters are added or removed");
        }
        return notFound(operation, KernelDevices.absent());
    }

    private static NoSuchDeviceException notFound(String operation, Explanation explanation) {
        return new NoSuchDeviceException(operation, explanation.cause(), explanation.remedy());
    }

    private static VerbsException cannotOpen(MemorySegment device) {
        int errno = NativeCalls.lastErrno();
        Path file =
                Path.of("/dev/infiniband").resolve(ibv_device.dev_name(device).getString(0));
        CharacterDevice state = CharacterDevice.of(file);
        return Failures.of("ibv_open_device(" + nameOf(device) + ")", errno, state.cause(file), state.remedy(file));
    }

    /** {@return name, GUID and transport, in one line} */
    @Override
    public String toString() {
        return "%s (%s, node GUID %04x:%04x:%04x:%04x, %s)"
                .formatted(
                        name,
                        uverbsName,
                        guid >>> 48,
                        guid >>> 32 & 0xffff,
                        guid >>> 16 & 0xffff,
                        guid & 0xffff,
                        transportType);
    }
}
