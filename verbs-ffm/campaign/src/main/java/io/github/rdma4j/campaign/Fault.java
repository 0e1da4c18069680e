// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static io.github.rdma4j.campaign.Step.Place.BOTH;
import static io.github.rdma4j.campaign.Step.Place.THERE;

import java.util.ArrayList;
import java.util.List;

/**
 * A fault.
 *
 * @param name for the table
 * @param kind when it starts, and its aftermath
 * @param steps its commands, the first at 0
 */
record Fault(String name, Kind kind, List<Step> steps) {
    enum Kind {
        /** The wire is faulty before the ends connect, and stays so. */
        THROUGHOUT,
        /** It starts at a random moment during the conversation. */
        SUDDEN,
        /** As {@link #SUDDEN}; then machine 2 does not return, so that this is the last run of these machines. */
        DEADLY
    }

    /**
     * What may become of requests of queue pairs.
     *
     * @param lose whether datagrams may not arrive
     * @param twice whether datagrams may arrive twice
     * @param withhold whether SoftRoCE may complete reads and additions without what they should have brought: it does
     *     where packets come in another order, and where the answer has become larger than the MTU
     *     (src/main/c/atomics.c shows both)
     */
    record Wire(boolean lose, boolean twice, boolean withhold) {
        String word() {
            return lose + "," + twice + "," + withhold;
        }

        static Wire ofWord(String word) {
            String[] parts = word.split(",");
            return new Wire(
                    Boolean.parseBoolean(parts[0]), Boolean.parseBoolean(parts[1]), Boolean.parseBoolean(parts[2]));
        }
    }

    private static final String PORT_RULE = "pref 0 ipproto udp dport 4791 blackhole";

    /** Inserted first, because the rule for the machine's own addresses would otherwise match. */
    private static final String CLOSE_PORT =
            "ip rule add pref 1 lookup local 2>/dev/null; ip rule del pref 0 lookup local 2>/dev/null; ip rule add "
                    + PORT_RULE;

    private static final String OPEN_PORT = "ip rule del " + PORT_RULE + " 2>/dev/null";

    /** Restores a wire if the steps were interrupted. */
    static final String RESTORE =
            "ip rule del " + PORT_RULE + " 2>/dev/null; tc qdisc del dev e0 root 2>/dev/null; ip link set e0 up; "
                    + "[ ! -s /tmp/mtu ] || ip link set e0 mtu $(cat /tmp/mtu); "
                    + "[ ! -s /tmp/address ] || ip addr add $(cat /tmp/address) dev e0 2>/dev/null; rm -f /tmp/mtu /tmp/address";

    /**
     * {@link #RESTORE}, and a new device: SoftRoCE makes no more connections if its link was down while a connection
     * ended (docs/testing.md#the-campaign). No program may have the device open.
     */
    static final String RENEW = RESTORE + "; rdma link del rxe0; rdma link add rxe0 type rxe netdev e0";

    static Fault none() {
        return new Fault("none", Kind.THROUGHOUT, List.of());
    }

    /** @param netem the arguments for tc */
    static Fault wire(String name, String netem) {
        return new Fault(name, Kind.THROUGHOUT, List.of(new Step(0, BOTH, netem(netem))));
    }

    static Fault cut(String name, Step.Place place, long millis) {
        return passing(name, place, millis, netem("loss 100%"), RESTORE);
    }

    /** A firewall that drops all received RoCE packets, and nothing else. */
    static Fault portClosed(String name, Step.Place place, long millis) {
        return passing(name, place, millis, CLOSE_PORT, OPEN_PORT);
    }

    /** Of the peer's machine. */
    static Fault linkDown(String name, long millis) {
        return passing(name, THERE, millis, "ip link set e0 down", "ip link set e0 up");
    }

    /** Of the peer's machine: down and up each second. */
    static Fault flaps(int times) {
        List<Step> steps = new ArrayList<>();
        for (int n = 0; n < times; n++) {
            steps.add(new Step(1_000L * n, THERE, "ip link set e0 down"));
            steps.add(new Step(1_000L * n + 500, THERE, "ip link set e0 up"));
        }
        return new Fault("link flaps for %d s".formatted(times), Kind.SUDDEN, List.copyOf(steps));
    }

