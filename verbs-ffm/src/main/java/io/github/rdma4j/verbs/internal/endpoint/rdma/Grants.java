// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.rdma;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.MemoryWindow;
import io.github.rdma4j.verbs.MemoryWindowType;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.device.DeviceAttributes;
import io.github.rdma4j.verbs.device.DeviceCapability;
import io.github.rdma4j.verbs.endpoint.GrantedMemory;
import io.github.rdma4j.verbs.endpoint.MemoryHandle;
import io.github.rdma4j.verbs.endpoint.Transfers;
import io.github.rdma4j.verbs.internal.RegionAccess;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.engine.Engine;
import io.github.rdma4j.verbs.internal.endpoint.engine.Exposures;
import io.github.rdma4j.verbs.internal.endpoint.engine.Memories;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What one endpoint has given to its peer alone, by what there is: a window of its queue pair, a table of its TCP
 * connection, or a registration of its own.
 *
 * <p>Thread safety: all methods may be called from any thread, without the endpoint's lock.
 */
public final class Grants {
    /** It asks of a window's key whose it is and what it allows, and of the range only whether the region has it. */
    private static final int VENDOR_OF_SOFT_ROCE = 0xff_ffff;

    private final Engine engine;
    private final Memories memories;
    private final Transfers transfers;
    /** Guarded by its own monitor, as are the two fields below. */
    private final List<GrantedMemory> open = new ArrayList<>();

    private boolean closed;
    private int sweepAt = Exposures.nextSweep(0);

    public Grants(Engine engine, Memories memories, Transfers transfers) {
        this.engine = engine;
        this.memories = memories;
        this.transfers = transfers;
    }

    private EndpointTransport wire() {
        return engine.transport();
    }

    /** Gives new memory. */
    public GrantedMemory grant(long size, Duration timeout, AccessFlag... rights) {
        Set<AccessFlag> granted = rights(rights);
        boolean windows = wire() instanceof VerbsWire && whyNoWindows() == null;
        MemoryRegion region = windows
                ? memories.allocate(size, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND)
                : memories.allocate(size, AccessFlag.LOCAL_WRITE);
        try {
            return grant(region.slice(), region, timeout, granted);
        } catch (Throwable e) {
            if (!isKept(region)) {
                CloseAll.after(e, region::close);
            }
            throw e;
        }
    }

    /** Gives memory that there is. */
    public GrantedMemory grant(MemorySlice slice, Duration timeout, AccessFlag... rights) {
        return grant(slice, null, timeout, rights(rights));
    }

    private static Set<AccessFlag> rights(AccessFlag... rights) {
        Set<AccessFlag> granted = EnumSet.copyOf(ACCESS.rights(rights));
        ACCESS.requireRemote(granted);
        return granted;
    }

    private GrantedMemory grant(MemorySlice slice, MemoryRegion owned, Duration timeout, Set<AccessFlag> rights) {
        if (slice.length() == 0) {
            throw new IllegalArgumentException("0 bytes cannot be granted");
        }
        if (!slice.region().isOpen()) {
            throw new IllegalStateException(slice.region() + " is closed");
        }
        GrantedMemory granted;
        if (wire() instanceof VerbsWire verbs) {
            String instead = whyNoWindows();
            granted = instead == null
                    ? byWindow(verbs, slice, owned, timeout, rights)
                    : byRegistration(slice, owned, rights, instead);
        } else if (wire().grants() == null) {
            granted = byRegistration(slice, owned, rights, whyNoWindows());
        } else {
            granted = byTable(slice, owned, rights);
        }
        keep(granted);
        return granted;
    }

    // ---- Windows ----

    /** Why the adapter cannot say that a key is for one queue pair alone; null if it can. */
    private String whyNoWindows() {
        DeviceContext device = memories.domain().context();
        Set<DeviceCapability> capabilities = device.attributes().capabilities();
        return capabilities.contains(DeviceCapability.MEM_WINDOW_TYPE_2B)
                        || capabilities.contains(DeviceCapability.MEM_WINDOW_TYPE_2A)
                ? null
                : "%s has no memory windows of type 2, so that its key serves whoever knows it, of all peers of this"
                                .formatted(device.device().name())
                        + " protection domain";
    }

    private GrantedMemory byWindow(
            VerbsWire verbs, MemorySlice slice, MemoryRegion owned, Duration timeout, Set<AccessFlag> rights) {
        boolean asItIs = slice.region().allows(AccessFlag.MW_BIND)
                && slice.region().hasAdapter()
                && (slice.length() == slice.region().length() || !isSoftRoce());
        MemoryRegion base = asItIs ? null : register(slice, access(rights, AccessFlag.MW_BIND));
        MemoryWindow window = null;
        Promise<Void> bound = new Promise<>(engine);
        try {
            window = memories.domain().allocateMemoryWindow(MemoryWindowType.TYPE_2);
            bind(verbs, window, base == null ? slice : base.slice(), rights, bound);
            ACCESS.await(transfers, "binding a memory window over ", () -> bound, timeout);
            return ACCESS.grantedMemory(
                    slice, new MemoryHandle(window.remoteMemory(), rights), window, base, owned, null);
        } catch (UnsupportedVerbException e) {
            closeAfter(e, window, base);
            return byRegistration(slice, owned, rights, e.getMessage());
        } catch (Throwable e) {
            if (bound.isWithdrawn() && isPosted(verbs, window)) {
                // The adapter may be about to bind it, and would break the connection over a window that is gone.
                keep(ACCESS.grantedMemory(
                        slice, new MemoryHandle(window.remoteMemory(), rights), window, base, owned, null));
            } else {
                closeAfter(e, window, base);
            }
            throw e;
        }
    }

