// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.DescriptorCalls;
import io.github.rdma4j.verbs.internal.NativeLibraries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * An owned copy of a file descriptor of this process or of another one, for {@link DeviceContext#importFrom}. The JDK
 * can neither name nor pass on file descriptors, so a descriptor of another process is fetched by its number
 * (pidfd_getfd(2), Linux 5.6 and later). Alternatively, a native helper receives the descriptor over a Unix domain
 * socket (SCM_RIGHTS), and hands its number to {@link #adopt(int)}.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class FileDescriptorCopy implements AutoCloseable {
    private static final int NONE = -1;

    private int number;

    private FileDescriptorCopy(int number) {
        this.number = number;
    }

    /**
     * Copies a descriptor of this process (fcntl(2), F_DUPFD_CLOEXEC).
     *
     * @param descriptor an open descriptor
     * @return the copy
     * @throws NativeLibraryException if the JVM denies native access
     * @throws VerbsException if it is not open, or the process has too many descriptors
     */
    public static FileDescriptorCopy of(int descriptor) {
        NativeLibraries.requireSystem();
        return new FileDescriptorCopy(DescriptorCalls.duplicate(descriptor));
    }

    /**
     * Copies a descriptor of another process (pidfd_getfd(2)). Requires the right to trace that process:
     * CAP_SYS_PTRACE, or the same user where Yama allows it.
     *
     * @param process the process id, as {@link ProcessHandle#pid()} gives it
     * @param descriptor its descriptor, such as that process's {@link DeviceContext#commandDescriptor()}
     * @return the copy
     * @throws NativeLibraryException if the JVM denies native access
     * @throws VerbsException if there is no such process or descriptor, or the right is missing; the message says which
     *     right
     * @throws UnsupportedVerbException if the kernel is older than 5.6
     */
    public static FileDescriptorCopy ofProcess(long process, int descriptor) {
        NativeLibraries.requireSystem();
        return new FileDescriptorCopy(DescriptorCalls.duplicateFrom(process, descriptor));
    }

    /**
     * Takes over a descriptor that native code has created. It is closed with this object.
     *
     * @param descriptor an open descriptor that nobody else closes
     * @return its owner
     */
    public static FileDescriptorCopy adopt(int descriptor) {
        if (descriptor < 0) {
            throw new IllegalArgumentException("file descriptor " + descriptor);
        }
        return new FileDescriptorCopy(descriptor);
    }

    /**
     * Returns the number of the descriptor.
     *
     * @return the number
     * @throws IllegalStateException if it is closed, or has been given away
     */
    public synchronized int number() {
        if (number == NONE) {
            throw new IllegalStateException("the file descriptor is closed or has been given away");
        }
        return number;
    }

    /**
     * Returns the file behind the descriptor, as the kernel names it; empty if the descriptor was closed elsewhere, or
     * without /proc.
     */
    Optional<Path> file() {
        try {
            return Optional.of(Files.readSymbolicLink(Path.of("/proc/self/fd", Integer.toString(number()))));
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    /**
     * Releases ownership of the descriptor: closing this object then does nothing.
     *
     * @return the number, which the caller closes
     * @throws IllegalStateException if it is closed, or has been given away before
     */
    public synchronized int giveAway() {
        int given = number();
        number = NONE;
        return given;
    }

    /** Closes the descriptor. Does nothing if it is closed already, or has been given away. */
    @Override
    public synchronized void close() {
        if (number != NONE) {
            DescriptorCalls.close(number);
            number = NONE;
        }
    }

    /** {@return the number} */
    @Override
    public synchronized String toString() {
        return "file descriptor " + number;
    }
}
