// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.topology;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Orders names as people count: {@code mlx5_2} before {@code mlx5_10}. */
final class NaturalOrder {
    private static final Pattern NUMBERED = Pattern.compile("(.*?)(\\d{1,9})");

    private NaturalOrder() {}

    static int compare(String one, String other) {
        Matcher first = NUMBERED.matcher(one);
        Matcher second = NUMBERED.matcher(other);
        if (first.matches() && second.matches() && first.group(1).equals(second.group(1))) {
            return Integer.compare(Integer.parseInt(first.group(2)), Integer.parseInt(second.group(2)));
        }
        return one.compareTo(other);
    }
}
