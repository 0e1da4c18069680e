// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import io.github.rdma4j.gpudirect.Bar1Memory;
import io.github.rdma4j.gpudirect.machines.RecordedMachine;
import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.gpudirect.topology.Topology;
import io.github.rdma4j.perftest.doctor.machine.AdapterFacts;
import io.github.rdma4j.perftest.doctor.machine.AdapterInventory;
import io.github.rdma4j.perftest.doctor.machine.CheckedGpu;
import io.github.rdma4j.perftest.doctor.machine.DoctorSources;
import io.github.rdma4j.perftest.doctor.machine.FlowControl;
import io.github.rdma4j.perftest.doctor.machine.GpuFacts;
import io.github.rdma4j.perftest.doctor.machine.GpuInventory;
import io.github.rdma4j.perftest.doctor.machine.GpuReader;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.PortFacts;
import io.github.rdma4j.perftest.doctor.machine.Problem;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import io.github.rdma4j.perftest.doctor.machine.Support;
import io.github.rdma4j.verbs.device.DataDirectSupport;
import io.github.rdma4j.verbs.device.Mtu;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A healthy machine for checks, which a test then changes. It consists of a recorded file tree and of simulated answers
 * of CUDA and libibverbs.
 */
final class Scenario {
    private static final String HEALTHY = """
        proc/sys/kernel/osrelease: 6.8.0-45-generic
        proc/driver/nvidia/version: NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\\nGCC version:  gcc version 13.2.0
        proc/self/limits: Limit                     Soft Limit           Hard Limit           Units\\nMax locked memory         unlimited            unlimited            bytes
        proc/self/status: Name:	java\\nCapEff:	0000000000000000
        proc/cmdline: BOOT_IMAGE=/vmlinuz root=/dev/sda1 quiet
        sys/module/nvidia_peermem/version: 580.95.05
        dev/infiniband/uverbs0: x
        usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.50.0: x
        usr/lib/x86_64-linux-gnu/libibverbs.so.1 -> libibverbs.so.1.14.50.0
        """;

    private final RecordedMachine files;
    private final List<GpuFacts> gpus = new ArrayList<>();
    private final List<AdapterFacts> adapters = new ArrayList<>();
    private Bar1Memory window = Bar1Memory.unknown("no NVML");
    private Problem cudaProblem;
    private Problem verbsProblem;
    private int cudaVersion = 13000;
    private int gpu;
    private String adapter = "mlx5_0";

    private Scenario(RecordedMachine files) {
        this.files = files;
        Topology topology = Topology.read(files.root().resolve("sys"));
        for (PciFunction function : topology.gpus()) {
            gpus.add(gpu(gpus.size(), function.address()));
        }
        topology.adapters().forEach(found -> adapters.add(adapter(found.name())));
    }

    /** A recorded machine on which all software is as it should be. */
    static Scenario of(String machine, Path root) {
        return new Scenario(RecordedMachine.of(machine, root).with(HEALTHY));
    }

    /** A recorded machine as it is, with the recorded answers of CUDA and libibverbs. */
    static Scenario plain(String machine, Path root) {
        return new Scenario(RecordedMachine.of(machine, root));
    }

    /** A machine of which nothing can be read. */
    static Scenario empty(Path root) {
        return new Scenario(RecordedMachine.empty(root));
    }

    static GpuFacts gpu(int ordinal, PciAddress address) {
        return new GpuFacts(
                ordinal,
                "NVIDIA A100-SXM4-80GB",
                address,
                80,
                85_000_000_000L,
                false,
                Support.YES,
                Support.YES,
                Support.YES,
                1,
                200,
                false);
    }

    private static AdapterFacts adapter(String name) {
        return new AdapterFacts(
                name,
                Optional.empty(),
                Support.YES,
                List.of(new PortFacts(1, Mtu.MTU_4096, Mtu.MTU_4096, 1 << 30)),
                Optional.empty(),
                Optional.empty());
    }

    Scenario with(String lines) {
        files.with(lines);
        return this;
    }

    Scenario without(String file) {
        files.without(file);
        return this;
    }

    Scenario cuda(int version) {
        cudaVersion = version;
        return this;
    }

    Scenario noCuda(String reason, String remedy) {
        cudaProblem = new Problem(reason, remedy);
        return this;
    }

    Scenario noVerbs(String reason, String remedy) {
        verbsProblem = new Problem(reason, remedy);
        return this;
    }

    Scenario gpus(List<GpuFacts> facts) {
        gpus.clear();
        gpus.addAll(facts);
        return this;
    }

    Scenario gpu(UnaryOperator<GpuFacts> change) {
        gpus.replaceAll(change);
        return this;
    }

    Scenario adapter(UnaryOperator<AdapterFacts> change) {
        adapters.replaceAll(change);
        return this;
    }

    Scenario adapterDmaBuf(Support support) {
        return adapter(facts -> new AdapterFacts(
                facts.name(), facts.problem(), support, facts.ports(), facts.dataDirect(), facts.efa()));
    }

