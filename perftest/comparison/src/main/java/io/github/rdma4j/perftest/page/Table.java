// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A table of the page, as its template reads it. */
final class Table {
    private final String caption;
    private final List<Map<String, Object>> columns = new ArrayList<>();
    private final List<Map<String, Object>> rows = new ArrayList<>();
    private final List<Figure> figures = new ArrayList<>();
    private List<Map<String, Object>> cells;

    /** A number whose text depends on the others in the table. */
    private record Figure(Metric metric, double value, Map<String, Object> cell) {}

    /**
     * @param caption the title of the table
     * @param columns headings; the heading of a column of numbers ends in {@code >}
     */
    Table(String caption, List<String> columns) {
        this.caption = caption;
        for (String column : columns) {
            boolean number = column.endsWith(">");
            this.columns.add(Map.of(
                    "text", number ? column.substring(0, column.length() - 1) : column, "style", number ? "n" : ""));
        }
    }

    /** Starts a group of rows under a heading. */
    Table group(String heading) {
        rows.add(Map.of("group", heading, "span", columns.size()));
        return this;
    }

    /** Starts a row. */
    Table row() {
        cells = new ArrayList<>();
        rows.add(Map.of("cells", cells));
        return this;
    }

    /** A cell of text. */
    Table text(String text) {
        return cell(text, "", "");
    }

    /** A cell of text that may be long. */
    Table longText(String text) {
        return cell(text, "long", "");
    }

    /** The name of a series, with its mark. */
    Table series(String name, Party party) {
        return cell(name, "s", party.key());
    }

    /** A cell of a number that is text already. */
    Table number(String text) {
        return cell(text, "n", "");
    }

    /** A cell of a heat map: a number that is text already, with the class of its colour. */
    Table heat(String text, String style) {
        return cell(text, style, "");
    }

    /** Adds a figure; all figures of a unit in the table get equal decimals. */
    Table figure(Metric metric, double value) {
        return figure(metric, value, "n");
    }

    /** A figure that rests on too few samples. */
    Table weak(Metric metric, double value) {
        return figure(metric, value, "n weak");
    }

    private Table figure(Metric metric, double value, String style) {
        cell("", style, "");
        figures.add(new Figure(metric, value, cells.getLast()));
        return this;
    }

    private Table cell(String text, String style, String party) {
        Map<String, Object> cell = new LinkedHashMap<>();
        cell.put("text", text);
        cell.put("style", style);
        cell.put("party", party);
        cells.add(cell);
        return this;
    }

    private static void format(List<Figure> ofUnit) {
        int decimals =
                Figures.decimals(ofUnit.getFirst().metric(), ofUnit.stream().mapToDouble(Figure::value));
        ofUnit.forEach(figure -> figure.cell().put("text", Figures.number(figure.value(), decimals)));
    }

    /** Returns whether it has no rows. */
    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** Returns the values that the template reads. */
    Map<String, Object> model() {
        figures.stream()
                .collect(Collectors.groupingBy(figure -> figure.metric().unit()))
                .values()
                .forEach(Table::format);
        return Map.of("caption", caption, "columns", columns, "rows", rows);
    }
}
