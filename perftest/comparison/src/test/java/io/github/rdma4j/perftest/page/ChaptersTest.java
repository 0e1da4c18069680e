// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChaptersTest {
    @TempDir
    private Path folder;

    private List<Chapter> chapters(String... texts) {
        return Chapters.of(SampleDocuments.read(folder, texts));
    }

    @Test
    void toolIsAChapterAndAProgramASeries() {
        List<Chapter> chapters = chapters(SampleDocuments.everything());

        assertThat(chapters).extracting(Chapter::title).containsExactly("ib_write_lat", "ib_write_bw");
        assertThat(chapters.getFirst().series())
                .extracting(Series::name)
                .containsExactly("Java", "C", "TCP Java", "TCP C");
        assertThat(chapters.getFirst().latency()).isTrue();
        assertThat(chapters.getLast().latency()).isFalse();
        assertThat(chapters.getFirst().series()).extracting(Series::variant).containsOnly(0);
    }

    @Test
    void oneProgramOfSeveralFilesHasTheirNames() {
        String document = SampleDocuments.comparison(
                SampleDocuments.rdma("ib_write_lat", "java", SampleDocuments.latency(2, 10)));
        String other = SampleDocuments.comparison(
                SampleDocuments.rdma("ib_write_lat", "c", SampleDocuments.few(2, 10)),
                SampleDocuments.rdma("ib_write_lat", "java", SampleDocuments.latency(2, 11)));

        Chapter chapter = chapters(document, other).getFirst();

        assertThat(chapter.series()).extracting(Series::name).containsExactly("Java · file0", "Java · file1", "C");
        assertThat(chapter.series()).extracting(Series::variant).containsExactly(0, 1, 0);
    }

    @Test
    void settingsThatMakeFiguresIncomparableAreChaptersOfTheirOwn() {
        String more = ", \"Connection_type\": \"%s\", \"Number_of_qps\": %d, \"bidirectional\": %s";
        List<Chapter> chapters = chapters(SampleDocuments.comparison(
                SampleDocuments.test(
                        "ib_write_bw", "java", more.formatted("RC", 1, false), SampleDocuments.bandwidth(2, 1)),
                SampleDocuments.test(
                        "ib_write_bw", "c", more.formatted("RC", 4, false), SampleDocuments.bandwidth(2, 1)),
                SampleDocuments.test(
                        "ib_write_bw", "c", more.formatted("UC", 1, true), SampleDocuments.bandwidth(2, 1)),
                SampleDocuments.test("ib_write_bw", "tcp-c", "", SampleDocuments.bandwidth(2, 1))));

        assertThat(chapters)
                .extracting(Chapter::title)
                .containsExactly("ib_write_bw", "ib_write_bw, 4 queue pairs", "ib_write_bw, UC, both directions");
        assertThat(chapters.getFirst().series()).extracting(Series::name).containsExactly("Java", "TCP C");
    }

    @Test
    void openLoopIsNoClosedOne() {
        String closed = SampleDocuments.latency(2, 10);
        String open = closed.replace("\"closed\"", "\"open\", \"rate\": 20000");
        List<Chapter> chapters = chapters(SampleDocuments.comparison(
                SampleDocuments.rdma("ib_write_lat", "java", closed),
                SampleDocuments.rdma("ib_write_lat", "java", open)));

        assertThat(chapters)
                .extracting(Chapter::title)
                .containsExactly("ib_write_lat", "ib_write_lat, open loop at 20\u202f000/s");
    }

    @Test
    void sizeMeasuredTwiceIsAnotherSeries() {
        Chapter chapter = chapters(SampleDocuments.comparison(SampleDocuments.rdma(
                        "ib_write_bw", "java", SampleDocuments.bandwidth(2, 1), SampleDocuments.bandwidth(2, 3))))
                .getFirst();

        assertThat(chapter.series()).extracting(Series::name).containsExactly("Java · file0", "Java · file0 (2)");
    }

    @Test
    void unknownProgramKeepsItsName() {
        Chapter chapter = chapters(SampleDocuments.comparison(
                        SampleDocuments.rdma("ib_write_bw", "rust", SampleDocuments.bandwidth(2, 1))))
                .getFirst();

        assertThat(chapter.series()).singleElement().satisfies(line -> {
            assertThat(line.name()).isEqualTo("rust");
            assertThat(line.party()).isEqualTo(Party.OTHER);
        });
    }

    @Test
    void tcpOfTheNearestSizeStandsIn() {
        Chapter chapter = chapters(SampleDocuments.everything()).getFirst();
        Series tcp = chapter.series().getLast();

        assertThat(chapter.sizes()).containsExactly(2L, 64L, 4096L);
        assertThat(chapter.at(tcp, 2).size()).isEqualTo(14);
        assertThat(chapter.at(tcp, 64).size()).isEqualTo(64);
        assertThat(tcp.nameAt(chapter.at(tcp, 2), 2)).isEqualTo("TCP C (14 B)");
        assertThat(chapter.at(chapter.series().getFirst(), 8)).isNull();
    }

    @Test
    void ratiosAreToCOfTheSameFile() {
        String test = SampleDocuments.comparison(
                SampleDocuments.rdma("ib_write_lat", "java", SampleDocuments.latency(2, 10)),
                SampleDocuments.rdma("ib_write_lat", "c", SampleDocuments.few(2, 10)));
        Chapter chapter = chapters(test, test).getFirst();

        Series second = chapter.series().get(1);
        assertThat(second.document()).isEqualTo("file1");
        assertThat(chapter.reference(second).document()).isEqualTo("file1");
        assertThat(chapter.reference(chapter.reference(second))).isNull();
    }
}
