import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { agentLink } from "@longarm/contract/agent-link";
import type { Handled } from "@longarm/link/answer";
import { done } from "@longarm/link/answer";
import type { Peer } from "@longarm/link/peer";
import { createPeer } from "@longarm/link/peer";
import { systemTimers } from "@longarm/link/socket";
import { fromWs } from "@longarm/link/ws-socket";
import type { WebSocket } from "ws";
import { WebSocketServer } from "ws";

type Told = { method: "game" | "event"; data: { seq: number; machineId: string } };
type ViewerTold = { readonly viewerId: string; readonly state: "connecting" | "connected" | "closed" };
type HelloSeen = { agent: string; clock: number; machines: readonly { id: string; epoch: number }[] };

/** The least of a platform that an agent can be linked to, on a free port of 127.0.0.1. */
export type FakePlatform = {
  readonly url: string;
  readonly key: string;
  readonly hellos: HelloSeen[];
  readonly told: Told[];
  readonly stills: { path: string; key: string | undefined; bytes: number }[];
  /** The link that said hello last. */
  peer(): Peer<typeof agentLink, "server"> | undefined;
  /** The sockets that are open now, raw. */
  sockets(): WebSocket[];
  /** What the next hellos are answered. */
  answerHello: () => Handled<{ clock: number; renewMs: number; taken: Record<string, number> }>;
  /** Hears how each viewer's connection stands. */
  viewer: (told: ViewerTold) => void;
  stillStatus: number;
  close(): Promise<void>;
};

export async function fakePlatform(key = "the-key-of-this-agent"): Promise<FakePlatform> {
  let peer: Peer<typeof agentLink, "server"> | undefined;
  const sockets = new Set<WebSocket>();
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on("data", (part: Buffer) => {
      bytes += part.length;
    });
    request.on("end", () => {
      platform.stills.push({ path: request.url ?? "", key: request.headers.authorization, bytes });
      response.writeHead(platform.stillStatus).end();
    });
  });
  const upgrades = new WebSocketServer({ noServer: true, handleProtocols: () => "protoo" });

  function serve(socket: WebSocket): void {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    const tell = async (method: Told["method"], data: Told["data"]): Promise<Handled<Record<string, never>>> => {
      platform.told.push({ method, data });
      return done({});
    };
    const ours = createPeer({
      contract: agentLink,
      end: "server",
      socket: fromWs(socket),
      timers: systemTimers,
      handlers: {
        hello: async (hello) => {
          platform.hellos.push(hello);
          const answer = platform.answerHello();
          if (answer.is === "done") peer = ours;
          return answer;
        },
        game: (data) => tell("game", data),
        event: (data) => tell("event", data),
        "recording.anchor": async () => done({}),
      },
      listeners: { viewers: (told) => platform.viewer(told) },
      log: () => undefined,
    });
  }

  server.on("upgrade", (request, socket, head) => {
    if (request.headers.authorization === `Bearer ${key}`) upgrades.handleUpgrade(request, socket, head, serve);
    else socket.end("HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;

  const platform: FakePlatform = {
    url: `ws://127.0.0.1:${port}/agent`,
    key,
    hellos: [],
    told: [],
    stills: [],
    peer: () => peer,
    sockets: () => [...sockets],
    answerHello: () => done({ clock: 0, renewMs: 15_000, taken: {} }),
    viewer: () => undefined,
    stillStatus: 204,
    close: async () => {
      for (const socket of sockets) socket.terminate();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return platform;
}

/** Waits until `read` gives something; fails with `what` after the deadline. */
export async function until<T>(what: string, read: () => T, deadlineMs = 10_000): Promise<NonNullable<T>> {
  const endsAt = performance.now() + deadlineMs;
  for (;;) {
    const value = read();
    if (value !== null && value !== undefined && value !== false) return value;
    if (performance.now() > endsAt) throw new Error(`Not within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
