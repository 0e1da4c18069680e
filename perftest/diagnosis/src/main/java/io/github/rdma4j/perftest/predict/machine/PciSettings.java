// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.machine;

import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.gpudirect.topology.PciLink;
import io.github.rdma4j.gpudirect.topology.Topology;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import io.github.rdma4j.perftest.predict.model.PciExpress;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads how a PCI function hangs on its machine. */
final class PciSettings {
    private static final int DEVICE_CONTROL = 8;
    private static final int CONVENTIONAL_SPACE = 256;
    private static final int LEAST = 128;
    private static final int LARGEST_CODE = 5;

    private final Topology topology;
    private final Consumer<String> assumptions;

    /**
     * @param assumptions receives the values that could not be read, and the assumed values
     */
    PciSettings(Topology topology, Consumer<String> assumptions) {
        this.topology = topology;
        this.assumptions = assumptions;
    }

    /**
     * Returns the narrowest link between a function and its host bridge, with the function's packet sizes.
     *
     * @param what the name of the function in assumptions
     * @return empty if sysfs shows no link
     */
    Optional<PciExpress> of(PciFunction function, String what) {
        Optional<PciLink> link = narrowest(function);
        if (link.isEmpty()) {
            return Optional.empty();
        }
        Optional<int[]> sizes = sizes(function);
        if (sizes.isEmpty()) {
            assumptions.accept(what + ": MaxPayload " + PciExpress.USUAL_PAYLOAD + " and MaxReadReq "
                    + PciExpress.USUAL_READ_REQUEST + " bytes; root reads them in "
                    + function.folder().getFileName()
                    + "/config");
        }
        int[] found = sizes.orElse(new int[] {PciExpress.USUAL_PAYLOAD, PciExpress.USUAL_READ_REQUEST});
        return Optional.of(new PciExpress(link.get().speed(), link.get().width(), found[0], found[1]));
    }

    private Optional<PciLink> narrowest(PciFunction function) {
        List<PciLink> links = new ArrayList<>(List.of(function.link()));
        for (PciAddress bridge : function.bridges()) {
            topology.function(bridge).map(PciFunction::link).ifPresent(links::add);
        }
        return links.stream()
                .filter(link -> link.bandwidth() > 0)
                .min((one, other) -> Double.compare(one.bandwidth(), other.bandwidth()));
    }

    /** MaxPayload and MaxReadReq of its PCI Express capability; empty if these bytes are hidden. */
    private static Optional<int[]> sizes(PciFunction function) {
        byte[] config;
        try {
            config = Files.readAllBytes(function.folder().resolve("config"));
        } catch (IOException _) {
            return Optional.empty();
        }
        int offset = config.length < CONVENTIONAL_SPACE ? 0 : MachineFiles.expressCapability(config);
        if (offset == 0 || offset + DEVICE_CONTROL + 1 >= CONVENTIONAL_SPACE) {
            return Optional.empty();
        }
        int control = config[offset + DEVICE_CONTROL] & 0xff | (config[offset + DEVICE_CONTROL + 1] & 0xff) << 8;
        int payload = control >> 5 & 7;
        int read = control >> 12 & 7;
        return payload > LARGEST_CODE || read > LARGEST_CODE
                ? Optional.empty()
                : Optional.of(new int[] {LEAST << payload, LEAST << read});
    }
}
