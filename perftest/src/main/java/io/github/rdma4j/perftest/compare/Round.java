// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

/**
 * One round of one case.
 *
 * @param number from 1
 * @param java what Java measured
 * @param c what C measured
 */
record Round(int number, Measurement java, Measurement c) {
    /** What one of them measured. */
    Measurement of(Implementation implementation) {
        return implementation == Implementation.JAVA ? java : c;
    }
}
