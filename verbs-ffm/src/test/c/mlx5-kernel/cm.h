// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the connection manager share: ids, their events, and what ports say to each other of them.
#ifndef CM_H
#define CM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <netinet/in.h>
#include <sys/types.h>

#include <rdma/rdma_user_cm.h>

#include "standin.h"

enum {
    // Bytes of a program's own in messages of InfiniBand's connection manager; a request of IP's port spaces gives the
    // first ones of its own to both addresses.
    REQUEST_BYTES = 92, REPLY_BYTES = 196, REJECT_BYTES = 148, LOOK_UP_BYTES = 216, LOOK_UP_REPLY_BYTES = 136,
    ADDRESSES_BYTES = 36,
    // Reasons and statuses, by InfiniBand's specification.
    REJECT_TIMEOUT = 4, REJECT_UNKNOWN_ID = 6, REJECT_NO_SERVICE = 8, REJECT_CONSUMER = 28,
    LOOK_UP_NO_SERVICE = 1, LOOK_UP_REFUSED = 2,
    // Events, by librdmacm's header.
    ADDRESS_RESOLVED = 0, ADDRESS_ERROR, ROUTE_RESOLVED, ROUTE_ERROR, CONNECT_REQUEST, CONNECT_RESPONSE, CONNECT_ERROR,
    UNREACHABLE, REJECTED, ESTABLISHED, DISCONNECTED, TIMEWAIT_EXIT = 15,
};

// A path through the fabric, as the subnet administrator gives it; numbers in host order.
struct path {
    uint16_t from, to; // LIDs
    uint8_t from_gid[16], to_gid[16];
    uint16_t partition; // P_Key
    uint8_t service_level, mtu, rate, life_time, hop_limit;
};

enum message_kind { REQUEST, REPLY, READY, REJECT, DISCONNECT, DISCONNECT_REPLY, LOOK_UP, LOOK_UP_REPLY };

// What one port's connection manager says to another's.
struct message_of_manager {
    enum message_kind kind;
    uint16_t from, to;         // LIDs
    uint32_t from_id, to_id;   // communication ids
    uint64_t service;
    uint8_t reason;            // or a status
    uint8_t pair_type;
    uint32_t pair, first_packet, datagram_key;
    uint8_t responder_resources, initiator_depth, flow_control, retries, receive_retries, shared_receives, ack_timeout;
    struct rdma_ucm_ece ece;
    struct path path;          // of the sender, in a request
    uint8_t bytes[256];        // private data, with both addresses before them in a request
};

// The state of an id: as rdma_cm reports it to its user, and as InfiniBand's connection manager sees it.
enum id_state { IDLE, BOUND, LISTENING, ADDRESS_QUERY, ADDRESS_KNOWN, ROUTE_QUERY, ROUTE_KNOWN, CONNECTING, DISCONNECTING };
enum phase {
    NO_PHASE, REQUEST_SENT, REQUEST_RECEIVED, REPLY_SENT, REPLY_RECEIVED, CONNECTED, DISCONNECT_SENT,
    DISCONNECT_RECEIVED, TIME_WAIT, LOOK_UP_SENT, LOOK_UP_RECEIVED, OVER
};

struct id {
    bool is_used;
    uint32_t handle;  // of the program
    int file;         // its descriptor; the listening id's while nobody has fetched the request
    uint64_t user;    // 0 for a request that was not accepted
    uint32_t listener; // handle, of a request that nobody has fetched
    uint16_t port_space;
    uint8_t pair_type;
    bool reuses_address, has_ack_timeout;
    uint8_t ack_timeout;
    uint32_t events_reported, backlog;
    enum id_state state;
    enum phase phase;
    struct sockaddr_in here, there;
    bool has_device, has_path;
    uint16_t there_lid;
    uint16_t partition;
    struct path path;
    uint32_t number;  // its communication id
    uint32_t peer_number;
    uint32_t pair, peer_pair, first_packet, peer_first_packet, datagram_key;
    uint8_t responder_resources, initiator_depth, retries, receive_retries, path_ack_timeout;
    struct rdma_ucm_ece ece; // that this side has chosen
    struct message_of_manager last; // what is sent again until it is answered
    unsigned attempts;
    uint64_t next, end; // milliseconds: when something is sent again, and when something is over; 0 for never
};

enum { MAX_IDS = 1024, DATAGRAM_PAIR = 4 };
extern struct id ids[MAX_IDS]; // the first is never used

// cm-ids.c: with the lock.
struct id *create_id(int file, uint16_t port_space, uint8_t pair_type);
struct id *id_of_number(uint32_t number);
struct id *id_of_handle(uint32_t handle);
int bind_id(struct id *id, const struct sockaddr_in *address);
int listen_id(struct id *id, uint32_t backlog);
struct id *listener_of(uint64_t service, in_addr_t address);

// cm-events.c: with the lock, except take_event.
void report(struct id *id, uint32_t type, int status, const struct message_of_manager *message);
int take_event(int file, struct rdma_ucm_event_resp *event);
int move_events(struct id *id, int target);
// Also ends the requests among them.
void drop_events(struct id *id);

// cm-paths.c
bool is_here_address(in_addr_t address);
bool is_any_address(in_addr_t address);
bool is_in_fabric(in_addr_t address);
in_addr_t own_address(void);
uint16_t lid_of_address(in_addr_t address);
uint16_t interface_partition(void);
bool is_subnet_managed(void);
// 0, or the errno of the subnet administrator's refusal.
int find_path(uint16_t to, uint16_t partition, struct path *path);
void pack_path(const struct path *path, uint8_t record[64]);
void unpack_path(const uint8_t record[64], struct path *path);
void gid_of_lid(uint16_t lid, uint8_t gid[16]);
// The index of a P_Key in the port's table, or -1.
int index_of_partition(uint16_t partition);

// cm-wire.c
int join_managers(void);
bool can_be_reached(uint16_t lid);
// Has a file in the fabric's folder, as 'rdma resource' is not there to be asked.
void show_listener(uint16_t port_space, uint16_t port, bool listens);
void send_message(const struct message_of_manager *message);
bool receive_message(struct message_of_manager *message);
void wait_for_message(int milliseconds);

// cm.c: with the lock.
int resolve_address(struct id *id, const struct sockaddr_in *from, const struct sockaddr_in *to, uint32_t milliseconds);
int resolve_route(struct id *id, uint32_t milliseconds);
int set_route(struct id *id, const struct path *path);
int connect_id(struct id *id, const struct rdma_ucm_conn_param *parameters, const struct rdma_ucm_ece *ece);
int accept_id(struct id *id, const struct rdma_ucm_conn_param *parameters, const struct rdma_ucm_ece *ece);
int reject_id(struct id *id, uint8_t reason, const uint8_t *bytes, uint8_t length);
int disconnect_id(struct id *id);
int establish_id(struct id *id);
void destroy_id(struct id *id);
// cm-attributes.c
// What a queue pair's next step must set; 0, or an errno.
int next_attributes(const struct id *id, uint32_t state, struct ib_uverbs_qp_attr *attributes);
void write_address(const struct path *path, struct ib_uverbs_ah_attr *address);
// log2 of 4.096 us that a queue pair waits for an acknowledgement on a path.
uint8_t ack_timeout_of(const struct path *path);

// cm.c
// Starts the thread that listens to other ports; 0, or an errno.
int start_manager(void);

#endif
