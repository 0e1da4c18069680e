// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

/** What can be done about an errno where the call knows nothing better: a remedy that is right for every verb. */
public final class ErrnoRemedy {
    private static final String DEVICE_GONE =
            "look into the kernel log ('dmesg'): the device has failed or was removed. Close what was made on it"
                    + " (libibverbs lets it only with RDMAV_ALLOW_DISASSOC_DESTROY=1 in the environment), and open it"
                    + " anew when 'ibv_devices' lists it again";
    private static final String RIGHTS =
            "let this user read and write /dev/infiniband/*, or give the process the capability that the verb's manual"
                    + " page names (CAP_NET_RAW, CAP_IPC_LOCK)";
    private static final String NO_ROOM = "close what is not used, or ask for less: the device or the kernel is full";
    private static final String FILES = "raise the limit of open files ('ulimit -n'), or close what is not used";
    private static final String DESCRIPTOR =
            "find who closes file descriptors of this process that are not his: the library's was closed under it";
    private static final String ROUTE = "check the route ('ip route get ADDRESS'), and that the peer's host is up";
    private static final String PEER = "check that the peer's program still runs and listens, and connect anew";
    private static final String ARGUMENTS =
            "compare the arguments above with the verb's manual page and the device's limits"
                    + " (DeviceContext.attributes()); the kernel log ('dmesg') may name the one that it refused";
    private static final String OTHER =
            "look the errno up in the verb's manual page, and look into the kernel log ('dmesg'), where drivers say"
                    + " more";

    private ErrnoRemedy() {}

    /**
     * The general remedy.
     *
     * @param errno a positive errno value
     * @return what can be done; never empty
     */
    public static String of(int errno) {
        return switch (ErrnoName.of(errno)) {
            case "EPERM", "EACCES" -> RIGHTS;
            case "ENOENT" ->
                "see that the device and its files in /dev/infiniband are there ('ibv_devices'; in a"
                        + " container: --device=/dev/infiniband)";
            case "EINTR", "EAGAIN", "EALREADY", "EINPROGRESS" -> "call it again a little later";
            case "EIO", "ENXIO", "ENODEV" -> DEVICE_GONE;
            case "EBADF", "ENOTTY" -> DESCRIPTOR;
            case "ENOMEM", "ENOSPC", "ENOBUFS" -> NO_ROOM;
            case "EMFILE", "ENFILE" -> FILES;
            case "EFAULT" ->
                "see that all memory that the call was given is mapped, and writable where it is written to";
            case "EBUSY" -> "close first what uses it";
            case "EEXIST", "EISCONN" -> "it is there already: use it, or close it first";
            case "EINVAL", "E2BIG", "EFBIG", "ERANGE", "EOVERFLOW" -> ARGUMENTS;
            case "ENOSYS", "EOPNOTSUPP", "EPROTONOSUPPORT", "ENOTSUPP" ->
                "do it in another way, or use a device, a driver or a version of rdma-core that offers it (the"
                        + " capabilities: 'ibv_devinfo -v')";
            case "EAFNOSUPPORT" -> "use addresses of one family, IPv4 or IPv6, on both sides";
            case "EADDRINUSE" -> "take another port, or 0 for any that is free";
            case "EADDRNOTAVAIL" -> "use an address of this host ('ip address')";
            case "ENETDOWN" -> "bring the network interface up ('ip link set dev INTERFACE up')";
            case "ENETUNREACH", "EHOSTUNREACH", "EHOSTDOWN" -> ROUTE;
            case "EPIPE", "ECONNABORTED", "ECONNRESET", "ENOTCONN", "ECONNREFUSED" -> PEER;
            case "ETIMEDOUT" -> "see that the peer and its device run and can be reached, or allow more time";
            default -> OTHER;
        };
    }
}
