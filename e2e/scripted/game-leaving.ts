import type { Page } from "playwright-core";

/** What a page has open now; whatever a game opens must be gone after it. */
export type Open = Readonly<
  Record<
    "peers" | "channels" | "sockets" | "tracks" | "timers" | "frames" | "audio" | "wakeLocks" | "listeners",
    number
  >
>;

type Counting = {
  peers: Set<RTCPeerConnection>;
  channels: Set<RTCDataChannel>;
  sockets: Set<WebSocket>;
  tracks: Set<MediaStreamTrack>;
  timers: Set<number>;
  frames: Set<number>;
  audio: Set<AudioContext>;
  wakeLocks: Set<object>;
  listeners: Map<string, number>;
};
type Holder = { counting: Counting };

/** Counts everything that the page opens from now on: call it before the page loads. The browser's own objects stay what they are. */
export async function countOpen(page: Page): Promise<void> {
  for (const script of [countConnections, countTimers, countListeners]) await page.addInitScript(script);
}

function countConnections(): void {
  const counting: Counting = {
    peers: new Set(),
    channels: new Set(),
    sockets: new Set(),
    tracks: new Set(),
    timers: new Set(),
    frames: new Set(),
    audio: new Set(),
    wakeLocks: new Set(),
    listeners: new Map(),
  };
  Object.assign(globalThis, { counting });
  const kept = <C extends new (...args: never[]) => object>(made: C, list: Set<never>): C =>
    new Proxy(made, {
      construct(target, args, self) {
        const one = Reflect.construct(target, args, self) as object;
        list.add(one as never);
        return one;
      },
    });
  const { RTCPeerConnection: Peer, WebSocket: Socket, AudioContext: Sound } = globalThis;
  Peer.prototype.createDataChannel = new Proxy(Peer.prototype.createDataChannel, {
    apply(call, self, args) {
      const channel = Reflect.apply(call, self, args) as RTCDataChannel;
      counting.channels.add(channel);
      return channel;
    },
  });
  Peer.prototype.addTransceiver = new Proxy(Peer.prototype.addTransceiver, {
    apply(call, self, args) {
      const transceiver = Reflect.apply(call, self, args) as RTCRtpTransceiver;
      counting.tracks.add(transceiver.receiver.track);
      return transceiver;
    },
  });
  globalThis.RTCPeerConnection = kept(Peer, counting.peers as Set<never>);
  globalThis.WebSocket = kept(Socket, counting.sockets as Set<never>);
  globalThis.AudioContext = kept(Sound, counting.audio as Set<never>);
}

function countTimers(): void {
  const { timers, frames } = (globalThis as unknown as Holder).counting;
  const { setTimeout: later, clearTimeout: never, setInterval: each, clearInterval: stop } = window;
  window.setTimeout = ((run: TimerHandler, ms?: number, ...args: unknown[]) => {
    const id = later(
      (...given: unknown[]) => {
        timers.delete(id);
        if (typeof run === "function") run(...given);
      },
      ms,
      ...args,
    );
    timers.add(id);
    return id;
  }) as typeof setTimeout;
  window.setInterval = ((run: TimerHandler, ms?: number, ...args: unknown[]) => {
    const id = each(run, ms, ...args);
    timers.add(id);
    return id;
  }) as typeof setInterval;
  window.clearTimeout = (id) => {
    timers.delete(id as number);
    never(id);
  };
  window.clearInterval = (id) => {
    timers.delete(id as number);
    stop(id);
  };
  const { requestAnimationFrame: paint, cancelAnimationFrame: unpaint } = window;
  window.requestAnimationFrame = (run) => {
    const id = paint((now) => {
      frames.delete(id);
      run(now);
    });
    frames.add(id);
    return id;
  };
  window.cancelAnimationFrame = (id) => {
    frames.delete(id);
    unpaint(id);
  };
}

function countListeners(): void {
  const { wakeLocks, listeners } = (globalThis as unknown as Holder).counting;
  Object.defineProperty(navigator, "wakeLock", {
    value: {
      request: () => {
        const lock = { release: () => Promise.resolve(void wakeLocks.delete(lock)) };
        wakeLocks.add(lock);
        return Promise.resolve(lock);
      },
    },
  });
  for (const target of [window, document] as EventTarget[]) {
    const { addEventListener: add, removeEventListener: remove } = target;
    const received = new Map<unknown, number>();
    const count = (kind: string, run: unknown, by: number): void => {
      const before = received.get(run) ?? 0;
      if (before + by < 0) return;
      received.set(run, before + by);
      listeners.set(kind, (listeners.get(kind) ?? 0) + by);
    };
    target.addEventListener = (...[kind, run, options]: Parameters<typeof add>) => {
      count(kind, run, 1);
      add.call(target, kind, run, options);
    };
    target.removeEventListener = (...[kind, run, options]: Parameters<typeof remove>) => {
      count(kind, run, -1);
      remove.call(target, kind, run, options);
    };
  }
}

/** What is open now. A timer that repeats itself by `setTimeout` counts as one. */
export async function readOpen(page: Page): Promise<Open> {
  return await page.evaluate(() => {
    const { peers, channels, sockets, tracks, timers, frames, audio, wakeLocks, listeners } = (
      globalThis as unknown as Holder
    ).counting;
    const living = <T>(list: Iterable<T>, lives: (one: T) => boolean): number => [...list].filter(lives).length;
    return {
      peers: living(peers, ({ connectionState }) => connectionState !== "closed"),
      channels: living(channels, ({ readyState }) => readyState === "open" || readyState === "connecting"),
      sockets: living(sockets, ({ readyState }) => readyState < WebSocket.CLOSING),
      tracks: living(tracks, ({ readyState }) => readyState === "live"),
      timers: timers.size,
      frames: frames.size,
      audio: living(audio, ({ state }) => state !== "closed"),
      wakeLocks: wakeLocks.size,
      listeners: [...listeners.values()].reduce((sum, count) => sum + count, 0),
    };
  });
}
