/** When a connection of the page came as far, ms since 1970; null: it did not. */
export type ConnectionTimes = {
  readonly madeAt: number;
  answeredAt: number | null;
  /** A pair of addresses stands. */
  pairedAt: number | null;
  /** DTLS is done too. */
  connectedAt: number | null;
};

/** Sums of the browser's own counters of received pictures, seconds and numbers. */
export type ReceiverSums = {
  /** From a picture's first packet until it left the jitter buffer; and the part of it until its last packet. */
  readonly jitterBufferS: number;
  readonly assembledS: number;
  readonly emitted: number;
  /** Of the pair that carries the media: the page's protocol, and its way to a TURN server. */
  readonly protocol: string | null;
  readonly relayProtocol: string | null;
};

export type ConnectionLog = {
  /** Times of each connection, in the order they were made. */
  readonly times: readonly ConnectionTimes[];
  /** Of the connection that stands now; null: none does. */
  sums(): Promise<ReceiverSums | null>;
};

const now = (): number => performance.timeOrigin + performance.now();

/** Notes every connection that the page makes from now on. None is kept alive by it. */
export function logConnections(): ConnectionLog {
  const times: ConnectionTimes[] = [];
  const made: WeakRef<RTCPeerConnection>[] = [];
  globalThis.RTCPeerConnection = new Proxy(RTCPeerConnection, {
    construct(target, args, self) {
      const peer = Reflect.construct(target, args, self) as RTCPeerConnection;
      made.push(new WeakRef(peer));
      times.push(timesOf(peer));
      return peer;
    },
  });
  return {
    times,
    async sums() {
      const stands = made.map((one) => one.deref()).findLast((peer) => peer?.connectionState === "connected");
      return stands === undefined ? null : sumsOf(await stands.getStats());
    },
  };
}

function timesOf(peer: RTCPeerConnection): ConnectionTimes {
  const times: ConnectionTimes = { madeAt: now(), answeredAt: null, pairedAt: null, connectedAt: null };
  peer.addEventListener("signalingstatechange", () => {
    if (peer.signalingState === "stable") times.answeredAt ??= now();
  });
  peer.addEventListener("iceconnectionstatechange", () => {
    if (peer.iceConnectionState === "connected") times.pairedAt ??= now();
  });
  peer.addEventListener("connectionstatechange", () => {
    if (peer.connectionState === "connected") times.connectedAt ??= now();
  });
  return times;
}

function sumsOf(report: RTCStatsReport): ReceiverSums {
  const rows = [...report.values()] as Record<string, unknown>[];
  const inbound = rows.find((row) => row["type"] === "inbound-rtp" && row["kind"] === "video") ?? {};
  const transport = rows.find((row) => row["type"] === "transport") ?? {};
  const pair = rows.find((row) => row["id"] === transport["selectedCandidatePairId"]) ?? {};
  const local = rows.find((row) => row["id"] === pair["localCandidateId"]) ?? {};
  return {
    jitterBufferS: Number(inbound["jitterBufferDelay"] ?? 0),
    assembledS: Number(inbound["totalAssemblyTime"] ?? 0),
    emitted: Number(inbound["jitterBufferEmittedCount"] ?? 0),
    protocol: (local["protocol"] as string | undefined) ?? null,
    relayProtocol: (local["relayProtocol"] as string | undefined) ?? null,
  };
}
