// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageTest {
    private static final String HOSTILE =
            "</script><script>alert(1)</script><img src=x onerror=alert(2)>\\\"'&amp;<!-- ]]> \\u2028";

    private static final int SCRIPTS = 4;

    @TempDir
    private Path folder;

    private String page(String... texts) throws IOException {
        return Page.of(SampleDocuments.read(folder, texts), null);
    }

    @Test
    void parsesWithoutAnError() throws IOException {
        Parser parser = Parser.htmlParser().setTrackErrors(10);
        Jsoup.parse(page(SampleDocuments.everything()), "", parser);

        assertThat(parser.getErrors()).isEmpty();
    }

    @Test
    void everyChartHasItsPlaceItsDataAndItsWords() throws IOException {
        org.jsoup.nodes.Document html = Jsoup.parse(page(SampleDocuments.everything()));

        JsonNode data = new ObjectMapper().readTree(html.getElementById("data").data());
        assertThat(data).hasSizeGreaterThan(4);
        assertThat(html.select("figure")).hasSize(data.size());
        for (int i = 0; i < data.size(); i++) {
            Element chart = html.getElementById("chart-" + i);
            assertThat(chart.attr("role")).isEqualTo("img");
            assertThat(chart.attr("aria-label"))
                    .contains(data.get(i).get("title").asText());
            assertThat(html.select("button[data-chart=" + i + "][data-do=svg]")).hasSize(1);
            assertThat(html.select("button[data-chart=" + i + "][data-do=png]")).hasSize(1);
            int panels = data.get(i).get("panels").size();
            assertThat(html.select("select[data-chart=" + i + "] option")).hasSize(panels > 1 ? panels : 0);
        }
        assertThat(html.select("h1").text()).isEqualTo("ib_write_lat, ib_write_bw on rxe0");
        assertThat(html.select("table").text()).contains("10.50", "TCP C", "14 B");
    }

    @Test
    void loadsNothing() throws IOException {
        org.jsoup.nodes.Document html = Jsoup.parse(page(SampleDocuments.everything()));

        assertThat(html.select(
                        "[src], link, img, iframe, object, embed, base, [background], [style], [onclick], [onload]"))
                .isEmpty();
        assertThat(html.select("[href]")).allSatisfy(link -> {
            assertThat(link.attr("href")).startsWith("#");
            assertThat(html.getElementById(link.attr("href").substring(1))).isNotNull();
        });
        assertThat(html.select("style").html()).doesNotContain("@import", "url(", "http");
        assertThat(html.select("meta[http-equiv=Content-Security-Policy]").attr("content"))
                .startsWith("default-src 'none'; script-src 'sha256-")
                .doesNotContain("http", "*", "'self'", "script-src 'unsafe-inline'");
    }

    @Test
    void policyNamesTheScripts() throws IOException, GeneralSecurityException {
        org.jsoup.nodes.Document html = Jsoup.parse(page(SampleDocuments.everything()));
        String policy = html.select("meta[http-equiv=Content-Security-Policy]").attr("content");

        assertThat(html.select("script")).hasSize(SCRIPTS);
        for (Element script : html.select("script:not([type])")) {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(script.data().getBytes(StandardCharsets.UTF_8));
            assertThat(policy).contains("'sha256-" + Base64.getEncoder().encodeToString(digest) + "'");
        }
    }

    @Test
    void documentContentIsEscaped() throws IOException {
        String text = SampleDocuments.comparison(
                        SampleDocuments.rdma("HOSTILE", "HOSTILE", SampleDocuments.latency(2, 10)),
                        SampleDocuments.rdma("HOSTILE", "java", SampleDocuments.latency(2, 10)))
                .replace("rxe0", "HOSTILE")
                .replace("Linux 6.1", "HOSTILE")
                .replace("2026-11-21T12:13:14Z", "HOSTILE")
                .replace("\"Mtu\"", "\"HOSTILE\"")
                .replace("HOSTILE", HOSTILE);
        String real = new ObjectMapper().readTree("\"" + HOSTILE + "\"").asText();

        org.jsoup.nodes.Document html = Jsoup.parse(Page.of(SampleDocuments.read(folder, text), real));

        assertThat(html.select("script")).hasSize(SCRIPTS);
        assertThat(html.select("img, [onerror]")).isEmpty();
        assertThat(html.title())
                .startsWith("</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&amp;<!-- ]]>");
        JsonNode data = new ObjectMapper().readTree(html.getElementById("data").data());
        assertThat(data.findValuesAsText("name")).contains(real);
        assertThat(html.select("td").eachText())
                .anyMatch(cell -> cell.startsWith("</script><script>alert(1)</script>"));
    }

    @Test
    void isTheSameForTheSameDocuments() throws IOException {
        String first = page(SampleDocuments.everything());
        Locale before = Locale.getDefault();
        TimeZone zone = TimeZone.getDefault();
        try {
            Locale.setDefault(Locale.GERMANY);
            TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));

            assertThat(page(SampleDocuments.everything())).isEqualTo(first);
        } finally {
            Locale.setDefault(before);
            TimeZone.setDefault(zone);
        }
        assertThat(first).doesNotContain(folder.toString());
    }

    @Test
    void saysWhatTheFiguresDoNotMean() throws IOException {
        String text = Jsoup.parse(page(SampleDocuments.everything())).text();

        assertThat(text)
                .contains("21 November 2026, 12:13 UTC (96 s)")
                .contains("rxe0 is a software device")
                .contains("The processor is emulated")
                .contains("Both ends ran on one machine")
                .contains("Fewer than five rounds")
                .contains("Closed loop");
        String hardware = SampleDocuments.everything()
                .replace("\"software_device\": true", "\"software_device\": false")
                .replace("QEMU TCG CPU", "A CPU");
        assertThat(Jsoup.parse(page(hardware)).text())
                .doesNotContain("software device", "emulated")
                .contains("Both ends ran on one machine");
    }

    @Test
    void percentilesThatAreChanceLookLikeIt() throws IOException {
        org.jsoup.nodes.Document html = Jsoup.parse(page(
                SampleDocuments.comparison(SampleDocuments.rdma("ib_write_lat", "c", SampleDocuments.few(2, 10)))));

        // 1000 samples: 10 lie beyond 99 %, one beyond 99.9 %.
        assertThat(html.select("td.weak").eachText()).containsExactly("70.00");
    }

    @Test
    void onlyOneFigureNeedsNoChartOfBars() throws IOException {
        String alone = SampleDocuments.comparison(SampleDocuments.rdma(
                "ib_write_bw", "java", SampleDocuments.bandwidth(65536, 70).replaceAll("\"rounds\": .*", "\"x\": 1}")));

        org.jsoup.nodes.Document html = Jsoup.parse(page(alone));

        assertThat(html.select("figure")).isEmpty();
        assertThat(html.select("td").eachText()).contains("70.00");
        assertThat(List.of(html.select("section.chapter h2").text())).containsExactly("ib_write_bw");
    }

    @Test
    void ratiosAreOfTheRoundsThatRanInTurnWithTheirInterval() throws IOException {
        String comparison = SampleDocuments.comparison(
                SampleDocuments.rdma("ib_write_bw", "java", rounds(44, 1, 11, 22, 33, 44, 55, 66, 70)),
                SampleDocuments.rdma("ib_write_bw", "c", rounds(40, 1, 10, 20, 30, 40, 50, 60, 70)),
                SampleDocuments.test("ib_write_bw", "tcp-java", "", rounds(100, 3, 66)));

        org.jsoup.nodes.Document html = Jsoup.parse(page(comparison));

        Element glance = html.selectFirst("table");
        assertThat(glance.select("th").eachText()).containsSubsequence("Java ÷ C", "95 % interval", "TCP Java ÷ Java");
        assertThat(glance.select("td").eachText()).containsSubsequence("44.00", "1.100", "1.000 to 1.100", "2.000");
    }

    private org.jsoup.nodes.Document recordedComparison() throws IOException {
        try (InputStream recorded = getClass().getResourceAsStream("compare.json")) {
            return Jsoup.parse(page(new String(recorded.readAllBytes(), StandardCharsets.UTF_8)));
        }
    }

    @Test
    void latenciesOfARowAreOfTheSameSamples() throws IOException {
        List<Element> tables = recordedComparison().select("table[aria-label^=Latency in]");

        assertThat(tables)
                .extracting(table -> table.attr("aria-label"))
                .satisfiesExactly(
                        first -> assertThat(first).endsWith("medians of the rounds"),
                        second -> assertThat(second).endsWith("all rounds together"));
        for (Element table : tables) {
            List<String> columns = table.select("thead th").eachText();
            for (Element row : table.select("tbody tr")) {
                // Percentiles of one set of samples ascend; a mean and a deviation have no place among them.
                List<Double> ascending = IntStream.range(columns.indexOf("Min"), columns.indexOf("Max") + 1)
                        .filter(column -> !List.of("Mean", "Std. dev.").contains(columns.get(column)))
                        .mapToObj(column -> row.select("td").get(column).text().replace("\u202f", ""))
                        .map(Double::valueOf)
                        .toList();
                assertThat(ascending).as(row.text()).isSorted();
            }
        }
        assertThat(tables.getFirst().select("thead th").eachText()).doesNotContain("90 %", "99.99 %");
        assertThat(tables.getLast().text()).contains("14\u202f997", "5\u202f904.38", "6\u202f531.94");
    }

    @Test
    void numbersOfAColumnHaveTheSameDecimals() throws IOException {
        for (Element table : recordedComparison().select("section.chapter table")) {
            List<String> columns = table.select("thead th").eachText();
            for (int column = 2; column < columns.size(); column++) {
                assertThat(table.select("tbody td:nth-child(" + (column + 1) + ")").eachText().stream()
                                .filter(text -> !text.equals("–"))
                                .map(text -> text.replaceFirst("^[^.]*", "").length())
                                .distinct())
                        .as(table.attr("aria-label") + ": " + columns.get(column))
                        .hasSizeLessThan(2);
            }
        }
    }

    /** Rounds with their numbers, as compare writes them. */
    private static String rounds(double median, int first, double... values) {
        String rounds = IntStream.range(0, values.length)
                .mapToObj(i -> "{\"round\": " + (first + i) + ", \"BW_average\": " + values[i] + "}")
                .collect(Collectors.joining(","));
        return SampleDocuments.bandwidth(65536, median).replaceAll("\"rounds\": .*", "\"rounds\": [" + rounds + "]}");
    }

    @Test
    void withoutRoundsInTurnThereIsNoInterval() throws IOException {
        Element glance = Jsoup.parse(page(SampleDocuments.everything())).selectFirst("table");

        assertThat(glance.select("td").eachText()).containsSubsequence("10.50", "10.00", "1.050", "–");
    }
}
