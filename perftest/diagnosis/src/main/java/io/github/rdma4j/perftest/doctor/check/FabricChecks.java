// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.OK;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.perftest.doctor.machine.Bond;
import io.github.rdma4j.perftest.doctor.machine.FlowControl;
import io.github.rdma4j.perftest.doctor.machine.LinkPause;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import io.github.rdma4j.perftest.doctor.machine.RdmaPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Checks the settings that keep an adapter's RoCE from losing packets, as far as the kernel shows them. Software
 * devices have no such settings.
 */
final class FabricChecks {
    private static final Pattern CLASS = Pattern.compile("tclass=(\\d{1,3})");
    /** The upper six of the eight bits of a traffic class; the others are ECN's. */
    private static final int DSCP_SHIFT = 2;

    private static final String DROPS =
            "without PFC, full switches and receivers drop packets, which must be sent again";

    private static final String SET =
            "dcb pfc set dev %s prio-pfc all:off 3:on (iproute2), with the priority of your RoCE traffic instead of"
                    + " 3; set the same priority at the switch";

    private static final String PAUSE_ALL = "; or let both ends pause the whole link: ethtool -A %s rx on tx on";

    private final Machine machine;
    private final MachineFiles files;
    private final RdmaDevice device;

    FabricChecks(Machine machine, RdmaDevice device) {
        this.machine = machine;
        this.files = machine.files();
        this.device = device;
    }

    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        for (RdmaPort port : device.ports()) {
            if (port.isActive() && device.isRoce(port) && !device.isSoftware()) {
                for (String networkInterface : interfaces(port)) {
                    String subject = port.name() + (port.bond().isPresent() ? " (" + networkInterface + ")" : "");
                    findings.add(flowControl(subject, networkInterface));
                    findings.add(congestion(subject, networkInterface));
                }
                findings.add(trafficClass(port));
            }
        }
        return findings;
    }

    /** The interfaces that have the port's settings: those in a bond, not the bond's own. */
    private static List<String> interfaces(RdmaPort port) {
        return port.bond()
                .map(Bond::members)
                .orElseGet(() -> port.networkInterface().stream().toList());
    }

    private Finding flowControl(String subject, String networkInterface) {
        FlowControl.Answer answer = machine.flowControl(networkInterface);
        FlowControl found = answer.flowControl();
        Optional<LinkPause> pause = answer.pause();
        String pauses = pause.map(FabricChecks::words).orElse("");
        if (found == null) {
            if (pause.filter(LinkPause::isOn).isPresent()) {
                return flowControl(subject, networkInterface, OK, answer.failure() + pauses, "", "");
            }
            return flowControl(
                    subject,
                    networkInterface,
                    UNKNOWN,
                    answer.failure() + pauses,
                    DROPS,
                    "use the driver's own tool, such as mlnx_qos -i " + networkInterface);
        }
        String seen = (found.priorities() == 0
                        ? "PFC is off for all priorities"
                        : "PFC is on for priorities " + priorities(found.priorities()))
                + words(found)
                + pauses;
        if (found.switchPriorities().orElse(found.priorities()) != found.priorities()) {
            return flowControl(
                    subject,
                    networkInterface,
                    WARNING,
                    seen + "; at the switch it is on for "
                            + priorities(found.switchPriorities().getAsInt()),
                    "the adapter and the switch pause different priorities, and packets of all others are dropped",
                    SET.formatted(networkInterface));
        }
        if (found.priorities() != 0 || pause.filter(LinkPause::isOn).isPresent()) {
            return flowControl(subject, networkInterface, OK, seen, "", "");
        }
        boolean nothingElse = pause.filter(LinkPause::isOff).isPresent() && !reactsToCongestion(networkInterface);
        return flowControl(
                subject,
                networkInterface,
                nothingElse ? WARNING : NOTE,
                seen,
                DROPS + "; some networks are designed to work that way, with ECN alone",
                SET.formatted(networkInterface) + PAUSE_ALL.formatted(networkInterface));
    }

    /** Describes the pause of all traffic of the link. */
    private static String words(LinkPause pause) {
        String which = pause.isOn()
                ? "on"
                : pause.isOff() ? "off" : pause.obeys() ? "on only for sending" : "on only for receiving";
        return "; global pause " + which + (pause.negotiated() ? ", as this end offers it in link negotiation" : "");
    }

    private boolean reactsToCongestion(String networkInterface) {
        String folder = "sys/class/net/" + networkInterface + "/ecn";
        return !enabled(folder + "/roce_np/enable").isEmpty()
                && !enabled(folder + "/roce_rp/enable").isEmpty();
    }

    private Finding flowControl(
            String subject, String networkInterface, FindingState state, String seen, String meaning, String remedy) {
        String trust = files.text("sys/class/net/" + networkInterface + "/qos/trust")
                .map(mode -> "; priorities are taken from " + mode)
                .orElse("");
        return new Finding(
                Check.FLOW_CONTROL,
                subject,
                "netlink (dcbnl, ethtool) of " + networkInterface,
                state,
                seen + trust,
                meaning,
                remedy);
    }

    private static String priorities(int bits) {
        String found = IntStream.range(0, Byte.SIZE)
                .filter(priority -> (bits >> priority & 1) != 0)
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(" "));
        return found.isEmpty() ? "none" : found;
    }

    private static String words(FlowControl found) {
        String pauses = found.sent() == 0 && found.received() == 0
                ? ""
                : String.format(Locale.ROOT, "; %,d pauses sent, %,d received", found.sent(), found.received());
        String dscp = found.ofDscp().entrySet().stream()
                .filter(entry -> (found.priorities() >> entry.getValue() & 1) != 0)
                .map(entry -> Integer.toString(entry.getKey()))
                .collect(Collectors.joining(" "));
        return pauses + (dscp.isEmpty() ? "" : "; for packets of DSCP " + dscp);
    }

    private Finding congestion(String subject, String networkInterface) {
        String folder = "sys/class/net/" + networkInterface + "/ecn";
        if (!files.exists(folder)) {
            return new Finding(
                    Check.ECN,
                    subject,
                    "/" + folder,
                    UNKNOWN,
                    "the driver has no files for ECN in sysfs; MLNX_OFED's mlx5 has",
                    "without ECN, senders do not slow down before packets are dropped",
                    "watch the counters np_cnp_sent and rp_cnp_handled: under congestion they rise if ECN works");
        }
        TreeSet<String> notifying = enabled(folder + "/roce_np/enable");
        TreeSet<String> reacting = enabled(folder + "/roce_rp/enable");
        String seen = "priorities with notification (roce_np): " + words(notifying) + "; with reaction (roce_rp): "
                + words(reacting);
        return notifying.isEmpty() || reacting.isEmpty()
                ? new Finding(
                        Check.ECN,
                        subject,
                        "/" + folder,
                        WARNING,
                        seen,
                        "senders do not slow down before packets are dropped",
                        "echo 1 > /" + folder + "/roce_np/enable/3, and the same for roce_rp/enable/3, with the"
                                + " priority of your RoCE traffic instead of 3")
                : Finding.ok(Check.ECN, subject, "/" + folder, seen);
    }

    private TreeSet<String> enabled(String folder) {
        TreeSet<String> priorities = new TreeSet<>(files.names(folder));
        priorities.removeIf(
                name -> !files.text(folder + "/" + name).filter("1"::equals).isPresent());
        return priorities;
    }

    private static String words(TreeSet<String> priorities) {
        return priorities.isEmpty() ? "none" : String.join(" ", priorities);
    }

    private Finding trafficClass(RdmaPort port) {
        String file = "sys/class/infiniband/" + device.name() + "/tc/" + port.number() + "/traffic_class";
        Optional<String> text = files.text(file);
        if (text.isEmpty()) {
            return new Finding(
                    Check.TRAFFIC_CLASS,
                    port.name(),
                    "/" + file,
                    UNKNOWN,
                    "the driver has no file for it; MLNX_OFED's mlx5 has",
                    "each program chooses its own traffic class; switches give the default, 0, no priority",
                    "use --tclass 106 (DSCP 26) with the tools, or the class that your network gives priority");
        }
        Matcher set = CLASS.matcher(text.get());
        if (set.find()) {
            int value = Integer.parseInt(set.group(1));
            return Finding.ok(
                    Check.TRAFFIC_CLASS,
                    port.name(),
                    "/" + file,
                    "packets of all programs have traffic class " + value + ", DSCP " + (value >>> DSCP_SHIFT));
        }
        return new Finding(
                Check.TRAFFIC_CLASS,
                port.name(),
                "/" + file,
                NOTE,
                "no traffic class is set for all programs",
                "each program chooses its own traffic class; switches give the default, 0, no priority",
                "echo 106 > /" + file + " (DSCP 26), or the class that your network gives priority");
    }
}
