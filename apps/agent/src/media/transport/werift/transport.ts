import { networkInterfaces } from "node:os";
import { RTCDtlsTransport } from "werift";
import type { Config } from "../../../config/config.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ConnectionEvents, Transport, ViewerConnection } from "../../../ports/transport.ts";
import type { CandidatePolicy } from "../remote-candidates.ts";
import { candidateFilter, venuePolicy } from "../remote-candidates.ts";
import { openConnection } from "./connection.ts";
import { prepareKeyExchange } from "./dtls-guard.ts";
import { openPublication } from "./publication.ts";
import type { RelayUse } from "./relay.ts";
import { isRelay } from "./relay.ts";

/** WebRTC as the configuration wants it. */
export function openTransport(clock: Clock, media: Config["media"]): Transport {
  const { extraAddresses, onlyExtraAddresses, portRange, candidates, relay } = media;
  const venue = venuePolicy(networkInterfaces(), candidates.open);
  return createWeriftTransport(clock, {
    extraAddresses,
    onlyExtraAddresses,
    relay,
    ...(portRange === null ? {} : { portRange }),
    remoteCandidates: { open: venue.open, closed: [...venue.closed, ...candidates.closed] },
  });
}

interface WeriftSettings {
  /** UDP and TCP ports to use, first and last; by default the system chooses. */
  readonly portRange?: readonly [number, number];
  /** Addresses offered beside the machine's own; 127.0.0.1 must be named here when it is wanted. */
  readonly extraAddresses?: readonly string[];
  /** Offer nothing but `extraAddresses`. */
  readonly onlyExtraAddresses?: boolean;
  /** Which addresses of browsers may be probed; by default nothing on the agent's own networks. */
  readonly remoteCandidates?: CandidatePolicy;
  /** Longest wait for STUN while gathering, ms, 100 to 5000. */
  readonly stunTimeoutMs?: number;
  /** Whether the agent's side uses the TURN servers of an offer too; by default it does not. */
  readonly relay?: RelayUse;
}

/**
 * WebRTC in pure TypeScript: UDP and passive ICE-TCP, browsers behind any TURN, ICE restart.
 * Throws a sentence when a network of `remoteCandidates` is malformed.
 */
export function createWeriftTransport(clock: Clock, settings: WeriftSettings = {}): Transport {
  const extraAddresses = settings.extraAddresses ?? [];
  const allowed = candidateFilter(settings.remoteCandidates ?? venuePolicy(networkInterfaces()));
  const relay = settings.relay ?? "no";
  const offered = (line: string) => {
    if (isRelay(line)) return true;
    return relay !== "only" && (!settings.onlyExtraAddresses || extraAddresses.includes(line.split(" ")[4] ?? ""));
  };
  const peer = {
    portRange: settings.portRange ?? null,
    extraAddresses,
    stunTimeoutMs: settings.stunTimeoutMs ?? 1_000,
    relay,
  };
  const connections = new Set<ViewerConnection>();
  // One ECDSA certificate for the process, made before the first player waits for it.
  const certificate = RTCDtlsTransport.SetupCertificate();
  certificate.catch(() => undefined);
  prepareKeyExchange();
  const deps = { clock, settings: peer, allowed, offered };
  const closeOne = async (connection: ViewerConnection) => {
    connections.delete(connection);
    await connection.close();
  };

  /** Keeps the connection until it ends. */
  const keep = async <T extends { readonly connection: ViewerConnection }>(
    events: ConnectionEvents,
    open: (events: ConnectionEvents) => Promise<T>,
  ): Promise<T> => {
    await certificate;
    const opened = await open({
      ...events,
      closed(reason) {
        connections.delete(opened.connection);
        events.closed(reason);
      },
    });
    const { connection } = opened;
    connections.add(connection);
    return { ...opened, connection: { ...connection, close: () => closeOne(connection) } };
  };

  return {
    addViewer: (request, events) => keep(events, (watched) => openConnection(request, watched, deps)),
    publish: (exchange, events) => keep(events, (watched) => openPublication(exchange, watched, deps)),
    async close() {
      const open = [...connections];
      connections.clear();
      await Promise.all(open.map((connection) => connection.close()));
    },
  };
}
