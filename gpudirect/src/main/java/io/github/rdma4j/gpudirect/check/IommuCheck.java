// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Checks whether the IOMMU translates addresses of GPUs and adapters. */
final class IommuCheck {
    private static final String GROUPS = "sys/kernel/iommu_groups";
    private static final String PASS_THROUGH = "identity";

    private IommuCheck() {}

    /**
     * Makes the finding.
     *
     * @param functions the folders of the PCI functions of GPUs and adapters; if there are none, all groups are checked
     */
    static Finding of(HostFiles files, List<Path> functions) {
        List<String> present = files.names(GROUPS);
        String options = files.text("proc/cmdline")
                .map(IommuCheck::options)
                .filter(text -> !text.isEmpty())
                .map(text -> "; kernel command line: " + text)
                .orElse("");
        if (present.isEmpty()) {
            return Finding.ok(
                    CheckId.IOMMU,
                    Subject.host(),
                    (isVirtual(files)
                                    ? "no IOMMU groups: none is in use inside this virtual machine, and its host's is"
                                            + " not seen"
                                    : "no IOMMU groups: no IOMMU is in use here")
                            + options);
        }
        List<String> groups = functions.isEmpty()
                ? present
                : functions.stream()
                        .map(folder -> HostFiles.target(folder.resolve("iommu_group")))
                        .flatMap(Optional::stream)
                        .distinct()
                        .toList();
        Set<String> types = new TreeSet<>();
        List<String> unreadable = new ArrayList<>();
        for (String group : groups) {
            files.text(GROUPS + "/" + group + "/type").ifPresentOrElse(types::add, () -> unreadable.add(group));
        }
        if (!unreadable.isEmpty()) {
            return new Finding(
                    CheckId.IOMMU,
                    Subject.host(),
                    FindingState.UNKNOWN,
                    "the type of IOMMU group " + unreadable.getFirst() + " cannot be read" + options,
                    "an IOMMU that translates sends transfers between GPU and adapter through the processor",
                    "");
        }
        String seen = (groups.isEmpty()
                        ? "GPUs and adapters are in no IOMMU group"
                        : (functions.isEmpty()
                                        ? "there is no GPU or adapter, and IOMMU groups are of type "
                                        : "IOMMU groups of GPUs and adapters are of type ")
                                + String.join(", ", types))
                + options;
        return types.isEmpty() || types.equals(Set.of(PASS_THROUGH))
                ? Finding.ok(CheckId.IOMMU, Subject.host(), seen)
                : new Finding(
                        CheckId.IOMMU,
                        Subject.host(),
                        FindingState.WARNING,
                        seen,
                        "the IOMMU translates addresses, so that transfers between GPU and adapter may go through the"
                                + " processor, be slow, or fail with nvidia_peermem",
                        "boot with %s, or switch the IOMMU off in the firmware; in a virtual machine the host decides"
                                .formatted(files.isArm64() ? "iommu.passthrough=1" : "iommu=pt"));
    }

    /** What x86 processors say of themselves in virtual machines; of others it is not known. */
    private static boolean isVirtual(HostFiles files) {
        return files.text("proc/cpuinfo").stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith("flags"))
                .anyMatch(line -> List.of(line.split("\\s+")).contains("hypervisor"));
    }

    private static String options(String commandLine) {
        return Arrays.stream(commandLine.split("\\s+"))
                .filter(word -> word.contains("iommu"))
                .collect(Collectors.joining(" "));
    }
}
