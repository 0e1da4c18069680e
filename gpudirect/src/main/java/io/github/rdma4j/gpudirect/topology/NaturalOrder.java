// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.topology;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Orders names by their numbers: {@code mlx5_2} before {@code mlx5_10}. Compares the text before a number at the end
 * first, then the number, so that it is a total order for all names.
 */
final class NaturalOrder {
    private static final Pattern NUMBERED = Pattern.compile("(.*?)(\\d{1,9})", Pattern.DOTALL);
    private static final int NO_NUMBER = -1;

    private NaturalOrder() {}

    static int compare(String one, String other) {
        Matcher first = NUMBERED.matcher(one);
        Matcher second = NUMBERED.matcher(other);
        boolean firstCounts = first.matches();
        boolean secondCounts = second.matches();
        int order = (firstCounts ? first.group(1) : one).compareTo(secondCounts ? second.group(1) : other);
        if (order == 0) {
            order = Integer.compare(number(first, firstCounts), number(second, secondCounts));
        }
        return order == 0 ? one.compareTo(other) : order;
    }

    private static int number(Matcher name, boolean counts) {
        return counts ? Integer.parseInt(name.group(2)) : NO_NUMBER;
    }
}
