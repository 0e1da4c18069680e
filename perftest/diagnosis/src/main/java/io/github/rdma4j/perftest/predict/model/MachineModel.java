// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.model;

import java.util.List;
import java.util.Optional;

/**
 * A machine as far as data paths need it. Both ends of a path are such a machine.
 *
 * @param name for people
 * @param sources the origins of its figures
 * @param assumptions the unknown values, and the assumed ones
 * @param adapter the adapter of the data path
 * @param gpu the GPU nearest to the adapter
 * @param memory empty if unknown: then it limits nothing
 * @param disk the disk of the files
 * @param tcp empty if TCP is not predicted
 */
public record MachineModel(
        String name,
        List<String> sources,
        List<String> assumptions,
        Adapter adapter,
        Optional<Gpu> gpu,
        Optional<HostMemory> memory,
        Optional<Disk> disk,
        Optional<TcpCosts> tcp) {
    /** Copies the lists. */
    public MachineModel {
        sources = List.copyOf(sources);
        assumptions = List.copyOf(assumptions);
    }

    /** This machine with another adapter. */
    public MachineModel with(Adapter other) {
        return new MachineModel(name, sources, assumptions, other, gpu, memory, disk, tcp);
    }
}
