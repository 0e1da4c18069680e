// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ActiveEntriesTest {
    /** Counts what it is asked. */
    private final class Counting extends SelectorEntry {
        boolean ready;
        boolean readyWhenArmed;
        boolean notifies;
        boolean more;
        boolean armedEarly;
        /** How many more visits have futures to complete. */
        int undone;

        int visits;
        int arms;

        Counting(Runnable handler) {
            super(new Object(), key -> handler.run());
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void ring(Bell bell) {}

        @Override
        public boolean hasRung() {
            return false;
        }

        @Override
        boolean takeIn(boolean armEarly) {
            visits++;
            undone = Math.max(0, undone - 1);
            visited.add(this);
            armedEarly = armEarly;
            boolean wasReady = ready;
            ready = false;
            return wasReady;
        }

        @Override
        boolean notifies() {
            return notifies;
        }

        @Override
        boolean mayHaveMore() {
            return more;
        }

        @Override
        boolean mustComplete() {
            return undone > 0;
        }

        @Override
        boolean isDone(boolean wasReady) {
            return super.isDone(wasReady) || armedEarly && !more;
        }

        @Override
        boolean arm() {
            arms++;
            return readyWhenArmed;
        }

        @Override
        public long checkTimeouts() {
            return 0;
        }
    }

    private final ActiveEntries active = new ActiveEntries(time -> {});
    private final List<Counting> visited = new ArrayList<>();
    private int handled;

    private Counting added() {
        Counting entry = new Counting(() -> handled++);
        active.add(entry);
        return entry;
    }

    private List<Counting> added(int count) {
        List<Counting> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(added());
        }
        return entries;
    }

    /** What made a busy selector slow: each message cost a visit of all endpoints, in no select was none ready. */
    @Test
    void messageCostsFewVisitsHoweverManyEndpointsThereAre() {
        List<Counting> entries = added(1000);
        int messages = 10_000;
        for (int i = 0; i < messages; i++) {
            Counting next = entries.get(i % entries.size());
            next.ready = true;
            active.add(next);
            assertThat(active.visit(false)).isEqualTo(1);
        }
        assertThat(handled).isEqualTo(messages);
        int visits = entries.stream().mapToInt(entry -> entry.visits).sum();
        // The first time, all are there.
        assertThat(visits - entries.size() * (ActiveEntries.VAIN_ROUNDS + 1))
                .isLessThanOrEqualTo(messages * (ActiveEntries.VAIN_ROUNDS + 1));
        assertThat(entries).allMatch(entry -> entry.arms <= messages / entries.size() + 1);
    }

    /** A callback of each visit leaves one more. */
    @Test
    void entryWithFuturesToCompleteStays() {
        Counting notifying = added();
        notifying.notifies = true;
        notifying.undone = 3;
        while (!active.isEmpty()) {
            active.visit(false);
        }
        assertThat(notifying.visits).isEqualTo(3);
        Counting armed = added();
        armed.undone = 2;
        active.armAll();
        assertThat(active.size()).isEqualTo(1);
        active.visit(false);
        active.visit(false);
        active.armAll();
        assertThat(active.isEmpty()).isTrue();
    }

    @Test
    void occasionallyReadyEntryStays() {
        List<Counting> entries = added(ActiveEntries.VAIN_ROUNDS);
        for (int i = 0; i < 1000; i++) {
            entries.get(i % entries.size()).ready = true;
            active.visit(false);
        }
        assertThat(active.size()).isEqualTo(entries.size());
        assertThat(entries).allMatch(entry -> entry.arms == 0);
    }

    @Test
    void whileNobodyIsReadyAllStay() {
        added(3);
        for (int i = 0; i < 1000; i++) {
            assertThat(active.visit(false)).isZero();
        }
        assertThat(active.size()).isEqualTo(3);
    }

    @Test
    void notifiedEntryLeavesWithItsLastMessage() {
        Counting entry = added();
        entry.notifies = true;
        entry.ready = true;
        entry.more = true;
        assertThat(active.visit(false)).isEqualTo(1);
        assertThat(entry.isActive).isTrue();
        entry.ready = true;
        entry.more = false;
        assertThat(active.visit(false)).isEqualTo(1);
        assertThat(entry.isActive).isFalse();
        assertThat(active.isEmpty()).isTrue();
        assertThat(active.visit(false)).isZero();
        assertThat(entry.visits).isEqualTo(2);
        active.add(entry);
        assertThat(active.visit(false)).isZero();
        assertThat(active.isEmpty()).isTrue();
    }

    @Test
    void earlyArmedEntryLeavesWhenEmptyAndIsNotRearmed() {
        Counting entry = added();
        entry.ready = true;
        entry.more = true;
        assertThat(active.visit(true)).isEqualTo(1);
        assertThat(entry.isActive).isTrue();
        entry.ready = true;
        entry.more = false;
        assertThat(active.visit(true)).isEqualTo(1);
        assertThat(active.isEmpty()).isTrue();
        assertThat(active.armAll()).isZero();
        assertThat(entry.arms).isZero();
        active.add(entry);
        assertThat(active.visit(false)).isZero();
        assertThat(entry.isActive).isTrue();
    }

    @Test
    void eventBeforeArmingIsHandledAndKeepsItsPosition() {
        Counting busy = added();
        Counting quiet = added();
        quiet.readyWhenArmed = true;
        int called = 0;
        for (int i = 0; i <= ActiveEntries.VAIN_ROUNDS; i++) {
            busy.ready = true;
            called += active.visit(false);
        }
        assertThat(quiet.arms).isEqualTo(1);
        assertThat(called).isEqualTo(ActiveEntries.VAIN_ROUNDS + 2).isEqualTo(handled);
        assertThat(active.size()).isEqualTo(2);
    }

    @Test
    void armingLetsAllGoButThoseThatAreReady() {
        List<Counting> entries = added(3);
        entries.get(1).readyWhenArmed = true;
        assertThat(active.armAll()).isEqualTo(1);
        assertThat(active.size()).isEqualTo(1);
        assertThat(entries.get(1).isActive).isTrue();
        assertThat(entries.get(2).isActive).isFalse();
    }

    @Test
    void handlerThatThrowsKeepsItsPlaceAndThatOfThoseBehindIt() {
        List<Counting> entries = added(2);
        Counting failing = new Counting(() -> {
            throw new IllegalStateException("of the program");
        });
        failing.readyWhenArmed = true;
        active.add(failing);
        added();
        assertThatThrownBy(active::armAll).hasMessage("of the program");
        assertThat(active.size()).isEqualTo(2);
        assertThat(failing.isActive).isTrue();
        assertThat(entries).noneMatch(entry -> entry.isActive);
    }

    @Test
    void removedEntryIsNotVisited() {
        Counting gone = added();
        Counting other = added();
        gone.leave();
        gone.ready = true;
        active.visit(false);
        active.remove(other);
        active.remove(other);
        active.armAll();
        assertThat(gone.visits + gone.arms + other.arms).isZero();
        assertThat(active.isEmpty()).isTrue();
    }

    /** An arrival for another entry during a handler's call is not lost, even if an entry leaves in the same visit. */
    @Test
    void entryAddedByAHandlerIsVisitedInTheNextRound() {
        Counting late = new Counting(() -> handled++);
        Counting first = new Counting(() -> active.add(late));
        first.notifies = true;
        first.ready = true;
        late.ready = true;
        active.add(first);
        Counting behind = added();
        assertThat(active.visit(false)).isEqualTo(1);
        assertThat(visited).containsExactly(first, behind);
        assertThat(first.isActive).isFalse();
        assertThat(active.isEmpty()).isFalse();
        assertThat(active.size()).isEqualTo(2);
        visited.clear();
        assertThat(active.visit(false)).isEqualTo(1);
        assertThat(visited).containsExactly(behind, late);
        assertThat(handled).isEqualTo(1);
    }

    /** It may throw each time, and would keep the others from their turn. */
    @Test
    void handlerThatThrowsInAVisitGoesBehindTheOthers() {
        Counting leaving = added();
        leaving.notifies = true;
        leaving.ready = true;
        Counting failing = new Counting(() -> {
            throw new IllegalStateException("of the program");
        });
        failing.ready = true;
        active.add(failing);
        Counting second = added();
        Counting third = added();
        assertThatThrownBy(() -> active.visit(false)).hasMessage("of the program");
        assertThat(leaving.isActive).isFalse();
        assertThat(failing.isActive).isTrue();
        assertThat(active.size()).isEqualTo(3);
        visited.clear();
        active.visit(false);
        assertThat(visited).containsExactly(second, third, failing);
    }

    @Test
    void handlerThatThrowsWhenItIsArmedGoesBehindTheOthers() {
        Counting failing = new Counting(() -> {
            throw new IllegalStateException("of the program");
        });
        failing.readyWhenArmed = true;
        active.add(failing);
        Counting other = added();
        assertThatThrownBy(active::armAll).hasMessage("of the program");
        active.visit(false);
        assertThat(visited).containsExactly(other, failing);
    }

    /** While nobody is ready there is nothing better to do than to look. */
    @Test
    void roundsInWhichNobodyIsReadyDoNotCount() {
        Counting busy = added();
        Counting quiet = added();
        for (int i = 0; i < 100; i++) {
            active.visit(false);
        }
        busy.ready = true;
        active.visit(false);
        assertThat(quiet.isActive).isTrue();
        assertThat(quiet.arms).isZero();
    }
}
