// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.gpudirect.nccl.bindings.NcclHeaders;
import io.github.rdma4j.gpudirect.nccl.bindings.ncclConfig_v23000;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * The settings of a communicator ({@code ncclConfig_t}). Values that are not set have NCCL's default or the value of
 * its environment variables. Setters return this; thread safety: for one thread.
 *
 * @since 0.1.0
 */
public final class NcclConfig {
    private static final int MOST_CHANNELS = 64;
    private static final int MOST_CLUSTER = 8;

    private record Setting(String name, NcclVersion since, BiConsumer<MemorySegment, Arena> store) {}

    private NcclMode mode;
    private Duration timeout = Duration.ofSeconds(60);
    private Duration closeTimeout = Duration.ofSeconds(30);
    private final List<Setting> settings = new ArrayList<>();

    NcclConfig() {}

    /**
     * Sets how the methods wait; default {@link NcclMode#BOUNDED}, and {@link NcclMode#BLOCKING} before NCCL 2.14.
     *
     * @param how the mode
     * @return this
     */
    public NcclConfig mode(NcclMode how) {
        mode = Objects.requireNonNull(how, "mode");
        return this;
    }

    /**
     * Sets the timeout of a method that waits for NCCL; default 60 s.
     *
     * @param limit not negative
     * @return this
     */
    public NcclConfig timeout(Duration limit) {
        Timeouts.checkedNanos(limit);
        timeout = limit;
        return this;
    }

    /**
     * Sets how long a close waits for the work before it aborts; default 30 s.
     *
     * @param limit not negative
     * @return this
     */
    public NcclConfig closeTimeout(Duration limit) {
        Timeouts.checkedNanos(limit);
        closeTimeout = limit;
        return this;
    }

    /**
     * Sets the fewest thread blocks for an operation, which is also the fewest channels. NCCL 2.17.
     *
     * @param blocks 1 to 64
     * @return this
     */
    public NcclConfig minThreadBlocks(int blocks) {
        return number("minThreadBlocks", 2, 17, blocks, 1, MOST_CHANNELS, ncclConfig_v23000::minCTAs);
    }

    /**
     * Sets the most thread blocks for an operation, which leaves the others to your own kernels. NCCL 2.17.
     *
     * @param blocks 1 to 64
     * @return this
     */
    public NcclConfig maxThreadBlocks(int blocks) {
        return number("maxThreadBlocks", 2, 17, blocks, 1, MOST_CHANNELS, ncclConfig_v23000::maxCTAs);
    }

    /**
     * Sets the number of thread blocks of a cluster, on GPUs of compute capability 9.0 and later. NCCL 2.17.
     *
     * @param blocks 0 to 8
     * @return this
     */
    public NcclConfig clusterSize(int blocks) {
        return number("clusterSize", 2, 17, blocks, 0, MOST_CLUSTER, ncclConfig_v23000::cgaClusterSize);
    }

    /**
     * Sets the network: a plugin or a built-in one, such as {@code IB} or {@code Socket}. NCCL 2.17.
     *
     * @param name the network's name in NCCL
     * @return this
     */
    public NcclConfig network(String name) {
        return text("network", 2, 17, name, ncclConfig_v23000::netName);
    }

    /**
     * Sets the traffic class of the network's packets. NCCL 2.26.
     *
     * @param trafficClass 0 to 255, the whole octet: 4 times the DSCP
     * @return this
     */
    public NcclConfig trafficClass(int trafficClass) {
        return number("trafficClass", 2, 26, trafficClass, 0, 255, ncclConfig_v23000::trafficClass);
    }

    /**
     * Sets whether communicators that are split off share this one's resources. NCCL 2.18.
     *
     * @param share whether to share
     * @return this
     */
    public NcclConfig shareWithSplits(boolean share) {
        return number("shareWithSplits", 2, 18, share ? 1 : 0, 0, 1, ncclConfig_v23000::splitShare);
    }

    /**
     * Sets a name for logs and profilers. NCCL 2.27.
     *
     * @param name any name
     * @return this
     */
    public NcclConfig name(String name) {
        return text("name", 2, 27, name, ncclConfig_v23000::commName);
    }

    /** Stores a number in a struct. */
    private interface IntField {
        void set(MemorySegment struct, int value);
    }

    /** Stores a pointer in a struct. */
    private interface PointerField {
        void set(MemorySegment struct, MemorySegment value);
    }

    private NcclConfig number(String name, int major, int minor, int value, int least, int most, IntField field) {
        if (value < least || value > most) {
            throw new IllegalArgumentException("%s %d: %d to %d".formatted(name, value, least, most));
        }
        settings.add(new Setting(name, new NcclVersion(major, minor, 0), (struct, arena) -> field.set(struct, value)));
        return this;
    }

    private NcclConfig text(String name, int major, int minor, String value, PointerField field) {
        if (value.isEmpty() || value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(name + ": empty, or with a character of number 0");
        }
        settings.add(new Setting(
                name,
                new NcclVersion(major, minor, 0),
                (struct, arena) -> field.set(struct, arena.allocateFrom(value))));
        return this;
    }

    Duration timeout() {
        return timeout;
    }

    Duration closeTimeout() {
        return closeTimeout;
    }

    /** Returns the mode. A library that is too old supports only one. */
    NcclMode modeFor(Library library) {
        boolean choice = library.has(NcclFunction.COMM_INIT_RANK_CONFIG);
        if (mode != null && mode != NcclMode.BLOCKING) {
            library.require(NcclFunction.COMM_INIT_RANK_CONFIG);
        }
        return mode != null ? mode : choice ? NcclMode.BOUNDED : NcclMode.BLOCKING;
    }

    /**
     * Returns NCCL_CONFIG_INITIALIZER with the settings.
     *
     * @return null if the library does not support it
     */
    MemorySegment struct(Library library, Arena arena) {
        for (Setting setting : settings) {
            library.require(setting.since(), "the setting " + setting.name());
        }
        if (!library.has(NcclFunction.COMM_INIT_RANK_CONFIG)) {
            return null;
        }
        MemorySegment struct = ncclConfig_v23000.allocate(arena);
        // All fields from blocking to the end are undefined: the lowest int or a null pointer.
        for (long at = ncclConfig_v23000.blocking$offset(); at < struct.byteSize(); at += Integer.BYTES) {
            struct.set(ncclConfig_v23000.blocking$layout(), at, NcclHeaders.NCCL_CONFIG_UNDEF_INT());
        }
        ncclConfig_v23000.netName(struct, MemorySegment.NULL);
        ncclConfig_v23000.commName(struct, MemorySegment.NULL);
        ncclConfig_v23000.size(struct, struct.byteSize());
        ncclConfig_v23000.magic(struct, NcclHeaders.NCCL_API_MAGIC());
        ncclConfig_v23000.version(
                struct,
                Math.min(NcclHeaders.NCCL_VERSION_CODE(), library.version().code()));
        ncclConfig_v23000.blocking(struct, modeFor(library) == NcclMode.BLOCKING ? 1 : 0);
        settings.forEach(setting -> setting.store().accept(struct, arena));
        return struct;
    }
}
