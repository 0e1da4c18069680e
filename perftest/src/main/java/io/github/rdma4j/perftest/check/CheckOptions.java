// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.check;

import io.github.rdma4j.gpudirect.check.CheckedAdapter;
import io.github.rdma4j.gpudirect.check.CheckedGpu;
import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.findings.CommandOptions;
import io.github.rdma4j.perftest.findings.JsonOption;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of {@code gpudirect-check}. */
@Command(
        name = "rdma4j " + CheckCommand.NAME,
        description =
                "Tells what of GPUDirect RDMA holds on this machine and what does not, what that means and what to do,"
                        + " and by which path GPU memory would be registered for each GPU and adapter. Registers"
                        + " nothing.",
        footer = {
            "",
            "Exit status: 0 an adapter gets at GPU memory itself in at least one pair; 1 transfers work, but are"
                    + " staged through host memory; 2 the command line makes no sense; 3 there is no pair of GPU and"
                    + " adapter that can be used; 4 the JSON file could not be written."
        },
        sortOptions = false,
        usageHelpAutoWidth = true)
final class CheckOptions extends CommandOptions {
    @Option(
            names = "--gpu",
            paramLabel = "<gpu>",
            description = "Only this GPU: its number, as CUDA counts, or its PCI address.")
    private String gpu;

    @Option(
            names = {"-d", "--device"},
            paramLabel = "<device>",
            description = "Only this adapter, such as mlx5_0.")
    private String device;

    @Option(
            names = "--all",
            description =
                    "Show all pairs, and not only each GPU with the adapters nearest to it. JSON has all in any case.")
    private boolean all;

    @Mixin
    private JsonOption json;

    @Override
    protected void check() {
        json.check();
        if (gpu != null && !gpu.matches("\\d{1,4}")) {
            try {
                PciAddress.parse(gpu);
            } catch (IllegalArgumentException _) {
                throw new IllegalParameterException(
                        "--gpu: '" + gpu + "' is neither a number from 0 on nor a PCI address such as 0000:07:00.0");
            }
        }
    }

    /** Whether pairs are shown of which another adapter is nearer to the GPU. Who names an adapter wants to see it. */
    boolean showsAllPairs() {
        return all || device != null;
    }

    /** What of JSON is wanted. */
    JsonOption json() {
        return json;
    }

    /** The GPU that was asked for; empty for all. */
    Optional<String> gpu() {
        return Optional.ofNullable(gpu);
    }

    /** The adapter that was asked for; empty for all. */
    Optional<String> device() {
        return Optional.ofNullable(device);
    }

    boolean accepts(CheckedGpu found) {
        return gpu == null
                || gpu.matches("\\d+") && Integer.parseInt(gpu) == found.index()
                || !gpu.matches("\\d+") && PciAddress.parse(gpu).equals(found.address());
    }

    boolean accepts(CheckedAdapter found) {
        return device == null || device.equals(found.name());
    }
}