    /** With its address a device loses the GID that its queue pairs were made with. */
    static Fault addressRemoved(String name, Step.Place place, long millis) {
        return passing(
                name,
                place,
                millis,
                "ip -o -4 addr show dev e0 | sed -n 's/.* inet \\([^ ]*\\).*/\\1/p' >/tmp/address; "
                        + "ip addr del $(cat /tmp/address) dev e0",
                "[ ! -s /tmp/address ] || ip addr add $(cat /tmp/address) dev e0");
    }

    /** An MTU below the one that the queue pairs have agreed on. */
    static Fault smallerMtu(String name, Step.Place place, long millis) {
        return passing(
                name,
                place,
                millis,
                "cat /sys/class/net/e0/mtu >/tmp/mtu; ip link set e0 mtu 1500",
                "[ ! -s /tmp/mtu ] || ip link set e0 mtu $(cat /tmp/mtu)");
    }

    /** The peer's, as an adapter that is taken out, or whose driver is loaded again. */
    static Fault deviceRemoved(String name, long millis) {
        return passing(name, THERE, millis, "rdma link del rxe0", "rdma link add rxe0 type rxe netdev e0");
    }

    static Fault killed() {
        return new Fault("peer killed", Kind.SUDDEN, List.of(new Step(0, THERE, "kill -KILL $PEER")));
    }

    /** Kills one process after the other. */
    static Fault killedEach() {
        return new Fault("peers killed", Kind.THROUGHOUT, List.of());
    }

    static Fault stopped(String name, long millis) {
        return passing(name, THERE, millis, "kill -STOP $PEER", "kill -CONT $PEER");
    }

    static Fault poweredOff() {
        return new Fault("machine powered off", Kind.DEADLY, List.of(new Step(0, THERE, "busybox poweroff -f")));
    }

    /**
     * The first process of the machine finds its code overwritten when its next child, here an orphan, ends. A kernel
     * that loses that process panics and stops. User-Mode Linux has no sysrq, whose {@code c} would do this.
     */
    static Fault panicked() {
        return new Fault(
                "kernel panic",
                Kind.DEADLY,
                List.of(new Step(
                        0,
                        THERE,
                        "set -- $(sed -n 's/^\\([0-9a-f]*\\)-\\([0-9a-f]*\\) r-xp .*/\\1 \\2/p' /proc/1/maps); "
                                + "dd if=/dev/zero of=/proc/1/mem bs=4096 seek=$((0x$1 / 4096)) "
                                + "count=$(((0x$2 - 0x$1) / 4096)) conv=notrunc 2>/dev/null; (sleep 0.01 &)")));
    }

    /** {@return when the last step has run, after the first one} */
    long lengthMillis() {
        return steps.stream().mapToLong(Step::afterMillis).max().orElse(0);
    }

    /** {@return whether the peer's process will send no report} */
    boolean endsPeer() {
        return kind == Kind.DEADLY
                || steps.stream().anyMatch(step -> step.command().startsWith("kill -KILL"));
    }

    /**
     * {@return whether it needs no privileges: it only kills or stops own processes, or does nothing}
     */
    boolean leavesWireAlone() {
        return steps.stream().allMatch(step -> step.command().startsWith("kill "));
    }

    Wire wire() {
        return new Wire(
                !steps.stream().allMatch(step -> step.command().matches(".* delay \\d+ms")),
                has("duplicate"),
                has("reorder") || has("mtu"));
    }

    private boolean has(String word) {
        return steps.stream().anyMatch(step -> step.command().contains(word));
    }

    private static Fault passing(String name, Step.Place place, long millis, String begin, String end) {
        return new Fault(name, Kind.SUDDEN, List.of(new Step(0, place, begin), new Step(millis, place, end)));
    }

    private static String netem(String arguments) {
        return "tc qdisc replace dev e0 root netem limit 100000 " + arguments;
    }
}