    Scenario dataDirect(DataDirectSupport support) {
        return adapter(facts -> new AdapterFacts(
                facts.name(), facts.problem(), facts.dmaBuf(), facts.ports(), Optional.of(support), facts.efa()));
    }

    /** Which pair the questions are about. */
    Scenario pair(int newGpu, String newAdapter) {
        gpu = newGpu;
        adapter = newAdapter;
        return this;
    }

    /** Returns the diagnosis of the pair of GPU and adapter. */
    Diagnosis diagnosis() {
        return diagnosis(found -> found.index() == gpu, found -> found.name().equals(adapter));
    }

    Diagnosis diagnosisOfAll() {
        return diagnosis(_ -> true, _ -> true);
    }

    private Diagnosis diagnosis(Predicate<CheckedGpu> gpus, Predicate<RdmaDevice> adapters) {
        Machine machine = new Machine(new DoctorSources(
                files.root(),
                Runtime.version(),
                _ -> true,
                () -> verbsProblem != null
                        ? new AdapterInventory(Optional.of(verbsProblem), List.of())
                        : new AdapterInventory(Optional.empty(), this.adapters),
                Optional::empty,
                _ -> new FlowControl.Answer(null, "nobody was asked", Optional.empty()),
                () -> cudaProblem != null
                        ? GpuInventory.unavailable(cudaProblem)
                        : new GpuInventory(Optional.empty(), cudaVersion, this.gpus),
                _ -> window));
        GpuReader reader = new GpuReader(machine);
        return Doctor.examineGpus(
                machine,
                reader.report(
                        reader.gpus().stream().filter(gpus).toList(),
                        machine.devices().stream().filter(adapters).toList()),
                true);
    }

    Scenario window(Bar1Memory reported) {
        window = reported;
        return this;
    }

    /** A GPU whose driver reports these attributes. */
    static UnaryOperator<GpuFacts> attributes(Support rdma, Support dmaBuf, Support rdmaWithVmm) {
        return facts -> new GpuFacts(
                facts.ordinal(),
                facts.name(),
                facts.address(),
                facts.computeCapability(),
                facts.memory(),
                facts.integrated(),
                rdma,
                dmaBuf,
                rdmaWithVmm,
                facts.flushOptions(),
                facts.writesOrdering(),
                facts.coherent());
    }

    static UnaryOperator<GpuFacts> ordering(int flushOptions, int writesOrdering) {
        return facts -> new GpuFacts(
                facts.ordinal(),
                facts.name(),
                facts.address(),
                facts.computeCapability(),
                facts.memory(),
                facts.integrated(),
                facts.rdma(),
                facts.dmaBuf(),
                facts.rdmaWithVmm(),
                flushOptions,
                writesOrdering,
                facts.coherent());
    }

    static UnaryOperator<GpuFacts> memory(long bytes, boolean integrated) {
        return facts -> new GpuFacts(
                facts.ordinal(),
                facts.name(),
                facts.address(),
                facts.computeCapability(),
                bytes,
                integrated,
                integrated ? Support.NO : facts.rdma(),
                facts.dmaBuf(),
                facts.rdmaWithVmm(),
                facts.flushOptions(),
                facts.writesOrdering(),
                facts.coherent());
    }

    static UnaryOperator<GpuFacts> hopper() {
        return facts -> new GpuFacts(
                facts.ordinal(),
                "NVIDIA H100 80GB HBM3",
                facts.address(),
                90,
                facts.memory(),
                facts.integrated(),
                facts.rdma(),
                facts.dmaBuf(),
                facts.rdmaWithVmm(),
                facts.flushOptions(),
                facts.writesOrdering(),
                facts.coherent());
    }

    static UnaryOperator<GpuFacts> named(String name) {
        return facts -> new GpuFacts(
                facts.ordinal(),
                name,
                facts.address(),
                facts.computeCapability(),
                facts.memory(),
                facts.integrated(),
                facts.rdma(),
                facts.dmaBuf(),
                facts.rdmaWithVmm(),
                facts.flushOptions(),
                facts.writesOrdering(),
                facts.coherent());
    }

    static UnaryOperator<GpuFacts> coherent() {
        return facts -> new GpuFacts(
                facts.ordinal(),
                "NVIDIA GH200 120GB",
                facts.address(),
                90,
                facts.memory(),
                facts.integrated(),
                facts.rdma(),
                facts.dmaBuf(),
                facts.rdmaWithVmm(),
                facts.flushOptions(),
                facts.writesOrdering(),
                true);
    }

    static UnaryOperator<GpuFacts> at(String address) {
        return facts -> gpu(facts.ordinal(), PciAddress.parse(address));
    }

    /** Returns the first finding of a check. */
    static Function<Diagnosis, Finding> finding(Check check) {
        return diagnosis -> diagnosis.findings().stream()
                .filter(finding -> finding.check() == check)
                .findFirst()
                .orElseThrow();
    }
}
