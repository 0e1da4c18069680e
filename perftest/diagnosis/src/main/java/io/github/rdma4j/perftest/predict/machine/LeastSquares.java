// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.machine;

/** Least squares of few unknowns, whose right sides are all 1. */
final class LeastSquares {
    private LeastSquares() {}

    /**
     * Solves for some of the unknowns; the others are 0.
     *
     * @param rows the factors of all unknowns
     * @param parts a bit for each unknown that is solved for
     * @return all unknowns; NaN where the rows do not determine them
     */
    static double[] solve(double[][] rows, int parts) {
        int unknowns = rows[0].length;
        int[] chosen = new int[Integer.bitCount(parts)];
        for (int i = 0, n = 0; i < unknowns; i++) {
            if ((parts >> i & 1) == 1) {
                chosen[n++] = i;
            }
        }
        int size = chosen.length;
        double[][] equations = new double[size][size + 1];
        for (double[] row : rows) {
            for (int i = 0; i < size; i++) {
                for (int j = 0; j < size; j++) {
                    equations[i][j] += row[chosen[i]] * row[chosen[j]];
                }
                equations[i][size] += row[chosen[i]];
            }
        }
        eliminate(equations);
        double[] solution = new double[unknowns];
        for (int i = 0; i < size; i++) {
            solution[chosen[i]] = equations[i][size];
        }
        return solution;
    }

    /** Gauss and Jordan, with the greatest element as pivot. */
    private static void eliminate(double[][] equations) {
        int size = equations.length;
        for (int column = 0; column < size; column++) {
            int pivot = column;
            for (int i = column + 1; i < size; i++) {
                if (Math.abs(equations[i][column]) > Math.abs(equations[pivot][column])) {
                    pivot = i;
                }
            }
            double[] row = equations[pivot];
            equations[pivot] = equations[column];
            equations[column] = row;
            for (int j = size; j >= column; j--) {
                row[j] /= row[column];
            }
            for (int i = 0; i < size; i++) {
                if (i != column) {
                    double factor = equations[i][column];
                    for (int j = column; j <= size; j++) {
                        equations[i][j] -= factor * row[j];
                    }
                }
            }
        }
    }

    /** Returns the sum of the squared differences to 1. */
    static double error(double[][] rows, double[] solution) {
        double sum = 0;
        for (double[] row : rows) {
            double missing = 1;
            for (int i = 0; i < row.length; i++) {
                missing -= row[i] * solution[i];
            }
            sum += missing * missing;
        }
        return sum;
    }
}
