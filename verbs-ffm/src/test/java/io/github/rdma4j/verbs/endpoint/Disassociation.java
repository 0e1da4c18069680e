// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Simulates, in this process, the removal of a device whose driver can disassociate its users, which mlx5 supports and
 * SoftRoCE does not. Each call to the device then fails with EIO, its mappings become empty pages, and its events
 * cease. After that, SoftRoCE removes the device and rdma_cm reports the removal.
 *
 * <p>The device's descriptors are replaced by a hung-up terminal, which answers every call with EIO. No thread may
 * sleep for the device meanwhile.
 */
public final class Disassociation {
    private static final int READ_WRITE = 3;
    private static final int PRIVATE_FIXED_ANONYMOUS = 0x32;
    private static final int O_RDWR_NOCTTY = 0x102;
    private static final int EFD_NONBLOCK = 0x800;
    private static final long TIOCSPTLCK = 0x40045431L;
    private static final long TIOCGPTN = 0x80045430L;

    private static final MethodHandle MMAP = handle(
            "mmap", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle OPEN =
            handle("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle IOCTL = handle(
            "ioctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle EVENTFD = handle("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle DUP2 = handle("dup2", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle CLOSE = handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private Disassociation() {}

    private static MethodHandle handle(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), descriptor, options);
    }

    /** Cuts this process off from a device, which must be the only one that it has opened. */
    public static void from(String device) throws Throwable {
        String node = "/dev/infiniband/" + uverbs(device);
        for (String mapping : Files.readAllLines(Path.of("/proc/self/maps"))) {
            if (mapping.contains(node)) {
                String[] range = mapping.split(" ")[0].split("-");
                long start = Long.parseUnsignedLong(range[0], 16);
                long length = Long.parseUnsignedLong(range[1], 16) - start;
                require(start == (long) MMAP.invokeExact(start, length, READ_WRITE, PRIVATE_FIXED_ANONYMOUS, -1, 0L));
            }
        }
        int dead = hungUp();
        int silent = (int) EVENTFD.invokeExact(0, EFD_NONBLOCK);
        for (Path descriptor : descriptors()) {
            String file = target(descriptor);
            int number = Integer.parseInt(descriptor.getFileName().toString());
            if (file.startsWith(node)) {
                require(number == (int) DUP2.invokeExact(dead, number));
            } else if (file.equals("anon_inode:[infinibandevent]")) {
                require(number == (int) DUP2.invokeExact(silent, number));
            }
        }
    }

    private static String uverbs(String device) throws IOException {
        try (Stream<Path> nodes = Files.list(Path.of("/sys/class/infiniband_verbs"))) {
            for (Path node :
                    nodes.filter(each -> Files.exists(each.resolve("ibdev"))).toList()) {
                if (Files.readString(node.resolve("ibdev")).strip().equals(device)) {
                    return node.getFileName().toString();
                }
            }
        }
        throw new IllegalStateException(device);
    }

    private static List<Path> descriptors() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.toList();
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            // It was the one of the list.
            return "";
        }
    }

    /** The end of a terminal whose other end is closed. */
    private static int hungUp() throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            int master = (int) OPEN.invokeExact(arena.allocateFrom("/dev/ptmx"), O_RDWR_NOCTTY);
            require(master >= 0);
            MemorySegment number = arena.allocateFrom(JAVA_INT, 0);
            require((int) IOCTL.invokeExact(master, TIOCSPTLCK, number) == 0);
            require((int) IOCTL.invokeExact(master, TIOCGPTN, number) == 0);
            int slave =
                    (int) OPEN.invokeExact(arena.allocateFrom("/dev/pts/" + number.get(JAVA_INT, 0)), O_RDWR_NOCTTY);
            require(slave >= 0);
            require((int) CLOSE.invokeExact(master) == 0);
            return slave;
        }
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new IllegalStateException("the system has refused");
        }
    }
}
