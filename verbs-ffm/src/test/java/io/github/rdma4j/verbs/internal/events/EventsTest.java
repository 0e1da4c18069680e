// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.events;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.Configuration;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.ValueDescriptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the names and descriptions of the events, and the page that lists them. */
class EventsTest {
    private static final Path DOCS = Path.of("..", "docs");

    static List<Class<? extends Event>> events() {
        return List.of(
                CorruptBlockEvent.class,
                CorruptMessageEvent.class,
                DeviceEvent.class,
                EndpointAcceptEvent.class,
                EndpointConnectEvent.class,
                EndpointEndEvent.class,
                EndpointMoveEvent.class,
                EndpointWaitEvent.class,
                EventWaitEvent.class,
                FailedTransferEvent.class,
                MemoryDeregistrationEvent.class,
                MemoryRegistrationEvent.class);
    }

    @Test
    void listAboveIsWhole() throws Exception {
        Path sources = Path.of("src/main/java")
                .resolve(EventsTest.class.getPackageName().replace('.', '/'));
        try (Stream<Path> files = Files.list(sources)) {
            assertThat(files.map(file -> file.getFileName().toString().replace(".java", ""))
                            .filter(name -> !List.of("package-info", "Recorder").contains(name)))
                    .containsExactlyInAnyOrderElementsOf(
                            events().stream().map(Class::getSimpleName).toList());
        }
    }

    @ParameterizedTest
    @MethodSource("events")
    void eventAndItsFieldsAreNamedForPeople(Class<? extends Event> event) throws Exception {
        EventType type = EventType.getEventType(event);
        assertThat(type.getName()).startsWith("rdma4j.");
        assertThat(type.getLabel()).contains(" ");
        assertThat(type.getDescription()).isNotEmpty();
        assertThat(type.getCategoryNames()).containsExactly("rdma4j");
        assertThat(type.isEnabled()).isFalse();

        String page = Files.readString(DOCS.resolve("monitoring.md"));
        String row = page.lines()
                .filter(line -> line.startsWith("| `" + type.getName() + "` |"))
                .findFirst()
                .orElseThrow();
        for (ValueDescriptor field : own(type)) {
            assertThat(field.getLabel()).isNotNull();
            assertThat(row).contains("`" + field.getName() + "`");
        }
    }

    /** Without what each event has: start, duration, thread, stack. */
    private static List<ValueDescriptor> own(EventType type) {
        return type.getFields().stream()
                .filter(field -> !List.of("startTime", "duration", "eventThread", "stackTrace")
                        .contains(field.getName()))
                .toList();
    }

    @Test
    void settingsFileSwitchesOnEachOfThemAndNothingElse() throws Exception {
        String text = Files.readString(DOCS.resolve("rdma4j.jfc"));
        Configuration settings = Configuration.create(new StringReader(text));
        assertThat(settings.getSettings().keySet().stream()
                        .map(name -> name.substring(0, name.indexOf('#')))
                        .distinct())
                .containsExactlyInAnyOrderElementsOf(events().stream()
                        .map(event -> EventType.getEventType(event).getName())
                        .toList());
        for (Class<? extends Event> event : events()) {
            String name = EventType.getEventType(event).getName();
            assertThat(settings.getSettings()).containsEntry(name + "#enabled", "true");
        }
    }
}
