// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce.choice;

/**
 * Log lines of NCCL, by version: a few lines of each kind, in the format of the public issues that the comments name,
 * with our own host names.
 */
public final class RecordedLogs {
    /** NCCL 2.2x over InfiniBand, two GPUs on each of two machines: NVIDIA/nccl#1189. */
    public static final String INFINIBAND = """
            gpu-a:15:16 [0] NCCL INFO NCCL version 2.19.3+cuda12.2
            gpu-a:15:16 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [2]mlx5_2:1/RoCE [RO]; OOB eth0:10.0.0.5<0>
            gpu-a:15:16 [0] NCCL INFO Using network IB
            gpu-a:15:16 [0] NCCL INFO DMA-BUF is available on GPU device 0
            gpu-a:15:16 [0] NCCL INFO NCCL_PXN_DISABLE set by environment to 1.
            gpu-a:15:16 [0] NCCL INFO NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_0'
            gpu-a:15:16 [0] NCCL INFO GPU Direct RDMA Enabled for GPU 0 / HCA 0 (distance 4 <= 5), read 1 mode Default
            gpu-a:15:16 [0] NCCL INFO GPU Direct RDMA Disabled for GPU 0 / HCA 2 (distance 9 > 5)
            gpu-a:15:16 [0] NCCL INFO GPU Direct RDMA Enabled for GPU 1 / HCA 2 (distance 4 <= 5), read 1 mode Default
            gpu-a:15:16 [0] NCCL INFO === System : maxBw 48.0 totalBw 370.8 ===
            gpu-a:15:16 [0] NCCL INFO CPU/0 (1/1/2)
            gpu-a:15:16 [0] NCCL INFO Pattern 4, crossNic 1, nChannels 4, bw 24.000000/24.000000, type NVL/PIX, sameChannels 0
            gpu-a:15:16 [0] NCCL INFO  0 : NET/0 GPU/0 GPU/1 NET/1
            gpu-a:15:16 [0] NCCL INFO Pattern 1, crossNic 1, nChannels 4, bw 48.000000/24.000000, type NVL/PIX, sameChannels 0
            gpu-a:15:16 [0] NCCL INFO Channel 00/08 :    0   1   2   3
            gpu-a:15:16 [0] NCCL INFO Channel 01/08 :    0   3   2   1
            gpu-a:15:16 [0] NCCL INFO Trees [0] 1/-1/-1->0->2
            gpu-a:15:16 [0] NCCL INFO Channel 00/0 : 3[1] -> 0[0] [receive] via NET/IB/0/GDRDMA
            gpu-a:15:16 [0] NCCL INFO Channel 02/0 : 3[1] -> 0[0] [receive] via NET/IB/0/GDRDMA
            gpu-a:15:16 [0] NCCL INFO Channel 01/0 : 0[0] -> 3[1] [send] via NET/IB/2(1)/Shared
            gpu-a:15:16 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM
            gpu-a:15:16 [0] NCCL INFO Connected all rings
            gpu-a:15:16 [0] NCCL INFO 8 coll channels, 0 nvls channels, 8 p2p channels, 2 p2p channels per peer
            gpu-a:15:16 [0] NCCL INFO comm 0x7f8a0 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 18000 commId 0x1234 - Init COMPLETE
            """;

    /** NCCL 2.4 with adapters that it does not reach GPU memory by: Mellanox/nv_peer_memory#56. */
    public static final String OLD = """
            node-1:1:2 [0] NCCL INFO NET/Socket : Using [0]ib0:10.0.11.1<0>
            node-1:1:2 [0] NCCL INFO NET/Plugin : No plugin found (libnccl-net.so).
            node-1:1:2 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB ; OOB ib0:10.0.11.1<0>
            NCCL version 2.4.7+cuda10.0
            node-1:1:2 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for GPU 0[0] / HCA 0 (distance 4 >= 2)
            node-1:1:2 [0] NCCL INFO Ring 00 : 3 -> 0 [receive] via NET/IB/0
            node-1:1:2 [0] NCCL INFO Ring 00 : 0[0] -> 1[1] via direct shared memory
            node-1:1:2 [0] NCCL INFO comm 0x7f2 rank 0 nranks 8 cudaDev 0 nvmlDev 0 - Init COMPLETE
            """;

    /** NCCL 2.1x, with PCI addresses instead of numbers: NVIDIA/nccl#707, #1358. */
    public static final String ADDRESSES = """
            node-2:1:2 [0] NCCL INFO Channel 01 : 2[c7000] -> 0[87000] [receive] via NET/IB/5/GDRDMA
            node-2:1:2 [0] NCCL INFO GPU Direct RDMA Enabled for GPU 87000 / HCA 5 (distance 3 <= 4), read 0
            node-2:1:2 [0] NCCL INFO Pattern 4, crossNic 0, nChannels 1, speed 12.000000/12.000000, type SYS/PHB, sameChannels 1
            node-2:1:2 [0] transport/net_ib.cc:818 NCCL WARN NET/IB : Got completion with error 4, opcode 8983, len 0, vendor err 81
            node-2:1:2 [0] NCCL INFO comm 0x7f1 rank 0 nranks 4 cudaDev 0 busId 87000 - Init COMPLETE
            """;

    /** NCCL 2.2x, without a network that it could use RDMA with. */
    public static final String ONE_MACHINE = """
            [2026-11-24 10:00:00] box:84:98 [0] NCCL INFO NCCL version 2.27.3+cuda12.9
            box:84:98 [0] NCCL INFO NET/IB : No device found.
            box:84:98 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.2<0>
            box:84:98 [0] NCCL INFO Using network Socket
            box:84:98 [0] NCCL INFO Channel 00/02 : 0 1
            box:84:98 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct/direct
            box:84:98 [0] NCCL INFO Channel 01 : 0[0] -> 1[1] via SHM/direct/direct
            box:84:98 [0] NCCL INFO 2 coll channels, 2 collnet channels, 0 nvls channels, 2 p2p channels, 2 p2p channels per peer
            box:84:98 [0] NCCL INFO ncclCommInitRank comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 3b000 commId 0x5 - Init COMPLETE
            """;

    private RecordedLogs() {}
}
