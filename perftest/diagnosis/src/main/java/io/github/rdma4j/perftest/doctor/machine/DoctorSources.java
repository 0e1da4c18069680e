// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.gpudirect.Bar1Memory;
import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.verbs.NativeLibraryException;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.EventChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The doctor's sources. Everything that it reads comes from here, so that a recorded machine can replace this one.
 *
 * @param root the folder that contains {@code sys}, {@code proc}, {@code dev} and {@code usr}
 * @param java the version of the JVM
 * @param usable whether this process may read and write an existing device file
 * @param verbs queries libibverbs; called once, must not throw
 * @param connectionManager why librdmacm cannot be opened; empty if it can; called once, must not throw
 * @param flowControl the flow control of a network interface, by name; must not throw
 * @param cuda queries the CUDA driver; called at most once, must not throw
 * @param windows queries NVML how much of a GPU's BAR1 is in use; must not throw
 */
public record DoctorSources(
        Path root,
        Runtime.Version java,
        Predicate<Path> usable,
        Supplier<AdapterInventory> verbs,
        Supplier<Optional<Problem>> connectionManager,
        Function<String, FlowControl.Answer> flowControl,
        Supplier<GpuInventory> cuda,
        Function<PciAddress, Bar1Memory> windows) {
    /** Returns the sources of this machine. libibverbs, librdmacm and CUDA may be missing. */
    public static DoctorSources thisMachine() {
        return new DoctorSources(
                Path.of("/"),
                Runtime.version(),
                file -> Files.isReadable(file) && Files.isWritable(file),
                VerbsAdapters::read,
                DoctorSources::connectionManagerLibrary,
                FlowControlReader::read,
                CudaGpus::read,
                Bar1Memory::of);
    }

    private static Optional<Problem> connectionManagerLibrary() {
        try (EventChannel _ = EventChannel.create()) {
            return Optional.empty();
        } catch (NativeLibraryException failure) {
            return Optional.of(Problem.of(failure, failure.remedy()));
        } catch (VerbsException _) {
            // The library can be opened. The checks of files explain a missing kernel module or missing permissions.
            return Optional.empty();
        }
    }
}
