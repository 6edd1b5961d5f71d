import { createBackOff } from "@longarm/link/back-off";
import type { NatsConnection, Status } from "@nats-io/transport-node";
import { connect } from "@nats-io/transport-node";
import type { Clock, Stop } from "../clock.ts";
import type { NatsServers } from "../config/nats-servers.ts";
import type { Log } from "../log.ts";

export type NatsConnectionOptions = {
  readonly servers: NatsServers;
  /** Shown by the server for this connection. */
  readonly name: string;
  readonly clock: Clock;
  /** 0 to below 1; spreads the return of many nodes. */
  readonly random: () => number;
  readonly log: Log;
  /** A connection that knows no subscription of ours yet. */
  readonly opened: (nats: NatsConnection) => void;
  /** The connection is gone; what was asked over it is not answered any more. */
  readonly lost: () => void;
  /** It is there, again or for the first time; what was said meanwhile has been missed. */
  readonly back: (nats: NatsConnection) => void;
  /** Nothing of the others is heard; told again and again. */
  readonly gap: () => void;
};

/** A connection that comes back by itself until it is closed. */
export interface KeptConnection {
  /** The connection while it is up. */
  up(): NatsConnection | undefined;
  close(): Promise<void>;
}

const DIAL_MS_MAX = 5_000;
/** A server that answers none of two is gone, whatever TCP believes. */
const PING_EVERY_MS = 5_000;
const PINGS_OPEN_MAX = 2;
/** How often those who keep something are told to read it again while nothing comes, ms. */
const GAP_EVERY_MS = 15_000;

export function keepNats(options: NatsConnectionOptions): KeptConnection {
  const { servers, clock, random, log } = options;
  const backOff = createBackOff({ backOffMs: 200, backOffMsMax: 5_000, steadyMs: 5_000, timers: clock, random });
  let nats: NatsConnection | undefined;
  let isUp = false;
  let closed = false;
  let toldWhy: string | undefined;
  let stopWaiting: Stop = () => {};
  const stopGaps = clock.every(GAP_EVERY_MS, () => {
    if (!isUp) options.gap();
  });

  function away(why: unknown): void {
    isUp = false;
    backOff.lost();
    options.lost();
    // One line an outage, and one for each new cause.
    if (String(why) !== toldWhy && !closed)
      log.error({ alarm: "bus", err: why }, "the bus is away: this node does not hear the others, and goes on alone");
    toldWhy = String(why);
  }

  function back(made: NatsConnection): void {
    isUp = true;
    backOff.opened();
    log.info({ hosts: servers.hosts }, "the bus is there");
    toldWhy = undefined;
    options.back(made);
  }

  // A node that takes messages too slowly is cut off by the server, and so comes back with a gap like any other.
  function told(status: Status, made: NatsConnection): void {
    if (status.type === "disconnect" || status.type === "staleConnection") away(status.type);
    else if (status.type === "reconnect") back(made);
    else if (status.type === "error") log.warn({ err: status.error }, "the bus server complains");
  }

  async function open(): Promise<void> {
    try {
      const made = await connect(dialOptions(options, () => backOff.next()));
      if (closed) return await made.close();
      nats = made;
      options.opened(made);
      back(made);
      for await (const status of made.status()) told(status, made);
      away((await made.closed()) ?? "closed");
    } catch (error) {
      away(error);
    }
    const ended = nats;
    nats = undefined;
    await ended?.close().catch(() => {});
    if (!closed) stopWaiting = clock.after(backOff.next(), () => void open());
  }

  void open();
  return {
    up: () => (isUp ? nats : undefined),
    async close() {
      closed = true;
      isUp = false;
      stopWaiting();
      stopGaps();
      backOff.lost();
      await nats?.close();
    },
  };
}

function dialOptions({ servers, name }: NatsConnectionOptions, nextWaitMs: () => number) {
  const { hosts, tls, user, pass, token } = servers;
  return {
    name,
    servers: [...hosts],
    ...(user !== undefined && { user }),
    ...(pass !== undefined && { pass }),
    ...(token !== undefined && { token }),
    ...(tls && { tls: {} }),
    // What this node says to itself it hears without the server.
    noEcho: true,
    timeout: DIAL_MS_MAX,
    pingInterval: PING_EVERY_MS,
    maxPingOut: PINGS_OPEN_MAX,
    maxReconnectAttempts: -1,
    // A server that is given its users a little later, or anew, is none to give up.
    ignoreAuthErrorAbort: true,
    reconnectDelayHandler: nextWaitMs,
    noAsyncTraces: true,
  };
}
