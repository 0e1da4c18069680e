// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.gpudirect.topology.Topology;
import io.github.rdma4j.perftest.placement.NumaTopology;
import java.util.List;
import java.util.Optional;

/** A machine as the doctor reads it, once, when this object is made. */
public final class Machine {
    private static final String NODES = "dev/infiniband/";

    private final DoctorSources sources;
    private final MachineFiles files;
    private final Topology topology;
    private final AdapterInventory verbs;
    private final Optional<Problem> connectionManager;
    private final List<RdmaDevice> devices;

    /** Reads the machine. Opens each RDMA device briefly. */
    public Machine(DoctorSources sources) {
        this.sources = sources;
        this.files = new MachineFiles(sources.root());
        // First: libraries show in /proc/self/maps when they have been opened.
        this.verbs = sources.verbs().get();
        this.connectionManager = sources.connectionManager().get();
        this.topology = Topology.read(sources.root().resolve("sys"));
        this.devices = new DeviceReader(files, topology, verbs).devices();
    }

    /** Returns the sources from which it was read. */
    DoctorSources sources() {
        return sources;
    }

    /** Its files. */
    public MachineFiles files() {
        return files;
    }

    /** Its PCI functions. */
    public Topology topology() {
        return topology;
    }

    /** Its CPUs and NUMA nodes. */
    public NumaTopology numa() {
        return NumaTopology.recorded(sources.root());
    }

    /** Returns what libibverbs reports. */
    public AdapterInventory verbs() {
        return verbs;
    }

    /** Returns why librdmacm cannot be opened; empty if it can. */
    public Optional<Problem> connectionManager() {
        return connectionManager;
    }

    /** The devices that the kernel has. */
    public List<RdmaDevice> devices() {
        return devices;
    }

    /** Returns whether a file of devices exists that this process may not both read and write. */
    public boolean isForbidden(String file) {
        return files.exists(file) && !sources.usable().test(files.path(file));
    }

    /**
     * Returns whether this process has access to other devices but not to this one, as in a container: its file is
     * missing, and a device whose file exists can be opened.
     */
    public boolean isWithheld(RdmaDevice device) {
        return hasNoFile(device) && devices.stream().anyMatch(other -> other.isOpen() && !hasNoFile(other));
    }

    /** Returns whether the kernel offers a device to programs, but no device file exists. */
    public boolean hasNoFile(RdmaDevice device) {
        return device.node().isPresent() && !files.exists(NODES + device.node().get());
    }

    /** Returns whether its file exists, but this process may not use it. */
    public boolean isForbidden(RdmaDevice device) {
        return device.node().isPresent() && isForbidden(NODES + device.node().get());
    }

    /** The version of the JVM. */
    public Runtime.Version java() {
        return sources.java();
    }

    /** Queries the flow control of a network interface. */
    public FlowControl.Answer flowControl(String networkInterface) {
        return sources.flowControl().apply(networkInterface);
    }
}
