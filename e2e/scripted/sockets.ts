import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { WebSocketServer } from "ws";
import type { World } from "./world.ts";

/** A socket that the page opened: its address and whatever it sent, parsed. */
export type OpenedSocket = {
  readonly url: string;
  /** The subprotocols that it offered. */
  readonly offered: string;
  readonly frames: { readonly id?: number; readonly method?: string; readonly data?: unknown }[];
  readonly socket: WebSocket;
};

/** What a test does with a frame of a game socket. */
export type GameListener = (opened: OpenedSocket, frame: OpenedSocket["frames"][number]) => unknown;

/** The two scripted sockets of the platform, on the server's own port. */
export function scriptSockets(server: Server, world: World) {
  const notifications = new Set<WebSocket>();
  const opened: { notifications: OpenedSocket[]; game: OpenedSocket[] } = { notifications: [], game: [] };
  let refusing = false;
  let listenToGame: GameListener = () => {};
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => "protoo" });
  const onUpgrade = (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    if (path !== "/notifications" && path !== "/game") {
      stream.destroy();
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      if (path === "/game") record(opened.game, request, socket, (one, frame) => listenToGame(one, frame));
      else if (refusing) socket.close(1013, "later");
      else {
        record(opened.notifications, request, socket, (_, { id }) => {
          if (id === undefined) return;
          notifications.add(socket);
          welcome(socket, world, id);
        });
        socket.on("close", () => notifications.delete(socket));
      }
    });
  };
  server.on("upgrade", onUpgrade);
  return {
    opened,
    push(method: string, data: unknown): void {
      for (const socket of notifications) notify(socket, method, data);
    },
    listenToGame(onFrame: GameListener): void {
      listenToGame = onFrame;
    },
    listening: () => notifications.size,
    refuseSockets(refuse: boolean): void {
      refusing = refuse;
    },
    drop(code: number, reason: string): void {
      for (const socket of notifications) socket.close(code, reason);
    },
    end(): void {
      server.off("upgrade", onUpgrade);
      for (const client of sockets.clients) client.terminate();
      sockets.close();
    },
  };
}

function record(list: OpenedSocket[], request: IncomingMessage, socket: WebSocket, onFrame: GameListener): void {
  const one: OpenedSocket = {
    url: request.url ?? "",
    offered: request.headers["sec-websocket-protocol"] ?? "",
    frames: [],
    socket,
  };
  list.push(one);
  socket.on("message", (text) => {
    const frame = JSON.parse(String(text)) as OpenedSocket["frames"][number];
    one.frames.push(frame);
    onFrame(one, frame);
  });
}

/** Answers `init`, then sends the present state. */
function welcome(socket: WebSocket, world: World, id: number): void {
  socket.send(JSON.stringify({ response: true, id, ok: true, data: {} }));
  notify(socket, "balance", world.balance);
  if (world.session !== undefined) notify(socket, "session", world.session);
}

function notify(socket: WebSocket, method: string, data: unknown): void {
  socket.send(JSON.stringify({ notification: true, method, data }));
}
