import type { IceServer } from "@longarm/contract/ice-server";
import type { FrameSocket, Stop, Timers } from "@longarm/link/socket";
import type { OpenRtc, RtcConnection, RtcEvents } from "../state/media/rtc-port.ts";

/** What is not taken by then is closed: addresses may not hold any more, and a socket without a seat is of no use, ms. */
const KEPT_MS = 8_000;

/** How the play session at a machine opens its socket and its connections. */
export type PlayOpeners = {
  readonly openSocket: () => Promise<FrameSocket>;
  readonly openRtc: OpenRtc;
};

/** Whose socket it is, and at which machine: it is signed in, and no other player may get it. */
export type SeatWanted = { readonly playerId: string; readonly machineId: string };
const keyOf = ({ playerId, machineId }: SeatWanted): string => `${playerId} ${machineId}`;

type Kept<T> = { readonly key: string; readonly what: T; readonly drop: Stop };

/**
 * Opened before the screen of a machine is there: a connection with its offer, which fits every machine, while a card is pointed at; the machine's game
 * socket once it was chosen. Never more than one of each. Neither takes a seat, and no agent knows of it (record 0269).
 */
export class ReadyPlay {
  readonly #timers: Timers;
  #rtc: Kept<ReadyRtc> | undefined;
  #socket: Kept<Promise<FrameSocket>> | undefined;
  /** Play sessions that are open in the page: beside one of them nothing is made ready. */
  #open = 0;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Makes a connection and its offer, unless there is one already. With other servers than those of the one that is there, it takes its place. */
  prepareRtc(openRtc: OpenRtc, iceServers: readonly IceServer[]): void {
    const key = JSON.stringify(iceServers);
    if (this.#rtc?.key === key || this.#open > 0) return;
    this.#rtc?.drop();
    const rtc = makeReady(openRtc, iceServers);
    this.#rtc = this.#keep(key, rtc, () => {
      this.#rtc = undefined;
      rtc.connection.close();
    });
  }

  /** Opens the machine's game socket, unless it is open already; that of another machine is closed. */
  prepareSocket(seat: SeatWanted, openSocket: () => Promise<FrameSocket>): void {
    const key = keyOf(seat);
    if (this.#socket?.key === key || this.#open > 0) return;
    this.#socket?.drop();
    const socket = openSocket();
    // Why it did not open is reported where it is taken.
    socket.catch(() => {});
    this.#socket = this.#keep(key, socket, () => {
      this.#socket = undefined;
      void socket.then(
        (open) => open.close(1000, "stopped"),
        () => {},
      );
    });
  }

  /** What a play session opens with: the first time what is ready and fits, afterwards anew. Call `ended` when it ends. */
  openers(seat: SeatWanted, { openSocket, openRtc }: PlayOpeners): PlayOpeners & { readonly ended: Stop } {
    this.#open += 1;
    return {
      ended: () => {
        this.#open -= 1;
      },
      openSocket: () => this.#takeSocket(keyOf(seat)) ?? openSocket(),
      openRtc: (servers, events, relayOnly, plain) => {
        const key = relayOnly || plain === true ? undefined : JSON.stringify(servers);
        return this.#takeRtc(key)?.give(events) ?? openRtc(servers, events, relayOnly, plain);
      },
    };
  }

  /** Closes what is ready: the player signed out. */
  close(): void {
    this.#rtc?.drop();
    this.#socket?.drop();
  }

  #takeSocket(key: string): Promise<FrameSocket> | undefined {
    const ready = this.#socket;
    if (ready?.key !== key) ready?.drop();
    this.#socket = undefined;
    return ready?.key === key ? ready.what : undefined;
  }

  /** What does not fit is closed: there is never one beside the connection that is used. */
  #takeRtc(key: string | undefined): ReadyRtc | undefined {
    const ready = this.#rtc;
    if (ready?.key !== key) ready?.drop();
    this.#rtc = undefined;
    return ready?.key === key ? ready?.what : undefined;
  }

  #keep<T>(key: string, what: T, drop: Stop): Kept<T> {
    const kept = { key, what, drop };
    this.#timers.after(KEPT_MS, () => {
      if (this.#rtc === kept || this.#socket === kept) drop();
    });
    return kept;
  }
}

type ReadyRtc = {
  readonly connection: RtcConnection;
  /** Hands it over, with what it has reported so far. */
  give(events: RtcEvents): RtcConnection;
};

function makeReady(openRtc: OpenRtc, iceServers: readonly IceServer[]): ReadyRtc {
  let taker: RtcEvents | undefined;
  const said: ((events: RtcEvents) => void)[] = [];
  const say = (what: (events: RtcEvents) => void): void => {
    if (taker === undefined) said.push(what);
    else what(taker);
  };
  const connection = openRtc(
    iceServers,
    {
      candidate: (candidate) => say((events) => events.candidate(candidate)),
      state: (state) => say((events) => events.state(state)),
      channelOpen: (name) => say((events) => events.channelOpen(name)),
      channelFrame: (name, frame) => say((events) => events.channelFrame(name, frame)),
      streams: () => say((events) => events.streams()),
    },
    false,
  );
  let offer: Promise<string> | undefined = connection.offer(false);
  // It is reported where the offer is used.
  offer.catch(() => {});
  return {
    connection,
    give(events) {
      taker = events;
      for (const what of said.splice(0)) what(events);
      return {
        ...connection,
        get streams() {
          return connection.streams;
        },
        want(wanted) {
          // The offer is of a page that shows the machine and not the room.
          if (!wanted.machine || wanted.room) offer = undefined;
          return connection.want(wanted);
        },
        offer(restart) {
          const made = restart ? undefined : offer;
          offer = undefined;
          return made ?? connection.offer(restart);
        },
      };
    },
  };
}
