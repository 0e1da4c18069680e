// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.model;

/**
 * A link of PCI Express, and the part of its speed that is left for data.
 *
 * <p>Encoding and packets are as in the PCI Express Base Specification. The data link layer's share for
 * acknowledgements and flow control is the share of generation 3 with 8 lanes and 256-byte payloads by the
 * specification's guidelines (pcie-bench/pcie-model, of Neugebauer and others, "Understanding PCIe performance for end
 * host networking", SIGCOMM 2018).
 *
 * @param speed of a lane in GT/s, above 0
 * @param width lanes, from 1
 * @param maxPayload bytes of data that a packet may carry, a power of two in 128..4096 (MaxPayload of lspci)
 * @param maxReadRequest bytes that a read may ask for, a power of two in 128..4096 (MaxReadReq of lspci)
 */
public record PciExpress(double speed, int width, int maxPayload, int maxReadRequest) {
    /** The setting of most servers. */
    public static final int USUAL_PAYLOAD = 256;

    /** The setting of most adapters. */
    public static final int USUAL_READ_REQUEST = 512;

    /** Bytes of a write besides its data: framing and sequence 4, header with a 64-bit address 16, checksum 4. */
    static final int WRITE_HEADER = 24;

    /** Bytes of a read completion besides its data, including a header of 12 bytes. */
    static final int COMPLETION_HEADER = 20;

    /** 8 bytes of acknowledgement and 8 of flow control in 203, and 4 of clock compensation in 1538. */
    private static final double LINK_LAYER = 1 - 8.0 / 203 - 8.0 / 203 - 4.0 / 1538;

    private static final double GENERATION_3 = 8;
    private static final double GENERATION_6 = 64;
    private static final double BITS = 8;

    /** Refuses what no link can be. */
    public PciExpress {
        Ranges.positive("speed", speed);
        Ranges.within("width", width, 1, 32);
        Ranges.powerOfTwo("maxPayload", maxPayload, 128, 4096);
        Ranges.powerOfTwo("maxReadRequest", maxReadRequest, 128, 4096);
    }

    /** The generation by the speed: 3 for 8 GT/s. */
    public int generation() {
        return Math.max(1, (int) Math.round(Math.log(speed / 2.5) / Math.log(2)) + 1);
    }

    /**
     * Returns the bytes per second in each direction for data packets: after encoding, acknowledgements and flow
     * control.
     */
    public double capacity() {
        double encoding = speed >= GENERATION_6 ? 236.0 / 256 : speed >= GENERATION_3 ? 128.0 / 130 : 0.8;
        return speed * 1e9 * width * encoding / BITS * LINK_LAYER;
    }

    /** Returns a title, such as {@code PCIe 4 x16}. */
    public String title() {
        return "PCIe " + generation() + " x" + width;
    }

    /** Returns the load of a device's writes. */
    Load writes(String link, String direction) {
        return new Load(link, direction, capacity(), 1, maxPayload, WRITE_HEADER, 0);
    }

    /** Returns the load of completions of a device's reads. */
    Load completions(String link, String direction) {
        return new Load(link, direction, capacity(), 1, maxPayload, COMPLETION_HEADER, 0);
    }

    /** Returns the load of a device's read requests, in the other direction. */
    Load readRequests(String link, String direction) {
        return new Load(link, direction, capacity(), 0, maxReadRequest, WRITE_HEADER, 0);
    }
}