    private boolean isPosted(VerbsWire verbs, MemoryWindow window) {
        engine.enter();
        try {
            return !verbs.removeWindow(window) && window.isOpen();
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    private static void closeAfter(Throwable failure, MemoryWindow window, MemoryRegion base) {
        CloseAll.after(
                failure,
                () -> {
                    if (window != null) {
                        window.close();
                    }
                },
                () -> {
                    if (base != null) {
                        base.close();
                    }
                });
    }

    private boolean isSoftRoce() {
        DeviceAttributes attributes = memories.domain().context().attributes();
        return attributes.vendorId() == VENDOR_OF_SOFT_ROCE;
    }

    /** Binds by a request of the queue pair that the window will belong to, in the order of its requests. */
    private void bind(
            VerbsWire verbs, MemoryWindow window, MemorySlice slice, Set<AccessFlag> rights, Promise<Void> bound) {
        engine.enter();
        try {
            engine.requireOpen();
            engine.progress();
            verbs.addWindow(window);
            engine.protocol()
                    .transferAsync(bound, Operation.BIND, slice, null, window.handle(), VerbsWire.mask(rights));
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit(bound);
        }
    }

    // ---- Without windows ----

    private static AccessFlag[] access(Set<AccessFlag> rights, AccessFlag... more) {
        EnumSet<AccessFlag> access = EnumSet.noneOf(AccessFlag.class);
        if (rights.contains(AccessFlag.REMOTE_WRITE) || rights.contains(AccessFlag.REMOTE_ATOMIC)) {
            access.add(AccessFlag.LOCAL_WRITE);
        }
        access.addAll(List.of(more));
        return access.toArray(AccessFlag[]::new);
    }

    /** This part alone, with these rights and no others. */
    private MemoryRegion register(MemorySlice slice, AccessFlag[] access) {
        if (!slice.region().hasSegment()) {
            throw new IllegalArgumentException(slice.region()
                    + " is not memory of this process, of which a part could be registered separately: grant all of a"
                    + " region with MW_BIND");
        }
        MemoryRegion part = memories.register(slice, access);
        try {
            RegionAccess.door().closeWith(part, slice.region());
            return part;
        } catch (Throwable e) {
            CloseAll.after(e, part::close);
            throw e;
        }
    }

    private GrantedMemory byRegistration(
            MemorySlice slice, MemoryRegion owned, Set<AccessFlag> rights, String instead) {
        MemoryRegion base = register(slice, access(rights, rights.toArray(AccessFlag[]::new)));
        return ACCESS.grantedMemory(slice, new MemoryHandle(base.remoteMemory(), rights), null, base, owned, instead);
    }

    /** Over TCP the table of the connection; if it can move, the adapter has the same registration. */
    private GrantedMemory byTable(MemorySlice slice, MemoryRegion owned, Set<AccessFlag> rights) {
        boolean moves = memories.moves();
        GrantedMemory granted = byRegistration(
                slice,
                owned,
                rights,
                moves
                        ? "the endpoint can move from one queue pair to another, and a window belongs to one: over RDMA"
                                + " its key serves whoever knows it, of all peers of this protection domain"
                        : null);
        if (!wire().grants().add(ACCESS.base(granted))) {
            granted.close();
            throw ACCESS.endpointException(
                    "granting memory of " + engine,
                    "another grant has the same key, which is a random number over TCP",
                    "grant it again");
        }
        return granted;
    }

    // ---- The end ----

    private boolean isKept(MemoryRegion owned) {
        synchronized (open) {
            return open.stream().anyMatch(granted -> ACCESS.owned(granted) == owned);
        }
    }

    private void keep(GrantedMemory granted) {
        synchronized (open) {
            if (!closed) {
                if (open.size() >= sweepAt) {
                    open.removeIf(ACCESS::isGone);
                    sweepAt = Exposures.nextSweep(open.size());
                }
                open.add(granted);
                return;
            }
        }
        granted.close();
        throw new IllegalStateException(engine + " is closed");
    }

    /** Takes everything back. Call again to retry what failed. */
    public void close() {
        List<GrantedMemory> all;
        synchronized (open) {
            closed = true;
            all = List.copyOf(open);
        }
        CloseAll.of(all.stream().map(granted -> (Runnable) granted::close).toArray(Runnable[]::new));
    }
}
