// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import io.github.rdma4j.perftest.interop.Cell.Row;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The cells of the matrix, as the file beside this class lists them. */
final class Cells {
    private static final String FILE = "cells.txt";

    private Cells() {}

    /** The lines of the list. */
    static List<Row> rows() {
        try (InputStream file = Cells.class.getResourceAsStream(FILE)) {
            String text = new String(Objects.requireNonNull(file, FILE).readAllBytes(), StandardCharsets.UTF_8);
            return text.lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(Cells::row)
                    .toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** All cells. */
    static Stream<Cell> all() {
        return rows().stream().flatMap(row -> row.cells().stream());
    }

    private static Row row(String line) {
        String[] columns = line.strip().split(" *\\| *");
        if (columns.length != 3) {
            throw new AssertionError(FILE + ": not 'tool | options | peers': " + line);
        }
        List<Cell> cells = new ArrayList<>();
        Row row = new Row(columns[0], columns[1], cells);
        for (String word : columns[2].split(" +")) {
            if (word.equals(Peer.JAVA.word())) {
                cells.add(new Cell(row, Peer.JAVA, Peer.JAVA));
                continue;
            }
            String version = word.replaceFirst("-(server|client)$", "");
            Peer peer = version.equals(Peer.C_NEWER.word()) ? Peer.C_NEWER : Peer.C_INSTALLED;
            if (!version.equals(peer.word())) {
                throw new AssertionError(FILE + ": unknown peer '" + word + "': " + line);
            }
            if (!word.endsWith("-client")) {
                cells.add(new Cell(row, peer, Peer.JAVA));
            }
            if (!word.endsWith("-server")) {
                cells.add(new Cell(row, Peer.JAVA, peer));
            }
        }
        return row;
    }
}
