// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import java.util.ArrayList;
import java.util.List;

/** Lists of names in text: {@code mlx5_0 to mlx5_7, mlx5_bond_0}. */
public final class Names {
    private static final String BORDERS = "(?<=\\D)(?=\\d)|(?<=\\d)(?=\\D)";
    private static final int LEAST = 3;
    private static final int NONE = -1;

    private Names() {}

    /** Joins names with commas; three or more that differ only in a number that rises by one become a range. */
    public static String list(List<String> names) {
        List<String> words = new ArrayList<>();
        int begin = 0;
        while (begin < names.size()) {
            int end = begin + 1;
            int part = end < names.size() ? successor(names.get(begin), names.get(end)) : NONE;
            while (end < names.size() && part != NONE && successor(names.get(end - 1), names.get(end)) == part) {
                end++;
            }
            if (end - begin >= LEAST) {
                words.add(names.get(begin) + " to " + names.get(end - 1));
            } else {
                // The last of a pair may begin a range.
                end = begin + 1;
                words.add(names.get(begin));
            }
            begin = end;
        }
        return String.join(", ", words);
    }

    /** Returns the number of the only part that differs, and in which the second name is one higher; -1 if none is. */
    private static int successor(String one, String other) {
        String[] parts = one.split(BORDERS);
        String[] others = other.split(BORDERS);
        int found = NONE;
        for (int i = 0; i < parts.length; i++) {
            if (others.length != parts.length) {
                return NONE;
            }
            if (!parts[i].equals(others[i])) {
                boolean next = parts[i].matches("\\d{1,9}")
                        && others[i].matches("\\d{1,9}")
                        && Integer.parseInt(parts[i]) + 1 == Integer.parseInt(others[i]);
                if (!next || found != NONE) {
                    return NONE;
                }
                found = i;
            }
        }
        return found;
    }
}
