// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Options as somebody might put them together, made from a seed: only such as every version of the C tools has, and in
 * combinations that these do not refuse.
 *
 * @param seed makes the same mix again
 * @param tool that it is for
 * @param options separated by blanks
 */
record OptionMix(long seed, String tool, String options) {
    private static final String[] VERBS = {"write", "read", "send", "atomic"};

    /** The mix of a seed. */
    static OptionMix of(long seed) {
        return new Maker(seed).make();
    }

    @Override
    public String toString() {
        return tool + " " + options + " (seed " + seed + ")";
    }

    private static final class Maker {
        private final long seed;
        private final SplittableRandom random;
        private final List<String> options = new ArrayList<>();

        private Maker(long seed) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
        }

        private boolean chance(int percent) {
            return random.nextInt(100) < percent;
        }

        private String one(String... of) {
            return of[random.nextInt(of.length)];
        }

        private OptionMix make() {
            String verb = one(VERBS);
            boolean latency = random.nextBoolean();
            boolean send = verb.equals("send");
            String transport = one("", "-z", "-R");
            String connection = connection(verb, transport);
            options.add(transport);
            options.add(connection);
            boolean events = !verb.equals("write") && chance(15);
            boolean timed = !events && chance(8);
            int list = latency || !chance(25) ? 1 : 1 << random.nextInt(1, 3);
            if (events) {
                options.add("-e");
            }
            if (!verb.equals("atomic")) {
                options.add("-s " + (connection.contains("UD") ? one("1", "64", "1000") : size()));
            }
            options.add(timed ? "-D 1 -f 0" : "-n " + list * (5 + random.nextInt(latency ? 20 : 40)));
            if (list > 1) {
                options.add("-l " + list);
            }
            if (!latency) {
                bandwidth(verb, list, timed);
            }
            if (send) {
                // Where a message that finds no receive is lost, there is one for each.
                options.add(chance(20) && !connection.contains("U") ? "-r " + one("32", "64") : "");
                options.add(chance(15) ? "--use-srq" : "");
            }
            if (verb.equals("read") || verb.equals("atomic")) {
                options.add(chance(30) ? "-o " + one("1", "4", "8") : "");
            }
            options.add(verb.equals("atomic") && chance(40) ? "-A CMP_AND_SWAP" : "");
            options.add(chance(25) ? "-x 1" : "");
            options.add(chance(25) ? "-m " + one("1024", "2048") : "");
            options.add(chance(20) ? "-S " + one("1", "3") : "");
            options.removeIf(String::isEmpty);
            return new OptionMix(seed, "ib_" + verb + (latency ? "_lat" : "_bw"), String.join(" ", options));
        }

        private String connection(String verb, String transport) {
            boolean byRdmaCm = transport.equals("-R");
            return switch (verb) {
                case "write" -> byRdmaCm ? "" : one("", "-c RC", "-c UC");
                case "send" -> byRdmaCm ? one("", "-c RC", "-c UD") : one("", "-c UC", "-c UD");
                default -> one("", "-c RC");
            };
        }

        private String size() {
            return one("1", "2", "8", "64", "777", "1024", "4096", "8193", "65536");
        }

        private void bandwidth(String verb, int list, boolean timed) {
            options.add(chance(35) ? "-q " + (2 + random.nextInt(3)) : "");
            boolean both = chance(25);
            options.add(both ? "-b" : "");
            int depth = list == 1 ? 1 << random.nextInt(8) : 16;
            options.add(chance(40) ? "-t " + depth : "");
            options.add(list == 1 && chance(30) ? "-Q " + one("1", "3", "8", "50") : "");
            options.add(chance(20) ? "--report_gbits" : "");
            options.add(chance(15) ? "--mr_per_qp" : "");
            options.add(!both && !timed && !verb.equals("send") && chance(10) ? "--reversed" : "");
        }
    }
}
