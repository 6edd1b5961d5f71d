import { createServer } from "node:http";
import type { WebSocket } from "ws";
import { WebSocketServer } from "ws";
import { createAnswers, scriptedToken } from "./answers.ts";
import { serveWeb } from "./web-files.ts";
import type { World } from "./world.ts";

/** A back end that says what its script says: for looking at the web, and for tests of it, without a platform. */
export type ScriptedBackEnd = {
  readonly url: string;
  readonly world: World;
  /** Every API call it got, as "GET /v1/…". */
  readonly calls: string[];
  /** The next answer of a path: `failNext("/v1/player/balance", 401)`. */
  failNext(path: string, httpStatus: number, body?: unknown): void;
  /** Tells every notification socket. */
  push(method: string, data: unknown): void;
  /** How many notification sockets have said who they are. */
  listening(): number;
  /** Closes new notification sockets at once, as a platform that restarts does. */
  refuseSockets(refuse: boolean): void;
  /** Drops every notification socket. */
  drop(code: number, reason: string): void;
  close(): Promise<void>;
};

export async function startScriptedBackEnd(
  world: World,
  webFolder: string,
  expSeconds: number,
): Promise<ScriptedBackEnd> {
  const calls: string[] = [];
  const { answer, failNext } = createAnswers(world, scriptedToken(world.player, expSeconds), calls);
  const server = createServer((request, response) => {
    const answered = answer(request);
    if (answered === undefined) return serveWeb(webFolder, request, response);
    response.writeHead(answered.httpStatus, { "content-type": "application/json" });
    response.end(JSON.stringify(answered.body));
  });
  const sockets = new Set<WebSocket>();
  let refusing = false;
  const socketServer = new WebSocketServer({ server, path: "/notifications", handleProtocols: () => "protoo" });
  socketServer.on("connection", (socket) => {
    if (refusing) return socket.close(1013, "later");
    socket.on("close", () => sockets.delete(socket));
    socket.on("message", (frame) => {
      sockets.add(socket);
      welcome(socket, world, (JSON.parse(String(frame)) as { id: number }).id);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The scripted back end has no port");
  return {
    ...{ url: `http://127.0.0.1:${address.port}`, world, calls, failNext },
    listening: () => sockets.size,
    refuseSockets(refuse) {
      refusing = refuse;
    },
    push(method, data) {
      for (const socket of sockets) tell(socket, method, data);
    },
    drop(code, reason) {
      for (const socket of sockets) socket.close(code, reason);
    },
    async close() {
      for (const socket of sockets) socket.terminate();
      socketServer.close();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Answers `init`, then tells what is true now. */
function welcome(socket: WebSocket, world: World, id: number): void {
  socket.send(JSON.stringify({ response: true, id, ok: true, data: {} }));
  tell(socket, "balance", world.balance);
  if (world.session !== undefined) tell(socket, "session", world.session);
}

function tell(socket: WebSocket, method: string, data: unknown): void {
  socket.send(JSON.stringify({ notification: true, method, data }));
}
