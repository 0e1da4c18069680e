// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Lists of hosts: a file with one host per line, and Slurm's compressed form, {@code node[01-04,7],login}. */
final class HostList {
    /** More would need more than a million pairs. */
    static final int MOST_HOSTS = 2048;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.:%-]{0,254}|::[0-9A-Fa-f:.]+");
    private static final Pattern BRACKETS = Pattern.compile("([^\\[\\]]*)\\[([0-9,-]+)\\](.*)");
    private static final Pattern RANGE = Pattern.compile("(\\d{1,9})(?:-(\\d{1,9}))?");

    private HostList() {}

    /**
     * Reads a host file. Text after {@code #} is a comment, and so are words after the first one, such as the slots of
     * Open MPI. A line may be in Slurm's form.
     *
     * @throws IllegalParameterException if it cannot be read, or a line is invalid
     */
    static List<String> read(Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (NoSuchFileException _) {
            throw new IllegalParameterException("--hosts: there is no file " + file);
        } catch (MalformedInputException _) {
            throw new IllegalParameterException("--hosts: " + file + " is not a text file");
        } catch (IOException failure) {
            throw new IllegalParameterException("--hosts: " + file + " cannot be read: " + failure.getMessage());
        }
        List<String> hosts = new ArrayList<>();
        Set<String> known = new HashSet<>();
        for (int i = 0; i < lines.size(); i++) {
            String text = lines.get(i).replaceFirst("#.*", "").strip();
            if (!text.isEmpty()) {
                String where = "--hosts: " + file + ", line " + (i + 1);
                for (String host : expand(where, text.split("\\s+")[0])) {
                    IllegalParameterException.when(!known.add(host), () -> where + ": " + host + " appears twice");
                    hosts.add(host);
                }
            }
        }
        IllegalParameterException.when(hosts.size() < 2, () -> "--hosts: " + file + " must name at least two hosts");
        IllegalParameterException.when(
                hosts.size() > MOST_HOSTS, () -> "--hosts: " + file + " names more than " + MOST_HOSTS + " hosts");
        return hosts;
    }

    /**
     * Expands a list in Slurm's form.
     *
     * @param where the origin of the list, for messages
     * @throws IllegalParameterException if it is invalid
     */
    static List<String> expand(String where, String list) {
        List<String> hosts = new ArrayList<>();
        // The commas outside brackets.
        for (String part : list.split(",(?![^\\[]*\\])", -1)) {
            try (Stream<String> some = expandOne(where, part)) {
                some.limit(MOST_HOSTS + 1L).forEach(hosts::add);
            }
        }
        for (String host : hosts) {
            IllegalParameterException.when(
                    !NAME.matcher(host).matches(), () -> where + ": '" + list + "' is not a list of hosts");
        }
        return hosts;
    }

    private static Stream<String> expandOne(String where, String part) {
        Matcher brackets = BRACKETS.matcher(part);
        if (!brackets.matches()) {
            return Stream.of(part);
        }
        return Stream.of(brackets.group(2).split(",", -1))
                .flatMap(range -> numbers(where, range))
                .flatMap(number -> expandOne(where, brackets.group(3)).map(rest -> brackets.group(1) + number + rest));
    }

    private static Stream<String> numbers(String where, String text) {
        Matcher range = RANGE.matcher(text);
        IllegalParameterException.when(!range.matches(), () -> where + ": '" + text + "' is not a range of hosts");
        String first = range.group(1);
        int start = Integer.parseInt(first);
        int end = range.group(2) == null ? start : Integer.parseInt(range.group(2));
        IllegalParameterException.when(
                end < start || end - start >= MOST_HOSTS, () -> where + ": '" + text + "' is not a range of hosts");
        String format = "%0" + first.length() + "d";
        return Stream.iterate(start, number -> number <= end, number -> number + 1)
                .map(number -> String.format(Locale.ROOT, format, number));
    }
}
