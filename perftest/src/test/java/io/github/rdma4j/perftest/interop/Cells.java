// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import io.github.rdma4j.perftest.interop.Cell.Row;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
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

    /** The cells of the list. */
    static Stream<Cell> listed() {
        return rows().stream().flatMap(row -> row.cells().stream());
    }

    /**
     * Returns the cells to run: the gate's cells, or with {@code -Drdma4j.interop=all} the cells of the list, which run
     * again with the newest C tools if these have been built.
     */
    static List<Cell> toRun() {
        if (!"all".equals(System.getProperty("rdma4j.interop"))) {
            return ofTheGate();
        }
        Stream<Cell> built = Peer.ofC().contains(Peer.C_BUILT)
                ? rows().stream()
                        .flatMap(row -> Stream.of(
                                new Cell(row, Peer.C_BUILT, Peer.JAVA), new Cell(row, Peer.JAVA, Peer.C_BUILT)))
                : Stream.of();
        return Stream.concat(listed(), built).toList();
    }

    /**
     * Few of them that together show as much as all: each tool and each option once with each peer. Chosen one by one,
     * each time the one that shows most that is new; what takes long comes last, and the roles take turns.
     */
    static List<Cell> ofTheGate() {
        List<Cell> left = new ArrayList<>(listed().toList());
        Set<String> shown = new HashSet<>();
        List<Cell> chosen = new ArrayList<>();
        while (true) {
            boolean serverIsNext =
                    chosen.stream().filter(cell -> cell.server() == Peer.JAVA).count() * 2 < chosen.size();
            Cell best = null;
            double most = 0;
            for (Cell cell : left) {
                long news = whatItShows(cell).stream()
                        .filter(what -> !shown.contains(what))
                        .count();
                double worth = news / cell.row().cost() + (serverIsNext == (cell.server() == Peer.JAVA) ? 0.01 : 0);
                if (news > 0 && worth > most) {
                    most = worth;
                    best = cell;
                }
            }
            if (best == null) {
                return chosen;
            }
            chosen.add(best);
            left.remove(best);
            shown.addAll(whatItShows(best));
        }
    }

    /** The purpose of a cell: its tool and its options, with its peer. */
    static List<String> whatItShows(Cell cell) {
        Peer peer = cell.server() == Peer.JAVA ? cell.client() : cell.server();
        List<String> shows = new ArrayList<>();
        shows.add(cell.row().tool() + " with " + peer.word());
        String[] words = cell.row().options().split(" +");
        for (int i = 0; i < words.length; i++) {
            // Sizes and numbers of messages are in every cell; of the connection the type matters.
            if (words[i].startsWith("-") && !words[i].equals("-n") && !words[i].equals("-s")) {
                shows.add(words[i] + (words[i].equals("-c") ? " " + words[i + 1] : "") + " with " + peer.word());
            }
        }
        return shows;
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
